"""Use cases and the ports they speak through."""
