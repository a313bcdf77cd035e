"""What a skilled analyst writes in an afternoon: tags, a hundred rules as one CASE, a group by. Three times over.

The bill's tags and the dated register say project, stage, owner and experiment; a rule goes before them. Left out is
what makes figures sure: checks and rejects, what was delivered twice, exact money (but in SQL), tags of parents, shared
costs, a reason for every share, the proof that nothing is lost.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from world import rules

COUNT = 100
NAMES = ("project", "stage", "owner", "experiment")
TAGGED = (*NAMES, "pod")
COSTS = ("BilledCost", "EffectiveCost", "ContractedCost", "ListCost")
BY = ("day", *NAMES, "ServiceName", "RegionId", "SubAccountId", "SkuId")
READ = ("ResourceId", "ResourceName", "ServiceName", "ServiceCategory", "SubAccountId", "RegionId", "SkuId",
        "PricingCategory", "Tags", "ChargePeriodStart", *COSTS)  # fmt: skip
Ask = Callable[[str, str, Any], Any]
"""Column, word, argument -> the condition in some engine's terms."""


def asked(
    when: Mapping[str, Any], ask: Ask, every: Callable[[list[Any]], Any], some: Callable[[list[Any]], Any]
) -> Any:  # noqa: ANN401
    """One rule's condition in some engine's terms."""
    parts = []
    for column, value in when.items():
        if column == "any":
            parts.append(some([asked(one, ask, every, some) for one in value]))
        elif column == "cost_element":
            parts.append(ask("ServiceCategory", "equals", "Networking"))
        else:
            name = f"tag_{column.removeprefix('tag:')}" if column.startswith("tag:") else column
            words = value.items() if isinstance(value, dict) else [("equals", value)]
            parts += [ask(name, word, argument) for word, argument in words]
    return every(parts)


@cache
def book() -> list[dict[str, Any]]:
    """A hundred rules, read once: what is written by hand is there before the clock starts."""
    found: list[dict[str, Any]] = tomllib.loads(rules(COUNT))["rule"]
    return found


def by_sql(root: Path) -> dict[str, Any]:
    """In DuckDB, money as decimals."""
    import duckdb  # noqa: PLC0415

    def text(value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def ask(column: str, word: str, value: Any) -> str:  # noqa: ANN401
        return {
            "equals": lambda: f"{column} = {text(value)}",
            "not": lambda: f"{column} IS DISTINCT FROM {text(value)}",
            "any_of": lambda: f"{column} IN ({', '.join(map(text, value))})",
            "glob": lambda: f"{column} GLOB {text(value)}",
            "regex": lambda: f"regexp_matches({column}, {text(value)})",
            "present": lambda: f"{column} IS NOT NULL",
            "missing": lambda: f"{column} IS NULL",
        }[word]()

    def said(name: str) -> str:
        cases = " ".join(
            f"WHEN {asked(one['when'], ask, _sql_and, _sql_or)} THEN {text(one['assign'][name])}"
            for one in book() if name in one["assign"]
        )  # fmt: skip
        register = "register.value, " if name == "project" else ""
        return f"coalesce(CASE {cases} END, {register}tag_{name}, 'unallocated') AS {name}"

    tags = ", ".join(f"coalesce(Tags ->> '$.{name}', Tags ->> '$.{name.title()}') AS tag_{name}" for name in TAGGED)
    sums = ", ".join(f"sum({name}::DECIMAL(38, 12)) AS {name}" for name in COSTS)
    target = root / "by_hand.parquet"
    con = duckdb.connect()
    con.execute("SET threads = 2; SET preserve_insertion_order = false; SET TimeZone = 'UTC'")
    book()
    started, busy = time.perf_counter(), time.process_time()
    con.execute(
        f"""
        COPY (
            WITH sets AS MATERIALIZED (
                SELECT Tags, {tags} FROM (SELECT DISTINCT Tags FROM '{root}/bills/*.parquet')
            ),
            bill AS (
                SELECT b.*, s.* EXCLUDE Tags, b.ChargePeriodStart::DATE AS day
                FROM '{root}/bills/*.parquet' AS b JOIN sets AS s ON b.Tags IS NOT DISTINCT FROM s.Tags
            ),
            named AS (
                SELECT bill.*, {", ".join(map(said, NAMES))}
                FROM bill LEFT JOIN '{root}/tags/register.csv' AS register
                ON register.resource_id = ResourceId AND register.key = 'project'
                    AND day >= coalesce(register.valid_from, '0001-01-01'::DATE)
                    AND day < coalesce(register.valid_to, '9999-12-31'::DATE)
            )
            SELECT {", ".join(BY)}, {sums} FROM named GROUP BY ALL
        ) TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)
        """
    )
    found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    ((rows, total),) = con.execute(f"SELECT count(*), sum(BilledCost) FROM '{target}'").fetchall()
    target.unlink()
    return found | {"rows": rows, "billed": str(total)}


def by_polars(root: Path) -> dict[str, Any]:
    """In polars, money as floats."""
    import polars as pl  # noqa: PLC0415

    def ask(column: str, word: str, value: Any) -> pl.Expr:  # noqa: ANN401
        col = pl.col(column)
        return {
            "equals": lambda: col == value,
            "not": lambda: col.ne_missing(value),
            "any_of": lambda: col.is_in(value),
            "glob": lambda: col.str.contains(_pattern(value)),
            "regex": lambda: col.str.contains(value),
            "present": col.is_not_null,
            "missing": col.is_null,
        }[word]()

    def said(name: str) -> pl.Expr:
        cases = [
            pl.when(asked(one["when"], ask, pl.all_horizontal, pl.any_horizontal)).then(pl.lit(one["assign"][name]))
            for one in book() if name in one["assign"]
        ]  # fmt: skip
        register = ["value"] if name == "project" else []
        return pl.coalesce(*cases, *register, f"tag_{name}", pl.lit("unallocated")).alias(name)

    target = root / "by_hand.parquet"
    book()
    started, busy = time.perf_counter(), time.process_time()
    bill = pl.scan_parquet(f"{root}/bills/*.parquet").select(READ).with_columns(
        pl.col("ChargePeriodStart").dt.date().alias("day")
    )  # fmt: skip
    sets = bill.select("Tags").unique().collect().get_column("Tags")
    spread = pl.DataFrame(
        [_tags(one) for one in sets], schema=dict.fromkeys((f"tag_{name}" for name in TAGGED), pl.String)
    )
    register = pl.read_csv(f"{root}/tags/register.csv", try_parse_dates=True).lazy().filter(pl.col("key") == "project")
    dated = (
        bill.select("ResourceId", "day").unique()
        .join(register, left_on="ResourceId", right_on="resource_id")
        .filter((pl.col("valid_from") <= pl.col("day")).fill_null(value=True))
        .filter((pl.col("day") < pl.col("valid_to")).fill_null(value=True))
        .select("ResourceId", "day", "value")
    )  # fmt: skip
    told = (
        bill.join(spread.with_columns(sets.alias("Tags")).lazy(), on="Tags", how="left", nulls_equal=True)
        .join(dated, on=["ResourceId", "day"], how="left")
        .with_columns(said(name) for name in NAMES)
        .group_by(BY).agg(pl.col(COSTS).sum())
        .collect()
    )  # fmt: skip
    told.write_parquet(target, compression="zstd", compression_level=1)
    found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    target.unlink()
    return found | {"rows": told.height, "billed": f"{told.get_column('BilledCost').sum():.12f}"}


def by_pandas(root: Path) -> dict[str, Any]:
    """In pandas, money as floats: text as categories, so that each condition looks at every value once."""
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    target = root / "by_hand.parquet"
    book()
    started, busy = time.perf_counter(), time.process_time()
    bill = pd.read_parquet(root / "bills", columns=list(READ))
    bill["day"] = bill["ChargePeriodStart"].dt.tz_convert("UTC").dt.floor("D").dt.tz_localize(None)
    texts = [name for name in READ if bill[name].dtype == bill["Tags"].dtype]
    bill[texts] = bill[texts].astype("category")
    sets = bill["Tags"].cat
    told = [_tags(one) for one in sets.categories]
    for name in TAGGED:
        values = pd.array([one[f"tag_{name}"] for one in told] + [None], dtype="object")
        bill[f"tag_{name}"] = pd.Series(values[sets.codes], index=bill.index).astype("category")

    def ask(column: str, word: str, value: Any) -> Any:  # noqa: ANN401
        known, codes = bill[column].cat.categories, bill[column].cat.codes.to_numpy()
        if word in ("present", "missing"):
            return (codes >= 0) == (word == "present")
        pattern = re.compile(_pattern(value) if word == "glob" else value) if word in ("glob", "regex") else None
        here = np.array(
            [one in value if word == "any_of" else pattern.search(one) is not None if pattern else one == value
             for one in known] + [False]
        )  # fmt: skip
        return ~here[codes] if word == "not" else here[codes]

    conditions = [asked(one["when"], ask, np.logical_and.reduce, np.logical_or.reduce) for one in book()]
    register = pd.read_csv(root / "tags" / "register.csv", parse_dates=["valid_from", "valid_to"])
    dated = bill[["ResourceId", "day"]].reset_index().merge(register, left_on="ResourceId", right_on="resource_id")
    dated = dated[~(dated["valid_from"] > dated["day"]) & ~(dated["valid_to"] <= dated["day"])]
    for name in NAMES:
        rest = bill[f"tag_{name}"].astype("object").fillna("unallocated")
        if name == "project":
            rest.loc[dated["index"]] = dated["value"].to_numpy()
        mine = [at for at, one in enumerate(book()) if name in one["assign"]]
        answers = [book()[at]["assign"][name] for at in mine]
        bill[name] = pd.Categorical(np.select([conditions[at] for at in mine], answers, rest.to_numpy()))
    sums = bill.groupby(list(BY), observed=True, dropna=False)[list(COSTS)].sum().reset_index()
    sums.to_parquet(target, compression="zstd")
    found = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    target.unlink()
    return found | {"rows": len(sums), "billed": f"{sums['BilledCost'].sum():.12f}"}


def _tags(text: str | None) -> dict[str, str | None]:
    """Tags of one set under their names in small letters."""
    known = {key.lower(): value for key, value in json.loads(text or "{}").items()}
    return {f"tag_{name}": known.get(name) for name in TAGGED}


def _pattern(glob: str) -> str:
    """A glob of `*` and `?` as a pattern that every engine reads."""
    return "^" + re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".") + "$"


def _sql_and(parts: list[str]) -> str:
    return f"({' AND '.join(parts)})"


def _sql_or(parts: list[str]) -> str:
    return f"({' OR '.join(parts)})"


PEERS = {"SQL by hand": by_sql, "polars by hand": by_polars, "pandas by hand": by_pandas}
