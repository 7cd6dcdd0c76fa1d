"""An HTTPS Kubernetes API on loopback over the embedded cluster."""
