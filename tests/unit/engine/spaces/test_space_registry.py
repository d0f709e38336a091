"""Every registered space keeps the contract: what it names is there, and what it writes it reads back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym
from paretonym.base.errors import InputError
from paretonym.engine.recoding import Feature
from paretonym.engine.spaces import part_limits
from paretonym.engine.spaces.space_registry import SPACES, space_named, space_of
from paretonym.research.exams.random_tables import random_table
from paretonym.study import SpaceName

SOURCE = Path(paretonym.__file__).parent
QUICK: dict[str, dict[str, Any]] = {
    "lattice": {"suppress": "0.1"},
    "local": {"suppress": "0.1", "evaluations": 50},
    "cuts": {"suppress": "0.1", "evaluations": 50},
    "mondrian": {"sweep": "k=2,5"},
    "microaggregation": {"sweep": "k=2,5"},
    "buckets": {"sweep": "l=1"},
}


@pytest.mark.parametrize("name", SPACES)
def test_what_a_space_finds_is_its_own(name: SpaceName) -> None:
    """Fails for a space without a quick question here: every space sits this exam."""
    space = SPACES[name]
    study = random_table(Random("space"), quasi=(2, 3), rows=(30, 40), sensitive=1).study()
    found = study.explore("k", "loss", "sse", space=name, **QUICK[name])
    assert (found.search.space, found.search.units, space.name) == (name, space.units, name)
    assert found.search.method == space.usual_search
    for solution in found:
        entry = json.loads(json.dumps(solution.recoding.as_json()))
        assert space.recoding.from_json(entry) == solution.recoding
        assert space_of(solution.recoding) is space
        assert bool(part_limits(solution.recoding)) is bool(space.promised(solution.recoding))


@pytest.mark.parametrize("name", SPACES)
def test_what_a_space_lacks_it_says_why(name: str) -> None:
    space = SPACES[name]
    assert all(space.supports[feature] for feature in Feature if space.lacks(feature))
    assert space.wording.caption.format(columns="age")
    assert space.wording.heading


def test_an_unknown_space_answers_with_the_known_ones() -> None:
    with pytest.raises(InputError) as error:
        space_named("lattise")
    assert "did you mean 'lattice'?" in str(error.value)


def test_the_help_of_the_command_names_every_space() -> None:
    options = (SOURCE / "interfaces" / "cli" / "options.py").read_text()
    (text,) = re.findall(r'^    "space": Option\(.*?^    \)', options, re.DOTALL | re.MULTILINE)
    assert all(re.search(rf"\b{name}\b", text) for name in SPACES)


def test_nobody_tells_spaces_apart() -> None:
    """No decision by name, by type or by the keys of a recoding's JSON outside of `spaces`."""
    names = "|".join(SPACES)
    sniffed = re.compile(
        rf"[!=]= [\"']({names})[\"']|isinstance\([^)]*(Lattice|Cuts|Parts|Buckets)Recoding"
        r"|recoding\.as_json\(\)(\.get|\[)"
    )
    for path in SOURCE.rglob("*.py"):
        if not {"spaces", "research"} & {*path.relative_to(SOURCE).parts}:
            assert not sniffed.search(path.read_text(encoding="utf-8")), path
