"""Azure's cost details."""
