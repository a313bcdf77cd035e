"""Azure's names of regions as the one id each has: `uksouth` for `UK South`, `uksouth` and `UKSouth`.

Meters name the country first and the direction last (`US East 2`, `EU West`); the ids turn both round. Source: the
list of regions in Azure's public documentation.
"""

from __future__ import annotations

import re

import polars as pl

_MARKS = re.compile(r"[\s\-()]+")
# Name as meters have it, without blanks -> id.
_METERS = {
    "apeast": "eastasia",
    "apsoutheast": "southeastasia",
    "aucentral": "australiacentral",
    "aucentral2": "australiacentral2",
    "aueast": "australiaeast",
    "ausoutheast": "australiasoutheast",
    "brsouth": "brazilsouth",
    "brsoutheast": "brazilsoutheast",
    "cacentral": "canadacentral",
    "caeast": "canadaeast",
    "chnorth": "switzerlandnorth",
    "chwest": "switzerlandwest",
    "denorth": "germanynorth",
    "dewestcentral": "germanywestcentral",
    "escentral": "spaincentral",
    "eunorth": "northeurope",
    "euwest": "westeurope",
    "frcentral": "francecentral",
    "frsouth": "francesouth",
    "ilcentral": "israelcentral",
    "incentral": "centralindia",
    "insouth": "southindia",
    "inwest": "westindia",
    "itnorth": "italynorth",
    "jaeast": "japaneast",
    "jawest": "japanwest",
    "krcentral": "koreacentral",
    "krsouth": "koreasouth",
    "mxcentral": "mexicocentral",
    "noeast": "norwayeast",
    "nowest": "norwaywest",
    "plcentral": "polandcentral",
    "qacentral": "qatarcentral",
    "secentral": "swedencentral",
    "sesouth": "swedensouth",
    "uscentral": "centralus",
    "useast": "eastus",
    "useast2": "eastus2",
    "usnorthcentral": "northcentralus",
    "ussouthcentral": "southcentralus",
    "uswest": "westus",
    "uswest2": "westus2",
    "uswest3": "westus3",
    "uswestcentral": "westcentralus",
    "zanorth": "southafricanorth",
    "zawest": "southafricawest",
}


def region_ids(names: pl.Series) -> pl.Series:
    """The id of each region; a name that is not in the table is taken for one in another spelling."""
    read = {name: _MARKS.sub("", name.lower()) for name in names.drop_nulls().unique().to_list()}
    ids = {name: _METERS.get(plain, plain) for name, plain in read.items()}
    return names.replace_strict(ids, return_dtype=pl.String)
