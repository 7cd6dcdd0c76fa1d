"""Embedded cluster, simulator and report (not shipped in the layer)."""
