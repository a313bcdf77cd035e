"""JSON in cells that Python reads and no text or stack can hold: it spoils its own row and nothing else."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from bills_kit import csv_text, focus_text, look, put, read_delivery, read_only

GOLDEN = Path(__file__).parent / "golden"
ODD = [
    '{"project": "\\ud83d"}',
    '{"\\uD83D": "a"}',
    '[{"key": "a", "value": "\\ud83d"}]',
    "[{'name': '\\ud83d', 'amount': 5}]",
    "[" * 60_000,
    '{"a":' * 60_000,
    "[{'a':" * 3_000,
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_tags_that_no_text_can_hold_are_refused_alone(tmp_path: Path, odd: str) -> None:
    put(tmp_path, "b.csv", focus_text({"Tags": odd}, {"Tags": '{"project": "a"}'}))
    bill = read_only(tmp_path)
    assert bill.texts("Tags") == [None, '{"project":"a"}']
    assert [(line, column) for line, column, *_ in bill.why()] == [(2, "Tags")]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    ("golden", "columns"),
    [("gcp", ["credits", "labels", "system_labels"]), ("aws_cur2", ["product", "discount", "resource_tags"])],
)
def test_nested_cells_of_bills_never_stop_a_run(tmp_path: Path, golden: str, columns: list[str], odd: str) -> None:
    with (GOLDEN / f"{golden}.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for column in columns:
        changed = [dict(row) for row in rows]
        changed[0][column] = odd
        put(tmp_path, f"{column}/b.csv", csv_text(changed, list(rows[0])))
        read_delivery(look(tmp_path, f"{column}/*").deliveries[0])


@pytest.mark.parametrize("odd", ['"\\ud83d"', "[" * 60_000 + "]" * 60_000])
def test_a_line_of_json_is_refused_alone(tmp_path: Path, odd: str) -> None:
    row = json.dumps({"day": "2026-09-01", "org": "7", "Amount": 5})
    put(tmp_path, "b.jsonl", f'{row}\n{row[:-1]}, "x": {odd}}}\n{row}\n')
    columns = {"BillingAccountId": "org", "ChargePeriodStart": "day", "BilledCost": "Amount"}
    bill = read_only(tmp_path, format="generic-csv", columns=columns, constants={"BillingCurrency": "USD"})
    assert (bill.total("BilledCost"), [line for line, *_ in bill.why()]) == (10, [2])
