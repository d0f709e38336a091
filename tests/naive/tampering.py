"""Releases that somebody has changed: file and manifest are made to agree again, so that digests, claims and
statements hold whatever was done."""

from __future__ import annotations

import copy
import csv
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

import paretonym
from paretonym.base.errors import ParetonymError
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
from tests.naive.releases import in_order, write_table

DATA = Path(__file__).parents[1] / "reference" / "data" / "people"
ORIGINAL, SCHEMA = DATA / "people.csv", DATA / "people.toml"
SPACES = ("lattice", "local", "cuts", "mondrian")
BUCKETS = ("buckets", "anatomy")


@dataclass
class Release:
    """A release taken apart: the cells of its file and its manifest."""

    names: list[str]
    rows: list[tuple[str, ...]]
    manifest: dict[str, Any]

    def column(self, name: str) -> int:
        return self.names.index(name)

    def look(self, row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(row[self.column(name)] for name in ("age", "zip", "sex"))


Change = Callable[[Release], None]


def recodings(study: Study) -> dict[str, Any]:
    ages, zips, sexes = (column.hierarchy.leaves for column in study.bound.quasi)
    # Where the schema's own intervals meet: a boundary may be shown there whoever is near it.
    first, second = (next(place for place, age in enumerate(ages) if int(age) >= least) for least in (40, 60))
    groups = (
        ("age", (ages[:first], ages[first:second], ages[second:])),
        ("zip", (zips,)),
        ("sex", tuple((sex,) for sex in sexes)),
    )
    nodes = tuple((("age", age), ("zip", masked), ("sex", 0)) for age, masked in ((1, 2), (2, 4), (3, 4)))
    sizes = sorted(CutsRecoding(groups, ()).made(study.cube).rows.tolist())
    return {
        "lattice": LatticeRecoding.of({"age": 3, "zip": 3, "sex": 0}, {"k": ">=5"}),
        "local": LocalRecoding(nodes, parse_keep({"k": ">=5"})),
        # Four of six classes stay.
        "cuts": CutsRecoding(groups, parse_keep({"k": f">={sizes[2]}"})),
        "mondrian": PartsRecoding.of({"k": 5}),
        "buckets": BucketsRecoding.of({"k": 10}),
        "anatomy": BucketsRecoding.of({"l": 2}, "anatomy"),
    }


def make_releases(folder: Path) -> Path:
    """One release of each space, as CSV and as Parquet."""
    study = Study(ORIGINAL, SCHEMA)
    for name, recoding in recodings(study).items():
        realized = study.realized(recoding)
        for kind in ("csv", "parquet"):
            study.publish(
                Solution("", {}, realized.suppressed, recoding),
                folder / f"{name}.{kind}",
                allow_second_release=True,
            )
    return folder


def taken_apart(path: Path) -> Release:
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return Release(names, [tuple(row) for row in rows], json.loads(beside(path).read_text(encoding="utf-8")))


def beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.manifest.json")


def bucket_files(path: Path) -> list[Path]:
    """The three files of a release in buckets."""
    return [path.with_name(name) for name in (f"{path.stem}.qit.csv", f"{path.stem}.st.csv", path.name)]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(release: Release, path: Path, sort: bool = True) -> None:
    """The cells as a file, in the way of releases, and the manifest with its digest."""
    rows = in_order(release.rows) if sort else release.rows
    if path.suffix == ".csv":
        write_table(path, release.names, rows)
    else:
        columns = [
            pa.array([cell or None for cell in column], pa.string()) for column in zip(*rows, strict=True)
        ]
        write_parquet(pa.table(dict(zip(release.names, columns, strict=True))), path)
    release.manifest["output"]["rows"] = len(rows)
    sign(path, release.manifest)


def write_parquet(table: pa.Table, path: Path) -> None:
    """As releases are written: texts with sorted dictionaries."""
    columns = []
    for column in table.columns:
        values = column.unique().drop_null()
        values = values.take(pa.compute.sort_indices(values))
        places = pa.compute.index_in(column.combine_chunks(), value_set=values)
        columns.append(pa.DictionaryArray.from_arrays(places, values))
    parquet.write_table(
        pa.table(columns, names=table.column_names), path, store_schema=False, row_group_size=1 << 20
    )


def sign(path: Path, manifest: dict[str, Any]) -> None:
    manifest["output"]["sha256"] = digest(path)
    beside(path).write_text(json.dumps(manifest), encoding="utf-8")


def forge(path: Path, manifest: dict[str, Any]) -> None:
    """Claims and statements as they are now."""
    manifest = copy.deepcopy(manifest)
    try:
        found = paretonym.audit(path, original=ORIGINAL, schema=SCHEMA)
    except ParetonymError:
        return
    for check in found.checks:
        if check.kind in ("claim", "statement") and isinstance(check.found, float | int):
            part = manifest["claims" if check.kind == "claim" else "statements"]
            if check.name in part:
                value = round(check.found, 3) if check.kind == "statement" else check.found
                part[check.name] = "inf" if math.isinf(value) else value
    stated = manifest["statements"]
    if {"gl", "sl", "loss"} <= set(stated):
        stated["loss"] = round(stated["gl"] + stated["sl"], 3)
    sign(path, manifest)


def verdict(path: Path) -> dict[str, str]:
    """What fails with everything at hand, and why; a refusal is a failure too."""
    try:
        found = paretonym.audit(path, original=ORIGINAL, schema=SCHEMA)
    except ParetonymError as error:
        return {"refused": str(error)}
    return {check.name: check.why for check in found.failed}
