"""`delta` with `missing=infinite` belongs to one class alone: every threshold on it is a candidate."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.engine.measures.objective import Settings
from paretonym.study import SpaceName

INFINITE: Settings = {"delta": {"missing": "infinite"}}
COLUMNS = {
    "age": {"role": "quasi", "type": "integer", "domain": [0, 7], "hierarchy": {"intervals": [2, 4]}},
    "sex": {"role": "quasi", "order": ["f", "m"], "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
}
NODES = tuple(itertools.product(range(4), range(2)))
Row = tuple[int, str, str]
ASKED = (
    ("delta", "loss"),
    ("loss", "delta", "k"),
    ("k", "delta", "loss"),
    ("t", "loss", "delta"),
    ("delta", "alpha", "sl"),
)


def drawn(seed: int, ages: int = 8) -> list[Row]:
    draw = Random(f"infinite {seed}")
    rows = draw.randint(2, 40)
    return [
        (draw.randrange(ages), draw.choice("fm"), draw.choice("vvw" if seed % 2 else "uvw"))
        for _ in range(rows)
    ]


def study_of(rows: Sequence[Row]) -> pn.Study:
    return pn.Study(
        pa.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))), {"columns": COLUMNS}
    )


def delta(ill: Sequence[str], everybody: Counter[str]) -> float:
    own, whole = Counter(ill), everybody.total()
    if set(own) < set(everybody):
        return math.inf
    return max(abs(math.log(own[v] / len(ill) / (everybody[v] / whole))) for v in own)


def values_of(
    classes: list[list[Row]], sizes: tuple[int, int], rows: int, everybody: Counter[str]
) -> dict[str, float]:
    """The measures of classes that stay, by hand."""
    own = [[row[2] for row in each] for each in classes]
    gone = rows - sum(map(len, classes))
    cost = ((sizes[0] - 1) / 7 + (sizes[1] - 1)) / 2
    shares = [{v: ill.count(v) / len(ill) for v in everybody} for ill in own]
    return {
        "k": min(map(len, own)),
        "delta": max(delta(ill, everybody) for ill in own),
        "alpha": max(max(share.values()) for share in shares),
        "t": max(sum(abs(share[v] - everybody[v] / rows) for v in everybody) / 2 for share in shares),
        "sl": gone / rows,
        "loss": (cost * (rows - gone) + gone) / rows,
    }


def candidates(rows: list[Row], asked: Sequence[str], allowed: int) -> Iterator[tuple[float, ...]]:
    """Every node with every pair of thresholds on the first two measures of single classes."""
    everybody, keys = (
        Counter(row[2] for row in rows),
        [name for name in asked if name not in ("loss", "sl")][:2],
    )
    for levels in NODES:
        groups = defaultdict(list)
        for row in rows:
            groups[(row[0], row[0] // 2, row[0] // 4, 0)[levels[0]], (row[1], "*")[levels[1]]].append(row)
        classes, sizes = list(groups.values()), ((1, 2, 4, 8)[levels[0]], (1, 2)[levels[1]])
        alone = [values_of([each], sizes, len(rows), everybody) for each in classes]
        signs = [-1 if name == "k" else 1 for name in keys]
        costs = [[sign * each[name] for sign, name in zip(signs, keys, strict=True)] for each in alone]
        for bounds in itertools.product(*map(set, zip(*costs, strict=True))):
            stay = [
                one
                for one, cost in zip(classes, costs, strict=True)
                if all(map(float.__le__, map(float, cost), map(float, bounds)))
            ]
            if stay and len(rows) - sum(map(len, stay)) <= allowed:
                values = values_of(stay, sizes, len(rows), everybody)
                yield tuple(round(-values[name] if name == "k" else values[name], 8) for name in asked)


@pytest.mark.parametrize("seed", range(60))
def test_every_threshold_is_put_up(seed: int) -> None:
    rows, asked = drawn(seed), ASKED[seed % len(ASKED)]
    share = (0.2, 0.5, 1)[seed % 3]
    every = set(candidates(rows, asked, min(int(share * len(rows) + 1e-9), len(rows) - 1)))
    true = {
        v for v in every if not any(w != v and all(a <= b for a, b in zip(w, v, strict=True)) for w in every)
    }
    for search in ("exact", "exhaustive"):
        front = study_of(rows).explore(
            *asked, space="lattice", search=search, suppress=f"any:{share}", settings=INFINITE, threads=1
        )  # fmt: skip
        found = {tuple(round(-s[name] if name == "k" else s[name], 8) for name in asked) for s in front}
        np.testing.assert_allclose(sorted(found), sorted(true), atol=2e-8)


@pytest.mark.parametrize("space", ["lattice", "local", "cuts"])
@pytest.mark.parametrize("seed", range(3))
def test_the_release_is_what_was_found(seed: int, space: SpaceName, tmp_path: Path) -> None:
    rows = drawn(seed + 7, ages=6)
    study = study_of(rows)
    fewer: Any = {"evaluations": 100} if space == "cuts" else {}
    front = study.explore("delta", "loss", space=space, suppress="any:0.9", settings=INFINITE, **fewer)
    for place, solution in enumerate(front[:: max(1, len(front) // 2)]):
        path = tmp_path / f"{place}.csv"
        made = study.realized(solution.recoding)
        assert made.measure("delta", settings=INFINITE)["delta"] == solution["delta"]
        assert made.suppressed == solution.suppressed
        study.publish(solution, path, allow_second_release=True)
        assert "missing" not in path.with_name(f"{place}.csv.manifest.json").read_text(encoding="utf-8")
        if space != "cuts":
            audit = pn.audit(path, original=study.source, schema=study.schema)
            assert not audit.failed, audit
