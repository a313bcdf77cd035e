"""FOCUS exports of any provider, and what FOCUS delivers beside them."""
