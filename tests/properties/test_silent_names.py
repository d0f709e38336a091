"""Names in a release of cuts (masks, trees, orders) tell nothing of rows that are not in it: tables that
differ in suppressed rows give equal bytes, and the audit and added rows agree."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.engine.measures.recoded_counts import meeting
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.cuts.genome_space import GenomeSpace
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study

K = 3
NAMES = ("code", "town", "rank", "mood", "age", "ill")
Row = tuple[str | None, ...]
TREE = {"North": ["Aa", "Bb"], "South": {"S1": ["Cc"], "S2": ["Dd", "Ee"]}}
RANKS = ["low", "mid", "high", "top"]
COLUMNS: dict[str, dict[str, Any]] = {
    "code": {"role": "quasi", "hierarchy": {"mask": 3}, "missing": "value"},
    "town": {"role": "quasi", "hierarchy": {"tree": TREE}},
    "rank": {"role": "quasi", "order": RANKS, "hierarchy": {"flat": True}, "missing": "value"},
    "mood": {"role": "quasi", "hierarchy": {"flat": True}},
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
    "ill": {"role": "sensitive"},
}  # fmt: skip


def person(draw: Random, rare: bool) -> Row:
    code = draw.choice("129" if rare else "12") + draw.choice("03") + draw.choice("12")
    return (
        None if rare and draw.random() < 0.1 else code,
        draw.choice(("Aa", "Bb", "Cc", "Dd", "Ee") if rare else ("Aa", "Cc")),
        draw.choice(("low", "mid", "high", "top", None) if rare else ("low", "high")),
        draw.choice("abc" if rare else "ab"),
        str(draw.randrange(20, 60)),
        draw.choice("uvw"),
    )  # fmt: skip


def study_of(rows: list[Row], columns: tuple[str, ...]) -> Study:
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(NAMES)})
    schema = {"columns": {name: COLUMNS[name] if name in columns else {"role": "drop"} for name in NAMES}}
    return Study(table, schema)


def drawn_recoding(study: Study, generator: np.random.Generator) -> CutsRecoding:
    space = GenomeSpace.of(study.cube)
    return CutsRecoding.of(space, space.random(1, generator)[0], parse_keep({"k": f">={K}"}))


def staying(study: Study, recoding: CutsRecoding, rows: list[Row]) -> list[bool]:
    """Which rows stay, found by the class of their values."""
    made = recoding.made(study.cube)
    stays = meeting(study.cube, made, recoding.keep)
    of_row = np.ones(len(rows), dtype=bool)
    codes = []
    for axis, column in zip(study.cube.axes, study.bound.quasi, strict=True):
        texts = [row[NAMES.index(axis.name)] for row in rows]
        place = {text: number for number, text in enumerate(axis.hierarchy.leaves)}
        missing = len(axis.hierarchy.leaves) - 1
        leaves = np.array([missing if text is None else place[text] for text in texts])
        codes.append(column.hierarchy.levels[axis.lowest].groups[leaves])
    tuples = {tuple(group): number for number, group in enumerate(study.cube.groups.tolist())}
    for place_of_row, group in enumerate(zip(*(code.tolist() for code in codes), strict=True)):
        of_row[place_of_row] = stays[made.of_tuple[tuples[tuple(group)]]]
    return of_row.tolist()


def restricted(recoding: CutsRecoding, study: Study) -> CutsRecoding:
    """The same groups, of the values that another table has."""
    leaves = {column.name: set(column.hierarchy.leaves) for column in study.bound.quasi}
    groups = tuple(
        (
            name,
            tuple(
                kept for group in groups if (kept := tuple(leaf for leaf in group if leaf in leaves[name]))
            ),
        )
        for name, groups in recoding.groups
    )
    return CutsRecoding(groups, recoding.keep)


def published(study: Study, recoding: CutsRecoding, path: Path) -> tuple[bytes, Any, Any, Any]:
    study.publish(Solution("", {}, 0, recoding), path, allow_second_release=True)
    manifest = json.loads(path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8"))
    return path.read_bytes(), manifest["recoding"], manifest["claims"], manifest["statements"]["gl"]


@pytest.mark.parametrize(
    "columns",
    [("code", "mood"), ("town", "mood"), ("rank", "mood"), ("code", "rank", "age")],
    ids=lambda columns: "-".join(columns),
)
@pytest.mark.parametrize("seed", range(10))
def test_suppressed_rows_change_no_byte(seed: int, columns: tuple[str, ...], tmp_path: Path) -> None:
    draw, generator = Random(f"names {seed}"), np.random.default_rng(seed)
    rows = [person(draw, False) for _ in range(40)] + [person(draw, True) for _ in range(8)]
    study, stay = study_of(rows, (*columns, "ill")), []
    for _ in range(50):
        recoding = drawn_recoding(study, generator)
        stay = staying(study, recoding, rows)
        shown = any(stay) and not all(stay)
        if shown and not recoding.hidden(study.cube).any():
            break
    else:
        pytest.skip("nothing is suppressed, or no cut can be shown")
    whole = published(study, recoding, tmp_path / "whole.csv")
    assert whole[0].count(b"\n") == sum(stay) + 1
    if "age" not in columns:
        audit = pn.audit(tmp_path / "whole.csv", original=study.source, schema=study.schema)
        assert not audit.failed, audit
    new = [person(draw, True) for _ in range(10)]
    added = pa.table({name: pa.array([row[i] for row in new], pa.string()) for i, name in enumerate(NAMES)})
    applied = []
    for place, share in enumerate((1, 0.5, 0)):
        kept = [row for row, stays in zip(rows, stay, strict=True) if stays or draw.random() < share]
        other = study_of(kept, (*columns, "ill"))
        same = restricted(recoding, other)
        found = published(other, same, tmp_path / f"{place}.csv")
        assert found[:3] == whole[:3]
        # How many are left out is told in blocks of k.
        k = int(whole[2]["k"])
        assert found[3] == whole[3] or (len(kept) - sum(stay)) // k != (len(rows) - sum(stay)) // k
        path = tmp_path / f"applied-{place}.csv"
        try:
            other.apply(same, added, path, allow_second_release=True)
        except pn.NoSolution as none:
            path.write_text(str(none), encoding="utf-8")
        applied.append(path.read_bytes())
    assert len(set(applied)) == 1


def test_a_prefix_does_not_tell_of_another_one(tmp_path: Path) -> None:
    """Forty people whose code begins with 1, and one suppressed of 990: `***`, and so says the audit."""
    rows = [(f"1{i % 3}{i % 4}", "ab"[i % 2], "uvw"[i % 3]) for i in range(40)] + [("990", "a", "u")]
    table = pa.table(dict(zip(("zip", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True)))
    columns = {
        "zip": {"role": "quasi", "hierarchy": {"mask": 3}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
    study = Study(table, {"columns": columns})
    front = study.explore("k", "loss", space="cuts", suppress="5%", seed=0, evaluations=200)
    path = tmp_path / "r.csv"
    for solution in front:
        study.publish(solution, path, force=True, allow_second_release=True)
        cells = {row[0] for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8")))}
        assert not cells & {"1**", "9**"}
        assert solution["loss"] == pytest.approx(study.realized(solution.recoding).measure("loss")["loss"])
        assert not pn.audit(path, original=table, schema=study.schema).failed
    zips, sexes = (column.hierarchy.leaves for column in study.bound.quasi)
    chosen = CutsRecoding(
        (("zip", (zips[:-1], zips[-1:])), ("sex", tuple((sex,) for sex in sexes))), parse_keep({"k": ">=2"})
    )
    study.publish(Solution("", {}, 1, chosen), path, force=True, allow_second_release=True)
    _forge(path, "***", "1**")
    (check,) = pn.audit(path, original=table, schema=study.schema).failed
    assert check.name == "boundaries"
    assert check.reason == "column 'zip' shows sets that tell of rows which were left out: '1**'"


def _forge(path: Path, old: str, new: str) -> None:
    """Another label in file and manifest, as if it had been made so."""
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8").replace(old, new))))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([rows[0], *sorted(rows[1:])])
    path.write_text(out.getvalue(), encoding="utf-8")
    beside = path.with_name(f"{path.name}.manifest.json")
    manifest = json.loads(beside.read_text(encoding="utf-8"))
    manifest["output"]["sha256"] = hashlib.sha256(out.getvalue().encode()).hexdigest()
    manifest["recoding"]["labels"]["zip"] = [new]
    beside.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("seed", range(12))
def test_the_search_counts_what_is_shown(seed: int) -> None:
    """The compiled counts of a candidate are those of its classes as they are shown."""
    draw = Random(f"counts {seed}")
    rows = [person(draw, False) for _ in range(40)] + [person(draw, True) for _ in range(8)]
    study = study_of(rows, (("code", "mood"), ("town", "rank"), ("code", "town", "age"))[seed % 3] + ("ill",))
    for suppress in ("15%", "any:0.3"):
        for solution in study.explore(
            "k", "l", "loss", space="cuts", suppress=suppress, seed=seed, evaluations=150
        ):
            made = study.realized(solution.recoding)
            assert made.suppressed == solution.suppressed
            for name, value in made.measure("k", "l", "loss", "gl").items():
                assert solution[name] == pytest.approx(value)
