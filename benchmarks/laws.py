"""The laws of splits over ten thousand generated worlds: nothing lost, every share as an oracle in fractions has it.

Usage: python benchmarks/laws.py [WORLDS]. The worlds and the oracle are those of the tests (tests/laws_fractions.py).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from test_laws_splits import hold

WORLDS = 10_000


def main(worlds: int = WORLDS) -> None:
    """Hold the laws over so many worlds and print how long it took; the first that breaks one ends it."""
    started = time.perf_counter()
    held = seed = 0
    while held < worlds:
        held += hold(seed)
        seed += 1
    seconds = time.perf_counter() - started
    print(f"laws of splits: {held:,} worlds hold, {seconds:.1f} s ({held / seconds:,.0f} worlds a second)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
