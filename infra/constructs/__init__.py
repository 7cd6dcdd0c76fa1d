"""One construct per logical unit of the stack."""
