"""CloudWatch alarms as they were synthesised, evaluated on EMF lines: moto keeps alarms and evaluates none."""
