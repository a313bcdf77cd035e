"""The ground: what a row is. One file a noun; imports polars, pandera and the standard library alone."""
