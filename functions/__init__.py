"""One folder per Lambda function."""
