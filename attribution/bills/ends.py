"""Where periods end: the moment after in FOCUS, the last day or minute in many a bill, and in some bills nowhere."""

from __future__ import annotations

import polars as pl

from attribution.bills.charge_rows import Reading
from schemas.instants import day_after


def settle_ends(reading: Reading) -> None:
    """Ends as the moment after; a charge without one ends with the day on which it starts, on the source's clock."""
    zone = reading.source.timezone
    if reading.source.ends == "last":
        for name in ("ChargePeriodEnd", "BillingPeriodEnd"):
            local = reading.get(name).dt.convert_time_zone(zone)
            day, minute = local.dt.offset_by("1d"), local.dt.truncate("1m").dt.offset_by("1m")
            midnight = local == local.dt.truncate("1d")
            reading.columns[name] = minute.zip_with(~midnight, day).dt.convert_time_zone("UTC")
    tomorrow = day_after(reading.get("ChargePeriodStart"), zone)
    end = pl.select(pl.coalesce(reading.get("ChargePeriodEnd"), tomorrow)).to_series()
    reading.columns["ChargePeriodEnd"] = end
