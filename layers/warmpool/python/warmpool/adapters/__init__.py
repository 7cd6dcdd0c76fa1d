"""The only place for boto3, kubernetes, clocks and the environment."""
