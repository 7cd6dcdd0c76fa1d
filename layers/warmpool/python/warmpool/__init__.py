"""Keeps the right number of warm nodes for SageMaker HyperPod Spaces."""
