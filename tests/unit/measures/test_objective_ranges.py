"""Bounds that cannot be meant are refused wherever one is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paretonym.audits.checks import asked_requirement
from paretonym.audits.measure_lines import LINES
from paretonym.errors import Field, InputError
from paretonym.frontier.queries.query import Question, parse_where
from paretonym.measures.objective import parse_bounds
from paretonym.measures.registry import MEASURES
from paretonym.search.search_options import parse_base, parse_box
from paretonym.spaces.parameter_sweep import parse_sweep


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("loss=25", "loss lies between 0 and 1, and 25 does not; did you mean 25%?"),
        ("loss=250%", "loss lies between 0 and 1, and 250% does not; give a number in that range"),
        ("loss=-0.1", "loss lies between 0 and 1, and -0.1 does not; give a number in that range"),
        ("alpha@illness=2", "alpha@illness lies between 0 and 1, and 2 does not; did you mean 2%?"),
        ("k=0", "k is at least 1, and 0 is not; give a number in that range"),
        ("k=500%", "k is a count, and 500% is a percentage; did you mean k=500?"),
        ("t-js=10%", "t-js is no share, and 10% is a percentage; did you mean t-js=0.1?"),
        ("uniques=5%", "uniques is a count, and 5% is a percentage; did you mean uniques=5?"),
        ("uniques=-1", "uniques is at least 0, and -1 is not; give a number in that range"),
    ],
)
def test_refused(entry: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_bounds([entry], Field("at_most"))
    assert str(raised.value) == f"at_most: {words}"
    with pytest.raises(InputError):
        parse_where(entry.replace("=", "<="))
    with pytest.raises(InputError):
        asked_requirement(entry.replace("=", "<="))


def test_the_ends_of_a_range_are_in_it() -> None:
    assert parse_bounds(["loss=100%", "sl=0", "k=1", "unheard-of=7"], Field("at_most")) == {
        "loss": 1, "sl": 0, "k": 1, "unheard-of": 7,
    }  # fmt: skip


def test_in_python_too() -> None:
    with pytest.raises(InputError, match="did you mean 25%"):
        Question.of(at_most={"loss": 25})


def test_boxes_and_levels_are_no_bounds() -> None:
    assert parse_box("k=0.5,loss=5%") == {"k": 0.5, "loss": 0.05}
    assert parse_base("k=0,loss=2") == {"k": 0, "loss": 2}


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (
            parse_box,
            "loss=1%,k=50%",
            "tuning['box']: k is a count, and 50% is a percentage; did you mean k=50?",
        ),
        (parse_base, "age=100%", "tuning['base']: 'age=100%' is no level; give a whole number"),
        (
            lambda text: parse_sweep([text]),
            "k=10,50%",
            "sweep: k is a count, and 50% is a percentage; did you mean k=50?",
        ),
        (
            lambda text: parse_sweep([text]),
            "k=5+t-js=10%",
            "sweep: t-js is no share, and 10% is a percentage; did you mean t-js=0.1?",
        ),
        (
            lambda text: parse_sweep([text]),
            "k=0.5",
            "sweep: k is at least 1, and 0.5 is not; give a number in that range",
        ),
    ],
)
def test_a_percentage_is_of_a_share(parse: Callable[[str], object], text: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(text)
    assert str(raised.value) == words


def test_percentages_of_shares() -> None:
    assert parse_sweep(["t=10%,20%"]) == ((("t", 0.1),), (("t", 0.2),))
    assert parse_bounds(["query-error=150%", "alpha=50%"], Field("at_most")) == {
        "query-error": 1.5,
        "alpha": 0.5,
    }


def test_an_audit_knows_the_same_ranges_by_itself() -> None:
    for name, line in LINES.items():
        card = MEASURES[name]
        assert (line.lowest, line.highest) == (card.lowest, card.highest), name
        assert (line.worst is min) == (card.direction == "max") or line.source in ("sizes", "input"), name
        assert line.stated == card.published.stated, name
        assert line.of_people == card.published.of_people, name
        assert bool(line.of_class) == card.conditional, name
        assert card.published.claimed or not line.claimed, name
    # An audit neither estimates populations nor draws queries.
    assert set(MEASURES) - set(LINES) == {"utility-loss", "query-error"}
