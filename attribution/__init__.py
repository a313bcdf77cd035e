"""The craft: plain functions from frames to frames. No Prefect, no wall clock."""
