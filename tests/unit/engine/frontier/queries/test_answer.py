"""Questions and answers on frontiers made by hand: the words, the steps, the refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.frontier.queries.answer import bought, priced
from paretonym.engine.frontier.queries.query import parse_question
from paretonym.engine.measures.limit import Limit
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Run

# The step of the trade-offs paper: at most 25 % gives k = 14, 26 % would give 36.
PROVEN = "proven among releases with one level per column"
PAPER = ((36, 0.258), (15, 0.2512), (14, 0.249), (12, 0.2), (1, 0.0))


def test_the_answer_and_its_steps(handmade: Callable[..., Run]) -> None:
    front = handmade(PAPER)
    answer = front.answer(at_most={"loss": 0.25}, best="k")
    assert str(answer) == f"With loss at most 25 %, the best k is 14: release 000002 ({PROVEN})."
    assert bought(answer) == (
        "loss at most 25.2 % (0.2 percentage points more): k 15 instead of 14 (release 000001)",
        "loss at most 25.8 % (0.8 percentage points more): k 36 instead of 14 (release 000000)",
    )
    assert priced(answer) == (
        "loss at most 20 % (5 percentage points less): k 12 instead of 14 (release 000003)",
    )
    assert front.ask(at_most={"loss": 0.25}, best="k") is answer.solution
    assert [step["to"] for step in answer.as_json()["relaxations"]] == [0.2512, 0.258]


def test_a_step_beyond_a_little_is_told_once(handmade: Callable[..., Run]) -> None:
    answer = handmade(((50, 0.9), (20, 0.5), (5, 0.2))).answer(at_most={"loss": 0.25}, best="k")
    assert bought(answer) == (
        "loss at most 50 % (25 percentage points more): k 20 instead of 5 (release 000001)",
    )


def test_least_loss_with_enough_k(handmade: Callable[..., Run]) -> None:
    answer = handmade(PAPER).answer(at_least={"k": 13}, best="loss")
    assert str(answer) == f"With k at least 13, the best loss is 24.9 %: release 000002 ({PROVEN})."
    assert bought(answer) == (
        "k at least 12 (instead of 13): loss 20.0 % instead of 24.9 % (release 000003)",
    )
    assert priced(answer) == (
        "k at least 15 (instead of 13): loss 25.1 % instead of 24.9 % (release 000001)",
    )


def test_ties_go_to_the_other_objectives(handmade: Callable[..., Run]) -> None:
    front = handmade(((9, 2, 0.4), (9, 3, 0.5), (5, 4, 0.1)), names=("k", "l", "loss"))
    assert front.ask(best="k").id == "000001"
    assert front.ask(best="l", at_least={"k": 6}).id == "000001"
    assert front.ask(best="k", at_most={"loss": 0.45}).id == "000000"


def test_no_limit(handmade: Callable[..., Run]) -> None:
    answer = handmade(PAPER).answer(best="k")
    assert str(answer) == f"Without any limit, the best k is 36: release 000000 ({PROVEN})."
    assert bought(answer) == priced(answer) == ()


def test_a_limit_that_the_run_itself_had_is_a_wall(handmade: Callable[..., Run]) -> None:
    answer = handmade(PAPER).answer(at_most={"loss": 0.3, "sl": 0.1}, best="k")
    assert answer.proven
    assert bought(answer) == (
        "Relaxing only loss at most 30 % does not improve k.",
        "sl at most 10 %: this is the limit of the run itself; relaxing it needs another run",
    )


def test_a_search_that_was_stopped_proves_nothing(handmade: Callable[..., Run]) -> None:
    answer = handmade(PAPER, complete=False).answer(at_most={"loss": 0.25}, best="k")
    assert answer.doubts == ("the search was stopped: 7 nodes remain that may contain better releases",)
    assert "(not proven)" in str(answer)


def test_more_than_the_table_has_is_no_question_of_proof(handmade: Callable[..., Run]) -> None:
    """A k of 99,999 of 1,000 rows: 'another release may meet these limits'."""
    with pytest.raises(NoSolution) as refused:
        handmade(PAPER, complete=False).ask(best="loss", at_least={"k": 99999})
    assert str(refused.value).splitlines()[0] == (
        "No release of this table has k at least 99,999: it has only 1,000 rows."
    )
    assert "may meet" not in str(refused.value)


@pytest.mark.parametrize("best", ["k", "loss"])
def test_a_search_that_was_stopped_does_not_prove_that_there_is_none(
    handmade: Callable[..., Run], best: str
) -> None:
    front = handmade(PAPER, complete=False)
    for ask in (
        lambda: front.ask(best=best, at_least={"k": 99}),
        lambda: front.shortlist(at_least={"k": 99}),
    ):
        with pytest.raises(NoSolution) as refused:
            ask()
        assert str(refused.value).splitlines()[:2] == [
            "No release on this frontier has k at least 99.",
            "Not proven, another release may meet these limits: the search was stopped: 7 nodes remain "
            "that may contain better releases.",
        ]


def test_a_search_of_a_part_is_finished_and_proves_nothing(handmade: Callable[..., Run]) -> None:
    front = handmade(PAPER, complete=False)
    partial = replace(front.search, space="cuts", units="cuts", method="hybrid", everywhere=False)
    finished = replace(front, methods=(partial,))
    (doubt,) = finished.answer(best="k").doubts
    assert doubt == (
        "the search 'hybrid' covers only part of the space: 7 cuts remain that may contain better releases"
    )
    stopped = replace(finished, methods=(replace(finished.search, interrupted=True),))
    assert stopped.answer(best="k").doubts[0].startswith("the search was stopped: ")


REFUSED = {
    "not measured": (
        {"best": "k", "at_least": {"l": 2}},
        "the limit 'l at least 2': this run did not measure l; explore again with 'k', 'loss', 'l'",
    ),
    "no such column": (
        {"best": "k", "at_least": {"l@ilness": 2}},
        "the limit 'l@ilness at least 2': there is no sensitive column 'ilness'; did you mean 'illness'?",
    ),
    "no measure": (
        {"best": "k", "at_most": {"los": 0.2}},
        "the limit 'los at most 0.2': unknown measure 'los'; did you mean 'loss'?",
    ),
    "no objective": (
        {"best": "k", "at_most": {"sl": 0.05}},
        "the limit 'sl at most 5 %': sl was not an objective of this run, so the best release within this "
        "limit may not be on its frontier; explore again with 'k', 'loss', 'sl' or with at_most='sl=0.05', "
        "or use allow_unproven=True for an answer that is not proven",
    ),
    "worse side": (
        {"best": "loss", "at_most": {"k": 5}},
        "the limit 'k at most 5': it limits k on its worse side, where there may be releases that are not on "
        "the frontier; omit it, or use allow_unproven=True for an answer that is not proven",
    ),
    "best is no objective": (
        {"best": "l"},
        "best: 'l' is not an objective of this run; choose k or loss, or explore again with 'k', 'loss', 'l'",
    ),
    "best is nothing": (
        {"best": "lossy"},
        "best: 'lossy' is not an objective of this run; did you mean 'loss'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_frontier_cannot_prove_is_refused(handmade: Callable[..., Run], case: str) -> None:
    options, said = REFUSED[case]
    with pytest.raises(InputError) as error:
        handmade(PAPER).ask(**options)  # type: ignore[arg-type]
    assert str(error.value).startswith(said)


def test_anyway(handmade: Callable[..., Run]) -> None:
    answer = handmade(PAPER).answer(best="k", at_most={"sl": 0.05, "loss": 0.25}, allow_unproven=True)
    assert not answer.proven
    assert answer.doubts[0].startswith("sl was not an objective of this run")


@pytest.mark.parametrize("part", ["gl", "sl"])
def test_a_bound_on_loss_bounds_its_parts(handmade: Callable[..., Run], part: str) -> None:
    """gl and sl are never above loss, so nothing is left to prove."""
    limit = Limit(part, "at-most", 0.25)
    front = handmade([(*vector, 0.0) for vector in PAPER], names=("k", "loss", "t"))
    with_gl = tuple(replace(solution, values={**solution.values, "gl": 0.0}) for solution in front)
    front = replace(front, solutions=with_gl)
    assert front.answer(best="k", at_most={"loss": 0.25, part: limit.bound}).proven


def test_nothing_satisfies(handmade: Callable[..., Run]) -> None:
    front = handmade(PAPER)
    with pytest.raises(NoSolution) as error:
        front.ask(best="k", at_most={"loss": 0.25}, at_least={"k": 20})
    assert str(error.value) == (
        "No release of this run has loss at most 25 % and k at least 20.\n"
        "With k at least 20, the lowest loss found is 25.8 %:\n"
        "  000000: k 36, loss 25.8 %, sl 0.0 %\n"
        "With loss at most 25 %, the highest k found is 14:\n"
        "  000002: k 14, loss 24.9 %, sl 0.0 %"
    )
    assert [solution.id for solution in error.value.nearest] == ["000000", "000002"]


def test_when_one_limit_alone_is_out_of_reach(handmade: Callable[..., Run]) -> None:
    with pytest.raises(NoSolution) as error:
        handmade(PAPER).ask(best="k", at_most={"loss": 0.3}, at_least={"k": 50})
    assert str(error.value).count(" found is ") == 1
    assert "With loss at most 30 %, the highest k found is 36:" in str(error.value)


def test_when_two_limits_must_give(handmade: Callable[..., Run]) -> None:
    front = handmade(((9, 2, 0.5), (5, 4, 0.6)), names=("k", "l", "loss"))
    with pytest.raises(NoSolution) as error:
        front.ask(best="loss", at_least={"k": 20, "l": 9})
    assert "Relaxing one limit is not enough: at least two must be relaxed." in str(error.value)
    assert len(error.value.nearest) == 2


def test_a_measure_is_limited_once() -> None:
    with pytest.raises(InputError) as error:
        parse_question(["k=5"], [], ["k>=7"], "loss")
    assert str(error.value) == "where: 'k' is limited twice; limit each measure once"


def test_what_the_run_required_is_said() -> None:
    """A run that left something out answers about the rest, unless the question leaves it out too."""
    study = random_table(Random(11), rows=(60, 60), quasi=(3, 4)).study()
    front = study.explore("k", "loss", at_least={"k": 3}, at_most={"sl": 0.05}, space="lattice")
    answer = front.answer(best="loss", at_least={"k": 2})
    assert [str(limit) for limit in answer.scope] == ["k at least 3", "sl at most 5 %"]
    assert "with one level per column, with k at least 3 and sl at most 5 %" in str(answer)
    inside = front.answer(best="loss", at_least={"k": 4}, at_most={"sl": 0.05})
    assert inside.proven
    assert inside.scope == ()


def test_a_step_out_of_what_is_implied_is_not_proven(handmade: Callable[..., Run]) -> None:
    """A bound on loss implies one on sl, but not once it is relaxed."""
    answer = handmade(PAPER).answer(at_most={"loss": 0.05, "sl": 0.05}, best="k")
    assert answer.proven
    step = answer.relaxations[0]
    assert (step.limit.name, step.proven) == ("loss", False)
