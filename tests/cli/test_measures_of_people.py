"""Every measure of persons, households, weights and populations over the whole chain: objective, limits of a
search, `ask`, the manifest, an audit of the file alone, an audit beside what proves the measure."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.measures import MEASURES

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
    "who": {"role": "drop"},
    "w": {"role": "drop"},
}


class Chain(NamedTuple):
    """Which column has which role, what the study is given, in which part of a manifest the measure is, and
    what an audit of the file alone says: a number, that it cannot be verified, or what to give."""

    measure: str
    roles: dict[str, str]
    part: str | None
    alone: str
    fraction: str | None = None
    population: bool = False
    weights: int = 0


PERSONS, HOMES, WEIGHTS = {"who": "person"}, {"who": "household"}, {"w": "weight"}
NO_PERSONS = "cannot be verified: the file does not say which person a row belongs to"
TO_GIVE = "give original= and schema="
CHAINS = [
    *(Chain(name, PERSONS, None, NO_PERSONS)
      for name in ("k", "l", "l-distinct", "l-entropy", "alpha", "t", "uniques", "risk-highest",
                   "risk-average")),
    Chain("weighted-k", PERSONS, None, f"it compares the file with its input; {TO_GIVE}"),
    Chain("k-household", HOMES, "statements",
          f"the file does not say which rows belong to one household; {TO_GIVE}"),
    Chain("k-map", {}, "statements", "it needs a table of the population; give population_file= and schema=",
          population=True),
    Chain("presence-max", {}, "statements", "it needs a table of the population", population=True),
    Chain("presence-min", {}, "statements", "it needs a table of the population", population=True),
]  # fmt: skip


def test_every_measure_that_needs_more_than_classes_is_tried() -> None:
    """Estimates, declared analyses and what people require are never in a manifest, and no audit measures
    them."""
    elsewhere = (None, "numbers", "estimate", "weights", "required", "purposes")
    needed = {name for name, card in MEASURES.items() if card.needs not in elsewhere}
    assert needed <= {chain.measure for chain in CHAINS}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-five persons, or households, of two rows each with one weight; the population is everybody three
    times."""
    random, folder = Random(11), tmp_path_factory.mktemp("people")
    everybody = [(random.randrange(20, 40), random.choice("fm"), 1.5 + n % 5) for n in range(25)]
    lines = [
        f"{age},{sex},{random.choice(['flu', 'cold', 'hiv'])},p{n},{weight}"
        for n, (age, sex, weight) in enumerate(everybody)
        for _ in range(2)
    ]
    (folder / "some.csv").write_text("\n".join(["age,sex,ill,who,w", *lines]) + "\n", encoding="utf-8")
    (folder / "all.csv").write_text("\n".join(["age,sex,ill,who,w", *lines * 3]) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "chain", CHAINS, ids=lambda each: f"{each.measure} {each.roles or each.fraction or ''}"
)
def test_a_measure_like_any_other(chain: Chain, tables: Path, tmp_path: Path) -> None:
    name, card = chain.measure, MEASURES[chain.measure]
    schema = {"columns": {**COLUMNS, **{column: {"role": role} for column, role in chain.roles.items()}}}
    register = tables / "all.csv" if chain.population else None
    study = pn.Study(tables / "some.csv", schema, population_file=register, sampling_fraction=chain.fraction)
    objectives = list(dict.fromkeys(["k", name, "loss"]))
    stated = f"{name}.weights=1" if chain.weights else name
    settings = {name: {"weights": 1}} if chain.weights else None
    front = study.explore(*objectives, suppress="20%", settings=settings, space="lattice")
    # A limit of the search, and of a question, in the middle of what there is.
    values = sorted({each[name] for each in front})
    limit = values[len(values) // 2]
    side = "at_least" if card.direction == "max" else "at_most"
    limits: dict[str, Any] = {side: {name: limit}}
    limited = study.explore(*objectives, suppress="20%", settings=settings, space="lattice", **limits)
    good = {each.id for each in front if (each[name] >= limit if side == "at_least" else each[name] <= limit)}
    assert {each.id for each in limited} == good
    pick = front.ask(**limits, best="loss")
    assert pick.id in good
    # The manifest.
    path = pick.release(tmp_path / "r.csv", allow_second_release=True)
    manifest = json.loads((tmp_path / "r.csv.manifest.json").read_text(encoding="utf-8"))
    parts = {"statements": manifest["statements"]}
    assert [part for part, said in parts.items() if stated in said] == ([chain.part] if chain.part else [])
    # The file alone.
    asked = [f"{stated}={pick[name]!r}"]
    try:
        check = next(each for each in pn.audit(path, require=asked).checks if each.kind == "requirement")
    except InputError as error:
        said = str(error)
    else:
        said = "" if check.holds else check.why
    assert chain.alone in said
    assert bool(said) == bool(chain.alone)
    # Beside what proves it.
    beside: dict[str, Any] = (
        {"population_file": register} if chain.population else {"original": tables / "some.csv"}
    )
    found = pn.audit(path, schema=schema, require=asked, **beside)
    assert found.passed, [(each.name, each.why) for each in found.failed]
