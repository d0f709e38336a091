"""Whatever is said of people is said of different ones: no number is above those of the table. Persons have
several rows here, several values, and rows in several classes."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow
import pytest

from paretonym.engine.frontier.release_facts import ReleaseFacts
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.risk import risk
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.study import Study

SCHEMA: dict[str, Any] = {
    "columns": {
        "who": {"role": "person"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
    }
}


def drawn(seed: int, people: int) -> Study:
    """Many rows each, so that classes add up to several times the people."""
    draws = Random(seed)
    rows = [
        (f"p{who}", f"{draws.randrange(1, 3)}{draws.randrange(3)}", draws.choice("fm"), draws.choice("aaab"))
        for who in range(people)
        for _ in range(draws.randrange(1, 6))
    ]
    columns = zip(SCHEMA["columns"], map(list, zip(*rows, strict=True)), strict=True)
    return Study(pyarrow.table(dict(columns)), SCHEMA)


@pytest.mark.parametrize("seed", range(8))
def test_no_number_of_people_is_above_those_of_the_table(seed: int) -> None:
    study, keep = drawn(seed, 15), {"k": f">={1 + seed % 3}"}
    if seed % 2:
        keep["l-distinct"] = ">=2"
    realized = study.realized(LatticeRecoding.of({"zip": seed % 3, "sex": 0}, keep))
    facts = ReleaseFacts.of(realized, study.schema, parse_keep(keep))
    numbers = [facts.in_smallest, facts.by_values]
    for known in facts.known:
        numbers += [known.certain + known.likely, known.usual]
    for one in (risk(realized, study.unit), study.risk().classes):
        numbers += [one.rows, one.in_smallest, one.below(10**9), sum(part.rows for part in one.bins())]
    table = study.risk()
    numbers += [table.uniques, sum(table.by_size), table.classes.rows]
    numbers += [number for column in table.columns for number in (column.alone, column.without)]
    assert max(numbers) <= 15
    assert table.classes.rows == 15
    # The classes themselves count somebody several times.
    assert sum(size * count for size, count in table.classes.sizes) > 15


def test_a_value_is_certain_for_different_people() -> None:
    """Two people, three classes each, one value: certain for two."""
    rows = [(who, zip_code, "f", "a") for who in ("p", "q") for zip_code in ("10", "20", "30")]
    columns = zip(SCHEMA["columns"], map(list, zip(*rows, strict=True)), strict=True)
    study = Study(pyarrow.table(dict(columns)), SCHEMA)
    facts = ReleaseFacts.of(
        study.realized(LatticeRecoding.of({"zip": 0, "sex": 0}, {"k": ">=1"})), study.schema
    )
    assert [known.certain for known in facts.known] == [2]
    assert (facts.smallest, facts.in_smallest) == (2, 2)
