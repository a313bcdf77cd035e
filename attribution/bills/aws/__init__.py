"""AWS's cost and usage reports."""
