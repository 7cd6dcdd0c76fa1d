"""The function that reads the EKS audit log."""
