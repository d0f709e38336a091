"""Bounds that cannot be meant are refused wherever one is read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paretonym.audit.checks import checked_requirement
from paretonym.audit.sql_formulas import LINES
from paretonym.base.errors import Bug, InputError
from paretonym.engine.frontier.queries.query import Question
from paretonym.engine.measures.limit import Limit
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.parameter_sweep import parse_sweep


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("loss=25", "loss is between 0 and 1, but 25 is not; did you mean 25%?"),
        ("loss=250%", "loss is between 0 and 1, but 250% is not; give a number in that range"),
        ("loss=-0.1", "loss is between 0 and 1, but -0.1 is not; give a number in that range"),
        ("alpha@illness=2", "alpha@illness is between 0 and 1, but 2 is not; did you mean 2%?"),
        ("k=0", "k is always at least 1, but 0 is not; give a number in that range"),
        ("k=500%", "k is a count, but 500% is a percentage; did you mean k=500?"),
        ("t-js=10%", "t-js is not a share, but 10% is a percentage; did you mean t-js=0.1?"),
        ("uniques=5%", "uniques is a count, but 5% is a percentage; did you mean uniques=5?"),
        ("uniques=-1", "uniques is always at least 0, but -1 is not; give a number in that range"),
    ],
)
def test_refused(entry: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        Limit.several([entry], "at-most")
    assert str(raised.value) == f"at_most: {words}"
    with pytest.raises(InputError):
        Limit.parsed(entry.replace("=", "<="))
    with pytest.raises(InputError):
        checked_requirement(entry.replace("=", "<="))


def test_the_ends_of_a_range_are_in_it() -> None:
    found = Limit.several(["loss=100%", "sl=0", "k=1", "unheard-of=7"], "at-most")
    assert [limit.text for limit in found] == ["loss<=1", "sl<=0", "k<=1", "unheard-of<=7"]


@pytest.mark.parametrize("written", ["1.0000000000000002", "100.00000000000002%"])
def test_limits_are_rounded_before_anything_is_done_with_them(written: str) -> None:
    """What a computation gives for a whole is a whole, in searches, questions and audits."""
    found = [
        *Limit.several([f"loss={written}"], "at-most"),
        Limit.parsed(f"loss<={written}"),
        *Limit.of_python({"loss": written}, "at-most"),
        *Limit.of_python({"loss": 1.0000000000000002}, "at-most"),
    ]
    assert {limit.bound for limit in found} == {1.0}
    assert checked_requirement(f"alpha<={written}").bound == 1
    assert checked_requirement("k>=0.9999999999999999").bound == 1
    assert Limit.several(["k=0.9999999999999999"], "at-least")[0].bound == 1
    assert [one[0].bound for one in parse_sweep([f"alpha={written}"])] == [1]


def test_what_is_beyond_the_range_once_rounded_is_refused() -> None:
    words = r"alpha is between 0 and 1, but 1\.00000001 is not"
    with pytest.raises(InputError, match=words):
        Limit.of_python({"alpha": 1.00000001}, "at-most")
    with pytest.raises(InputError, match=words):
        parse_sweep(["alpha=1.00000001"])


def test_in_python_too() -> None:
    with pytest.raises(InputError, match="did you mean 25%"):
        Question.of(at_most={"loss": 25})


def test_boxes_and_levels_are_no_bounds() -> None:
    tuning = Tuning.of({"box": "k=0.5,loss=5%", "base": "k=0,loss=2"})
    assert dict(tuning.box) == {"k": 0.5, "loss": 0.05}
    assert dict(tuning.base or ()) == {"k": 0, "loss": 2}


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (
            lambda text: Tuning.of({"box": text}),
            "loss=1%,k=50%",
            "box: k is a count, but 50% is a percentage; did you mean k=50?",
        ),
        (
            lambda text: Tuning.of({"base": text}),
            "age=100%",
            "base: 'age=100%' is not a level; give a whole number",
        ),
        (
            lambda text: parse_sweep([text]),
            "k=10,50%",
            "sweep: k is a count, but 50% is a percentage; did you mean k=50?",
        ),
        (
            lambda text: parse_sweep([text]),
            "k=5+t-js=10%",
            "sweep: t-js is not a share, but 10% is a percentage; did you mean t-js=0.1?",
        ),
        (
            lambda text: parse_sweep([text]),
            "k=0.5",
            "sweep: k is always at least 1, but 0.5 is not; give a number in that range",
        ),
    ],
)
def test_a_percentage_is_of_a_share(parse: Callable[[str], object], text: str, words: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(text)
    assert str(raised.value) == words


def test_percentages_of_shares() -> None:
    assert parse_sweep(["t=10%,20%"]) == ((Limit("t", "at-most", 0.1),), (Limit("t", "at-most", 0.2),))
    assert Limit.several(["query-error=150%", "alpha=50%"], "at-most") == (
        Limit("query-error", "at-most", 1.5),
        Limit("alpha", "at-most", 0.5),
    )


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("k>=5", Limit("k", "at-least", 5)),
        (" loss <= 25% ", Limit("loss", "at-most", 0.25)),
        ("l@final_grade ≥ 2.5", Limit("l@final_grade", "at-least", 2.5)),
    ],
)
def test_where(text: str, limit: Limit) -> None:
    assert Limit.parsed(text) == limit == Limit.parsed(limit.text)


@pytest.mark.parametrize("text", ["k", "k>5", "k=5", "k>=", ">=5", "k>=5>=3", "k>=five"])
def test_where_refused(text: str) -> None:
    with pytest.raises(InputError) as error:
        Limit.parsed(text)
    assert str(error.value).startswith("where: ")


def test_a_limit_is_at_least_or_at_most() -> None:
    with pytest.raises(Bug, match="at least or at most"):
        Limit("k", "above", 5)  # type: ignore[arg-type]


def test_an_audit_knows_the_same_ranges_by_itself() -> None:
    for name, line in LINES.items():
        card = MEASURES[name]
        assert (line.lowest, line.highest) == (card.scale.lowest, card.scale.highest), name
        assert (line.worst is min) == (card.direction == "max") or line.source in ("sizes", "input"), name
        assert line.stated == card.published.stated, name
        assert line.of_people == card.published.of_people, name
        assert line.conditional == card.conditional, name
        assert card.published.claimed or not line.claimed, name
    # An audit neither reconstructs tables nor draws queries; estimates and what people require are in no
    # manifest.
    assert set(MEASURES) - set(LINES) == {
        "utility-loss", "query-error", "marginal-error", "association-error", "pmse", "sse",
        "k-map-estimated", "expected-reidentifications", "k-ratio",
        "ci-overlap", "sign-kept", "table-error", "mean-error", "quantile-error", "purpose",
    }  # fmt: skip
