"""What is shown of measured values: one description for the dashboard and for the HTML report."""
