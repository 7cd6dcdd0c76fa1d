"""AWS in this process: moto with its gaps filled, and a queue pump in the place of Lambda's event source mapping."""
