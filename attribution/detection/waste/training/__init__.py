"""Detectors whose evidence is jobs, runs and checkpoints. One a file."""
