"""Kubernetes behind the ports: partial reads, the test-and-set write, marks."""
