"""What widgets of the page hold between two runs of it."""

from __future__ import annotations

import streamlit as st

_PREFIX = "w:"


def seed(name: str, value: object) -> str:
    """The key of a widget, which has this value until somebody chooses."""
    key = f"{_PREFIX}{name}"
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def forget() -> None:
    """Let every widget begin anew."""
    for key in [key for key in st.session_state if isinstance(key, str) and key.startswith(_PREFIX)]:
        del st.session_state[key]
