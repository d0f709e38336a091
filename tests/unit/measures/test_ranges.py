"""Bounds that cannot be meant are refused wherever one is read."""

from __future__ import annotations

import pytest

from paretonym.errors import InputError
from paretonym.frontier.choosing.question import Question, parse_where
from paretonym.measures.objective import parse_bounds
from paretonym.measures.registry import MEASURES
from paretonym.release.audit.requirements import COUNTS, SHARES, asked_requirement
from paretonym.search.tuning import parse_base, parse_box


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("loss=25", "loss lies between 0 and 1, and 25 does not; did you mean 25%?"),
        ("loss=250%", "loss lies between 0 and 1, and 250% does not; give a number in that range"),
        ("loss=-0.1", "loss lies between 0 and 1, and -0.1 does not; give a number in that range"),
        ("alpha@illness=2", "alpha@illness lies between 0 and 1, and 2 does not; did you mean 2%?"),
        ("k=0", "k is at least 1, and 0 is not; give a number in that range"),
        ("k=500%", "k is a count, and 500% is a percentage; did you mean k=500?"),
        ("uniques=-1", "uniques is at least 0, and -1 is not; give a number in that range"),
    ],
)
def test_refused(entry: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_bounds([entry], "--at-most")
    assert str(raised.value) == f"--at-most: {words}"
    with pytest.raises(InputError):
        parse_where(entry.replace("=", "<="))
    with pytest.raises(InputError):
        asked_requirement(entry.replace("=", "<="))


def test_the_ends_of_a_range_are_in_it() -> None:
    assert parse_bounds(["loss=100%", "sl=0", "k=1", "unheard-of=7"], "--at-most") == {
        "loss": 1, "sl": 0, "k": 1, "unheard-of": 7,
    }  # fmt: skip


def test_in_python_too() -> None:
    with pytest.raises(InputError, match="did you mean 25%"):
        Question.of(at_most={"loss": 25})


def test_boxes_and_levels_are_no_bounds() -> None:
    assert parse_box("k=50%") == {"k": 0.5}
    assert parse_base("k=0,loss=2") == {"k": 0, "loss": 2}


def test_an_audit_knows_the_same_ranges_by_itself() -> None:
    assert {name for name, card in MEASURES.items() if (card.lowest, card.highest) == (0, 1)} == set(SHARES)
    assert {name for name, card in MEASURES.items() if card.lowest == 1} == set(COUNTS)
