"""Detectors whose evidence is the inventory beside the bill. One a file."""
