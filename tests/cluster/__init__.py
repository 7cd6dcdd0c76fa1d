"""A real control plane on one machine: its programs, the harness that runs them, and the tests on it."""
