"""Databricks's usage and list prices."""
