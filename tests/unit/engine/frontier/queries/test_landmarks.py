"""Knees, cheap stretches and expensive steps on curves whose shape is known, and the shortlist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from paretonym.base.errors import NoSolution
from paretonym.engine.frontier.queries.landmarks import landmarks
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Run

Handmade = Callable[..., Run]


def found(frontier: Run, kind: str) -> list[tuple[float, float]]:
    return [(m.solution["k"], m.solution["loss"]) for m in landmarks(frontier) if m.kind == kind]


def test_an_even_curve_has_none(handmade: Handmade) -> None:
    """k doubles with every tenth of loss: nowhere is more gained than elsewhere."""
    assert landmarks(handmade([(2**i, i / 10) for i in reversed(range(11))])) == ()


def test_a_knee(handmade: Handmade) -> None:
    """Up to 20 % each point multiplies k by 1.4, beyond by 1.02."""
    steps = [(round(1.4**p), p / 100) for p in range(1, 21, 2)]
    curve = [*steps, *((round(1.4**19 * 1.02 ** (p - 19)), p / 100) for p in range(25, 101, 5))]
    front = handmade(sorted(curve, reverse=True))
    assert found(front, "knee")[0] == (598, 0.19)
    assert found(front, "expensive step") == [(598, 0.19)]
    reason = next(m.reason for m in landmarks(front) if m.kind == "knee")
    assert reason == "knee: each percentage point of loss multiplies k by 1.43 before it and by 1.02 after it"


def test_a_cheap_stretch(handmade: Handmade) -> None:
    curve = [(2**i, i / 10) for i in range(5)] + [(2 ** (i + 3), i / 10 + 0.01) for i in range(4, 10)]
    front = handmade(sorted(curve, reverse=True))
    (mark,) = [m for m in landmarks(front) if m.kind == "cheap stretch"]
    assert (mark.solution["k"], mark.other and mark.other["k"]) == (128, 16)
    assert mark.reason == "end of a cheap stretch: k 16 → 128 (× 8.0) for loss 40.0 % → 41.0 %"


def test_an_expensive_step(handmade: Handmade) -> None:
    curve = [(2**i, i / 20) for i in range(8)] + [(2**i + 1, i / 20 + 0.3) for i in range(7, 14)]
    front = handmade(sorted(curve, reverse=True))
    (mark,) = [m for m in landmarks(front) if m.kind == "expensive step"]
    assert (mark.solution["k"], mark.other and mark.other["k"]) == (128, 129)
    assert mark.reason == "before an expensive step: k 128 → 129 for loss 35.0 % → 65.0 %"


def test_other_measures_and_orders(handmade: Handmade) -> None:
    """The order of the objectives does not matter; measures without ratios are compared by differences."""
    curve = [(1 + i / 10, i / 20) for i in range(5)] + [(2 + i / 10, 0.21 + i / 20) for i in range(5)]
    for names, vectors in ((("l", "loss"), curve), (("loss", "l"), [(b, a) for a, b in curve])):
        marks = [m for m in landmarks(handmade(vectors, names=names)) if m.kind == "cheap stretch"]
        assert [(m.solution["l"], m.solution["loss"]) for m in marks] == [(2.0, 0.21)]


@pytest.mark.parametrize("size", [0, 1, 2])
def test_too_little_for_landmarks(handmade: Handmade, size: int) -> None:
    assert landmarks(handmade([(5, 0.5), (2, 0.1)][:size])) == ()


def test_shortlist(handmade: Handmade) -> None:
    curve = [(2**i, i / 10) for i in range(5)] + [(2 ** (i + 3), i / 10 + 0.01) for i in range(4, 10)]
    choices = handmade(sorted(curve, reverse=True)).shortlist()
    reasons = {choice.solution["k"]: choice.reasons for choice in choices}
    assert [choice.solution["k"] for choice in choices] == sorted(reasons, reverse=True)
    assert reasons[8] == ("least loss with k at least 5",)
    assert reasons[16] == ("least loss with k at least 11",)
    assert any(reason.startswith("end of a cheap stretch") for reason in reasons[128])
    assert 1 not in reasons
    assert all(choice.reasons for choice in choices)


def test_a_shortlist_within_limits(handmade: Handmade) -> None:
    front = handmade([(2**i, i / 10) for i in reversed(range(11))])
    choices = front.shortlist(at_most={"loss": 0.5}, at_least={"k": 4})
    assert {choice.solution["k"] for choice in choices} <= {4, 8, 16, 32}
    with pytest.raises(NoSolution):
        front.shortlist(at_most={"loss": 0.1}, at_least={"k": 4})


def test_few_solutions_are_all_on_the_list(handmade: Handmade) -> None:
    choices = handmade([(100, 1.0), (5, 0.5), (2, 0.1), (1, 0.0)]).shortlist()
    assert [choice.solution["k"] for choice in choices] == [5, 2]
    assert [choice.solution["k"] for choice in handmade([(1, 0.0)]).shortlist()] == [1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("names", [("k", "loss"), ("k", "l", "loss"), ("t", "gl", "sl", "k")])
@pytest.mark.parametrize("unit", [{}, {"rows": "events"}])
def test_never_more_than_asked_for(seed: int, names: tuple[str, ...], unit: dict[str, str]) -> None:
    """Neither solutions nor reasons: those of events were said twice with three objectives."""
    table = random_table(Random(seed), rows=(30, 60), sensitive=1)
    front = (
        replace(table, schema={**table.schema, **unit})
        .study()
        .explore(*names, suppress="20%", space="lattice")
    )
    for most in (7, 3):
        choices = front.shortlist(most)
        assert 0 < len(choices) <= most
        assert len({choice.solution.id for choice in choices}) == len(choices)
        assert all(choice.solution in front for choice in choices)
        assert all(len(set(choice.reasons)) == len(choice.reasons) for choice in choices)


def test_somebody_who_is_alone_drops_no_release_where_k_is_no_objective(handmade: Handmade) -> None:
    """All but releases of 80 to 93 % loss were dropped, of 142 that begin at 0."""
    front = handmade([(2.0**i, i / 12) for i in reversed(range(12))], ("weighted-k", "loss"))
    values = [{**one.values, "k": 2.0 if one["loss"] > 0.9 else 1.0} for one in front]
    ends = zip(front.solutions, values, strict=True)
    choices = replace(front, solutions=tuple(replace(one, values=own) for one, own in ends)).shortlist()
    losses = [choice.solution["loss"] for choice in choices]
    assert len(losses) > 3
    assert 0 < min(losses) < 0.5


def test_a_certain_value_is_an_end_and_is_said_if_there_is_nothing_else(handmade: Handmade) -> None:
    names = ("k", "l", "loss")
    varied = [(20.0, 1.0, 0.2), (10.0, 2.0, 0.3), (8.0, 2.5, 0.4), (6.0, 3.0, 0.5), (5.0, 3.5, 0.6)]
    choices = handmade(varied, names).shortlist()
    assert 1.0 not in [choice.solution["l"] for choice in choices]
    assert not any("certain" in reason for choice in choices for reason in choice.reasons)
    (only,) = handmade([(20.0, 1.0, 0.2)], names).shortlist()
    assert only.reasons[-1] == "a sensitive value is certain for some (l 1)"
