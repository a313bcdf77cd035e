"""Detectors whose evidence is what machines measured. One a file."""
