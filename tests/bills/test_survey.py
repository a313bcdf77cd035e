"""A folder of exports that nobody described: every bill is in just one glob, and no glob takes what is no bill."""

from __future__ import annotations

from pathlib import Path

import pytest

from attribution.bills import Survey, survey
from schemas.faults import InputError

FOCUS = (
    "BilledCost,EffectiveCost,BillingAccountId,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,"
    "ChargePeriodStart,ChargePeriodEnd,ServiceName\n"
)
AWS = (
    "identity/LineItemId,bill/PayerAccountId,lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UnblendedCost,"
    "lineItem/ProductCode\n"
)
NOTES = "who,what\nmira,ask finance\n"


def folder(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_csv", ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def patterns(found: Survey) -> dict[str, str]:
    return {one.pattern: one.reader for one in found.streams}


def taken(root: Path, found: Survey) -> list[str]:
    """Names that the globs match, repeated where two take one."""
    return sorted(path.relative_to(root).as_posix() for one in found.streams for path in root.glob(one.pattern))


def test_a_folder_of_one_format_is_one_stream_however_deep(tmp_path: Path) -> None:
    root = folder(tmp_path, aws__2026_09__a_csv=AWS, aws__2026_10__b_csv=AWS, cloud__c_csv=FOCUS)
    assert patterns(survey(root)) == {"aws/**/*.csv": "aws-cur", "cloud/**/*.csv": "focus"}


def test_names_tell_formats_that_share_a_folder(tmp_path: Path) -> None:
    root = folder(tmp_path, x__cur_1_csv=AWS, x__cur_2_csv=AWS, x__focus_1_csv=FOCUS, x__focus_2_csv=FOCUS)
    found = survey(root)
    assert patterns(found) == {"x/cur_*.csv": "aws-cur", "x/focus_*.csv": "focus"}
    assert taken(root, found) == ["x/cur_1.csv", "x/cur_2.csv", "x/focus_1.csv", "x/focus_2.csv"]


@pytest.mark.parametrize("names", [("a1_csv", "a2_csv"), ("may_csv", "june_csv"), ("[x]_csv", "b*_csv")])
def test_where_names_do_not_tell_each_file_is_named(tmp_path: Path, names: tuple[str, str]) -> None:
    aws, focus = names
    root = folder(tmp_path, **{aws: AWS, focus: FOCUS})
    found = survey(root)
    assert taken(root, found) == sorted(name.replace("_csv", ".csv") for name in names)
    assert sorted(one.reader for one in found.streams) == ["aws-cur", "focus"]


def test_what_is_no_bill_is_in_no_glob_and_is_named_with_its_columns(tmp_path: Path) -> None:
    root = folder(tmp_path, bills__a_csv=FOCUS, bills__notes_csv=NOTES, bills__deep__b_csv=FOCUS)
    found = survey(root)
    assert taken(root, found) == ["bills/a.csv", "bills/deep/b.csv"]
    assert [(one.name, one.columns) for one in found.unknown] == [("bills/notes.csv", ("who", "what"))]


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    root = folder(tmp_path, good_csv=FOCUS, empty_csv="")
    found = survey(root)
    assert taken(root, found) == ["good.csv"]
    assert [one.name for one in found.unknown] == ["empty.csv"]
    assert "0 bytes" in found.unknown[0].reason


def test_a_folder_without_files_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file matches"):
        survey(tmp_path)


def test_what_lies_in_a_folder_apart_is_not_looked_at(tmp_path: Path) -> None:
    root = folder(tmp_path, bills__a_csv=FOCUS, ledger__charges__b_csv=FOCUS)
    assert patterns(survey(root, [root / "ledger"])) == {"bills/**/*.csv": "focus"}
