"""The roof: order, clock, environment and settings. `steps.py` says the order once, without Prefect."""

import os

# polars' allocator gives memory back to the system after half a second and then fetches it anew, batch after batch:
# a tenth of a night's time. It reads this once, when polars is imported, which is after this line.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:5000,muzzy_decay_ms:5000")
