"""Audits of random tables: beside a plain recount of rows, beside the search's own measures, and of releases
that were changed at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym
from paretonym.audit.measurer import FROM_THE_FILE
from paretonym.engine.measures.objective import Objective
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import random_table
from paretonym.study.study import Study
from tests.naive.releases import (
    in_order,
    measures_beside,
    released_rows,
    unsorted_rows,
    write_manifest,
    write_release,
    write_table,
)
from tests.naive.values import (
    Sensitive,
    divergence,
    entropy_number,
    likeness,
    ratio,
    recursive,
    shares,
    variation,
)

TEXTS = ("a", "b", "", "A", "*", "it's", 'say "x"', "1\n2", "ü, ö", "[1, 2)", "0", "00", " a", "NULL", "nan")
Row = tuple[str, ...]


def recount(rows: Sequence[Row], quasi: int) -> dict[str, float]:
    """Every measure of a finished table, row by row; the first columns are the quasi-identifiers, all others
    are sensitive."""
    classes: dict[Row, list[Row]] = {}
    for row in rows:
        classes.setdefault(row[:quasi], []).append(row)
    sizes = [len(members) for members in classes.values()]
    values: dict[str, float] = {
        "k": min(sizes),
        "risk-highest": 1 / min(sizes),
        "risk-average": len(sizes) / len(rows),
        "uniques": sizes.count(1),
        "average-class": len(rows) / len(sizes),
        "spread-k": sum(size**2 for size in sizes),
    }
    columns = range(quasi, len(rows[0]))
    for place in columns:
        own = _of_column([[row[place] for row in members] for members in classes.values()])
        values |= {f"{name}@s{place}": value for name, value in own.items()}
    for name in own:
        every = [values[f"{name}@s{place}"] for place in columns]
        values[name] = min(every) if name.startswith(("l", "spread")) else max(every)
    return values


def _of_column(classes: Sequence[Sequence[str]]) -> dict[str, float]:
    whole = shares([cell for cells in classes for cell in cells])
    column = Sensitive("s", tuple(whole), ())
    own: list[Mapping[Any, Any]] = [shares(cells) for cells in classes]
    most = max(max(p.values()) for p in own)
    return {
        "l": float(1 / most),
        "l-distinct": min(len(p) for p in own),
        "l-entropy": min(entropy_number(cells) for cells in classes),
        "l-recursive": min(recursive(cells, 3) for cells in classes),
        "alpha": float(most),
        "spread-l": sum(count**2 for cells in classes for count in Counter(cells).values()),
        "t-release": float(max(variation(column, p, whole) for p in own)),
        "t-js-release": max(divergence(column, p, whole) for p in own),
        "delta-release": max(ratio(column, p, whole) for p in own),
        "beta-release": float(max(likeness(column, p, whole) for p in own)),
    }


@pytest.mark.parametrize("seed", range(25))
def test_a_recount_of_rows_finds_the_same(seed: int, tmp_path: Path) -> None:
    generator = Random(seed)
    quasi, sensitive = generator.randint(1, 3), generator.randint(1, 2)
    few = generator.sample(TEXTS, 4)
    rows = [
        tuple(generator.choice(few) for _ in range(quasi + sensitive))
        for _ in range(generator.randint(1, 80))
    ]
    names = [*(f"q{place}" for place in range(quasi)), *(f"s{quasi + place}" for place in range(sensitive))]
    path = tmp_path / "table.csv"
    write_table(path, names, rows)
    found = paretonym.audit(path, quasi=names[:quasi], sensitive=names[quasi:])
    expected = recount(rows, quasi)
    checked = {check.name: check.found for check in found.checks}
    assert set(FROM_THE_FILE) <= set(checked)
    assert checked == pytest.approx({name: expected[name] for name in checked}, rel=1e-9, abs=1e-12)
    assert found.rows == len(rows)


def drawn(seed: int) -> tuple[Study, LatticeRecoding]:
    """A random table and a recoding of it that leaves classes out."""
    generator = Random(seed)
    study = random_table(generator, sensitive=seed % 3, labelled=seed % 2 == 0).study()
    levels = {column.name: generator.randint(column.lowest, column.highest) for column in study.bound.quasi}
    whole = study.realized(LatticeRecoding.of(levels, {"k": ">=1"}))
    k = generator.choice(sorted(set(whole.classes.rows.tolist())))
    return study, LatticeRecoding.of(levels, {"k": f">={k}"})


@pytest.mark.parametrize("seed", range(20))
def test_the_search_and_the_audit_agree(seed: int, tmp_path: Path) -> None:
    """Claims, statements and every measure that needs the original, as the search measures them."""
    study, recoding = drawn(seed)
    path = tmp_path / "release.csv"
    write_release(path, study, recoding)
    expected = study.realized(recoding).measure(*measures_beside(study))
    found = paretonym.audit(
        path, original=study.table, schema=study.schema, require=[f"{name}>=1" for name in expected]
    )
    assert [check for check in found.failed if check.kind != "requirement"] == []
    kinds = {check.kind for check in found.checks}
    assert kinds == {"file", "claim", "requirement", "original", "statement"}
    assert {name: found[f"{name}>=1"] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(100, 115))
def test_a_threshold_on_another_measure_is_found_again(seed: int, tmp_path: Path) -> None:
    """Which classes stay is decided by l or t; the audit decides the same."""
    generator = Random(seed)
    study = random_table(generator, sensitive=1 + seed % 2, rows=(10, 60)).study()
    levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
    classes = study.realized(LatticeRecoding.of(levels, {"k": ">=1"})).classes
    name, sign = generator.choice((("l", ">="), ("t", "<="), ("l-entropy", ">="), ("alpha", "<=")))
    threshold = generator.choice(Objective.of(name, study.cube).of_classes(study.cube, classes).tolist())
    recoding = LatticeRecoding.of(levels, {name: f"{sign}{threshold!r}"})
    path = tmp_path / "release.csv"
    write_release(path, study, recoding)
    assert paretonym.audit(path, original=study.table, schema=study.schema).failed == ()


@pytest.mark.parametrize("seed", range(20))
def test_a_change_is_found_even_if_the_manifest_agrees(seed: int, tmp_path: Path) -> None:
    """One cell gets another text, and the digest is forged: the original tells."""
    study, recoding = drawn(seed)
    generator = Random(seed)
    names, rows = released_rows(study, recoding)
    row, column = generator.randrange(len(rows)), generator.randrange(len(names))
    changed = [list(cells) for cells in rows]
    changed[row][column] += "?"
    path = tmp_path / "release.csv"
    write_table(path, names, in_order([tuple(cells) for cells in changed]))
    roles = {name: study.schema.column(name).role for name in names}
    quasi = [place for place, name in enumerate(names) if roles[name] == "quasi"]
    classes = Counter(tuple(cells[place] for place in quasi) for cells in changed)
    write_manifest(path, roles, {"k": min(classes.values())}, recoding.as_json(), rows=len(rows))
    assert paretonym.audit(path).passed
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert found["rows not from the original"] == 1
    assert not found.passed


def pair_by_hand(study: Study, recodings: Sequence[LatticeRecoding]) -> dict[str, int]:
    """Two releases joined person by person: every person's class in each, and the rows left in both."""
    quasi = [column.name for column in study.bound.quasi]
    people = []
    for recoding in recodings:
        unsuppressed = LatticeRecoding(recoding.levels, parse_keep({"k": ">=1"}))
        names, rows = unsorted_rows(study, unsuppressed)
        labels = [tuple(row[names.index(name)] for name in quasi) for row in rows]
        kept = [
            tuple(cell for cell, name in zip(row, names, strict=True) if name not in quasi) for row in rows
        ]
        k = int(recoding.keep[0].bounds[0])
        sizes = Counter(labels)
        classes: dict[Row, Counter[Row]] = {}
        for label, rest in zip(labels, kept, strict=True):
            classes.setdefault(label, Counter())[rest] += 1
        people.append([classes[label] if sizes[label] >= k else None for label in labels])
    left = [sum((a & b).values()) for a, b in zip(*people, strict=True) if a is not None and b is not None]
    one = sum((a is None) != (b is None) for a, b in zip(*people, strict=True))
    return {"everywhere": len(left), "partly": one}


@pytest.mark.parametrize("seed", range(15))
def test_two_releases_joined_person_by_person(seed: int, tmp_path: Path) -> None:
    study, first = drawn(seed)
    generator = Random(seed + 1)
    levels = {column.name: generator.randint(0, column.hierarchy.height) for column in study.bound.quasi}
    second = LatticeRecoding.of(levels, {"k": f">={generator.randint(1, 2)}"})
    classes = study.realized(LatticeRecoding.of(levels, {"k": ">=1"})).classes
    if classes.rows.max() < 2:
        second = LatticeRecoding.of(levels, {"k": ">=1"})
    for name, recoding in (("a", first), ("b", second)):
        write_release(tmp_path / f"{name}.csv", study, recoding)
    found = paretonym.attack(
        tmp_path / "a.csv", tmp_path / "b.csv", original=study.table, schema=study.schema
    )
    expected = pair_by_hand(study, (first, second))
    assert {name: getattr(found, name) for name in expected} == expected
    assert found.matches


@pytest.mark.parametrize("seed", range(15))
def test_nobody_is_narrowed_below_k_and_pairs_only_narrow(seed: int, tmp_path: Path) -> None:
    """Everybody has as many rows left as the smallest class; of two files, no more than of either."""
    study, recoding = drawn(seed)
    other = LatticeRecoding.of({name: 0 for name, _ in recoding.levels}, {"k": ">=1"})
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    write_release(paths[0], study, recoding)
    write_release(paths[1], study, other)
    alone = paretonym.attack(paths[0], original=study.table, schema=study.schema)
    realized = study.realized(recoding)
    assert alone.matches
    assert alone.absent == realized.suppressed
    assert alone.smallest == realized.sizes.min()
    both = paretonym.attack(*paths, original=study.table, schema=study.schema)
    assert both.everywhere + both.partly == both.people
    assert both.everywhere == both.people - realized.suppressed
    assert 1 <= both.smallest <= alone.smallest
