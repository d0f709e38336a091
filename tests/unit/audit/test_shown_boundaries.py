"""Boundaries in labels: what one person's value decides fails beside the original."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pyarrow as pa

import paretonym
from tests.naive.tampering import beside, sign, taken_apart, write

COLUMNS = {
    "income": {"role": "quasi", "hierarchy": {"intervals": [1000]}},
    "town": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
}


def people() -> pa.Table:
    """Ninety people of one town, poor or rich, and a stranger between them, who is suppressed."""
    draw = Random(5)
    rows = [(draw.randrange(20000, 40000, 1000), "A", draw.choice("uvw")) for _ in range(60)]
    rows += [(draw.randrange(900000, 999000, 1000), "A", draw.choice("uvw")) for _ in range(30)]
    rows.append((487654, "B", "x"))
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)})


def test_a_boundary_that_shows_one_persons_value_fails(tmp_path: Path) -> None:
    table, schema, path = people(), {"columns": COLUMNS}, tmp_path / "r.csv"
    run = paretonym.Study(table, schema).explore("k", "loss", space="cuts", evaluations=3000)
    next(each for each in run if each["k"] == 30).release(path)
    assert paretonym.audit(path, schema=schema, original=table)
    release = taken_apart(path)
    (high,) = {row[0] for row in release.rows if row[0].endswith("+")}
    edge = high.removesuffix("+")
    release.rows = [(row[0].replace(edge, "487654"), *row[1:]) for row in release.rows]
    labels = sorted({row[0] for row in release.rows})
    assert "487654+" in labels
    release.manifest["recoding"]["labels"]["income"] = labels
    write(release, path)
    sign(path, json.loads(beside(path).read_text()))
    found = paretonym.audit(path, schema=schema, original=table)
    assert [check.name for check in found.failed] == ["boundaries"]
    alone = paretonym.audit(path, schema=schema)
    assert "boundaries" in [check.name for check in alone.undecided]
