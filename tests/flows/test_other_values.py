"""Values that carry little are shown as `other`, in views of their own; nothing is lost and nothing else changes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from small_workspace import AS_OF, RULES, attribution, charge, published, workspace

from attribution.ledger import query


def test_small_values_are_one_and_can_be_told_apart_again(tmp_path: Path) -> None:
    rows = [
        charge("2026-10-01", "99.999999999999", project="a"),
        charge("2026-10-02", "100", project="b", ResourceId="i-2"),
        charge("2026-10-03", "-99", project="c", ResourceId="i-3"),
        charge("2026-09-03", "500", project="c", ResourceId="i-3"),
        charge("2026-10-03", "-100", project="d", ResourceId="i-4"),
        charge("2026-10-04", "5", project="", ResourceId="i-5"),
        charge("2026-10-04", "7", project="e", ResourceId="i-6", EffectiveCost=""),
        charge("2026-10-05", "3", project="a", ResourceId="i-7", BillingCurrency="EUR"),
    ]
    root = workspace(tmp_path, rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    plain = published(root, "other_values", "shown_months", "costs")  # whose rows carry the version of the rules
    assert query(root / "ledger", "FROM other_values").is_empty()
    limited = RULES.replace("[dimension.project]", "[dimension.project]\nother_below = 100")
    (root / "rules.toml").write_text(limited, encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert published(root, "other_values", "shown_months", "costs") == plain
    found = query(
        root / "ledger",
        """SELECT month(billing_month), BillingCurrency, shown_value, values_together, EffectiveCost
           FROM shown_months WHERE dimension = 'project' ORDER BY ALL""",
    )
    assert found.rows() == [
        (9, "USD", "c", 1, Decimal(500)),
        (10, "EUR", "other", 1, Decimal(3)),
        (10, "USD", "b", 1, Decimal(100)),
        (10, "USD", "d", 1, Decimal(-100)),
        (10, "USD", "e", 1, None),
        (10, "USD", "other", 2, Decimal("0.999999999999")),
        (10, "USD", "unallocated", 1, Decimal(5)),
    ]
    told = query(root / "ledger", "SELECT value, EffectiveCost, other_below FROM other_values ORDER BY ALL").rows()
    assert told == [
        ("a", Decimal(3), Decimal(100)),
        ("a", Decimal("99.999999999999"), Decimal(100)),
        ("c", Decimal(-99), Decimal(100)),
    ]
