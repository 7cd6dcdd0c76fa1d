"""The `warmpool` command (not shipped in the layer)."""
