"""One Report, many faces: text, terminal, page, mail, CSV, charts. Start at `report.py`, then `build.py`."""
