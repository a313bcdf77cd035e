"""Nodes: machines that many use at once, each divided by the hour among those that ran on it."""

from attribution.allocation.nodes.divide import Shared, divide_nodes

__all__ = ["Shared", "divide_nodes"]
