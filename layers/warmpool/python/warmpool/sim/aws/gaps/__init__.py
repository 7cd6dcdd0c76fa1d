"""What moto lacks for us, one small file a gap; each is a context manager that puts moto back as it was."""
