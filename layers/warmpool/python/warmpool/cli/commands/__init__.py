"""One file a command; each registers itself in `warmpool.cli.main`."""
