"""Detectors whose evidence is the bill alone. One a file."""
