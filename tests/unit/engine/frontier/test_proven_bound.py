"""What a stopped search has proven, in words and numbers."""

from __future__ import annotations

import pytest

import paretonym
from paretonym.engine.frontier.proven_bound import ProvenBound
from paretonym.engine.frontier.queries import check_question
from paretonym.engine.frontier.queries.query import Question
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import Limit

BOUND = ProvenBound("k", "loss", ((1, 0.0), (4, 0.12999), (20, 0.3)))


@pytest.mark.parametrize(("k", "least"), [(1, 0.0), (3, 0.0), (4, 0.12999), (19, 0.12999), (10**6, 0.3)])
def test_a_step_holds_until_the_next(k: int, least: float) -> None:
    assert BOUND.at(k) == least


def test_a_cost_bounds_k() -> None:
    assert (BOUND.within(0.2), BOUND.within(0.12999), BOUND.within(0.1), BOUND.within(0.5)) == (
        19,
        19,
        3,
        None,
    )


def test_a_bound_is_never_shown_larger_than_it_is() -> None:
    assert (
        BOUND.sentence(4)
        == "no release with one level per column and k of at least 4 has a loss below 12.9 %"
    )


def test_it_says_what_it_is_about() -> None:
    cuts = ProvenBound("k", "loss", BOUND.steps, "cuts")
    assert cuts.sentence(4) == "no cuts with k of at least 4 have a loss below 12.9 %"
    assert (
        cuts.about([Limit("loss", "at-most", 0.2)], ()) == "no cuts with loss at most 20 % have a k above 19"
    )
    assert cuts.about((), ()) == "for every k, no cuts have a lower loss than the best found"
    assert ProvenBound.from_json(cuts.as_json(), "cuts") == cuts


def test_it_is_shown_beside_a_solution() -> None:
    solution = Solution("3f9a2c", {"k": 5.0, "loss": 0.2}, 0, None)  # type: ignore[arg-type]
    bound = "no release with one level per column and k of at least 5 has a loss below 12.9 %"
    assert BOUND.beside(solution) == f"{bound}; this release has 20.0 %"


def test_a_bound_of_nothing_is_not_said() -> None:
    """'No generalization … has a loss below 0.0 %'."""
    nothing = ProvenBound("k", "loss", ((1, 0.0), (5, 0.0004), (9, 0.001)))
    solution = Solution("3f9a2c", {"k": 5.0, "loss": 0.2}, 0, None)  # type: ignore[arg-type]
    assert [nothing.sentence(k) for k in (1, 5)] == ["", ""]
    assert nothing.sentence(9).endswith("below 0.1 %")
    assert nothing.beside(solution) == ""
    assert nothing.about((Limit("k", "at-least", 5),), (solution,)) == ""
    assert nothing.about((), (solution,)) == ""


def test_it_is_stored_step_by_step() -> None:
    assert BOUND.as_json()[1] == {"k": 4, "loss": 0.12999}
    assert ProvenBound.from_json(BOUND.as_json()) == BOUND
    assert ProvenBound.from_json([]) is None


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> paretonym.Run:
    """A search that was stopped at once, saved and opened again."""
    front = paretonym.example().explore(suppress=0.01, time="0.001ms", space="lattice")
    folder = tmp_path_factory.mktemp("stopped") / "run"
    front.save(folder)
    loaded = paretonym.load(folder)
    assert loaded.search.bound == front.search.bound is not None
    return loaded


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            (Limit("k", "at-least", 5),),
            "no release with one level per column and k of at least 5 has a loss below ",
        ),
        (
            (Limit("loss", "at-most", 0.001),),
            "no release with one level per column and loss at most 0.1 % has a k above ",
        ),
        ((), "and the best found has "),
    ],
)
def test_an_answer_that_is_not_proven_says_what_is(
    unfinished: paretonym.Run, limits: tuple[Limit, ...], words: str
) -> None:
    (doubt,) = check_question(unfinished, Question(limits, None), allow_unproven=True)
    assert doubt.startswith("the search was stopped: 17,9")
    assert words in doubt
