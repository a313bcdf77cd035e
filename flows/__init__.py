"""The roof: order, clock, environment and settings. `steps.py` says the order once, without Prefect."""
