"""The four problems of the trade-offs paper on tables small enough to follow on paper."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.recoding.suppression import keep_as_json
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_space import released
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Archive, CutsFound, Evaluator
from paretonym.study.study import Study

NOTHING = Fraction(0)


def study(columns: dict[str, Any], **cells: list[str]) -> Study:
    arrays = {name: pyarrow.array(values, pyarrow.string()) for name, values in cells.items()}
    return Study(pyarrow.table(arrays), {"missing": "drop", "columns": columns})


def classes(*sizes: int, secrets: str = "") -> Study:
    """A table of one quasi-identifier with classes of these sizes; `secrets` holds a letter for each row."""
    people = [chr(97 + i) for i, size in enumerate(sizes) for _ in range(size)]
    secrets = secrets or "x" * len(people)
    columns = {"q": {"role": "quasi", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}}
    return study(columns, q=people, s=list(secrets))


def as_it_is(made: Study, problem: PaperProblem, fraction: Fraction = NOTHING) -> tuple[Solution, ...]:
    """What a problem says of the table with every value told apart."""
    asked = CutsProblem.of_paper(problem, made.cube, fraction)
    archive = Archive(asked)
    evaluator = Evaluator(asked)
    archive.add(evaluator.evaluate(np.ones((1, asked.space.length), dtype=bool)))
    return released(asked, CutsFound(archive.front, 1)).solutions


def test_the_weighted_k_of_the_papers_example() -> None:
    """Section 5.4: 29/7 and 17/7."""
    tree = {"Not married": ["Never"], "Married": ["Civ", "AF"]}
    made = study(
        {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
            "marital": {"role": "quasi", "hierarchy": {"tree": tree}},
        },
        age=["15", "17", "20", "26", "28", "30", "30"],
        marital=["Never", "Never", "Civ", "AF", "AF", "Civ", "AF"],
    )
    problem = CutsProblem.of_paper(PaperProblem(1), made.cube, NOTHING)
    # Gaps: 15|17|20|26|28|30, then Never|Civ|AF.
    first, second = [0, 1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 1, 1, 0]
    values = Evaluator(problem).evaluate(np.array([first, second], dtype=bool)).values
    assert values[:, 0].tolist() == pytest.approx([29 / 7, 17 / 7], rel=5.1e-10)


def test_what_lies_below_the_mean_goes() -> None:
    (solution,) = as_it_is(classes(1, 1, 4), PaperProblem(3))
    assert solution.values["weighted-k"] == 3
    assert solution.values["sl"] == pytest.approx(2 / 6, rel=5.1e-10)
    assert (solution.values["k"], solution.values["gl"]) == (4, 0)
    assert keep_as_json(solution.recoding.keep) == {"k": ">=4"}


def test_a_class_of_exactly_the_mean_stays() -> None:
    (solution,) = as_it_is(classes(3, 3), PaperProblem(3))
    assert (solution.values["weighted-k"], solution.values["sl"]) == (3, 0)


def test_small_classes_go_while_the_limit_allows() -> None:
    made = classes(1, 2, 2, 5)
    for limit, k in (("1/20", 1), ("1/10", 2), ("4/10", 2), ("5/10", 5)):
        (solution,) = as_it_is(made, PaperProblem(2), Fraction(limit))
        assert solution.values["k"] == k, limit


def test_with_l_in_place_of_k_the_least_varied_go() -> None:
    made = classes(3, 2, 5, secrets="xxx" + "xy" + "xyzxx")
    (zero,) = as_it_is(made, PaperProblem(1, "l"))
    assert zero.values["weighted-l"] == pytest.approx((3 * 1 + 2 * 2 + 5 * 3) / 10)
    (limited,) = as_it_is(made, PaperProblem(2, "l"), Fraction(3, 10))
    assert (limited.values["l-distinct"], limited.suppressed) == (2, 3)
    (any_number,) = as_it_is(made, PaperProblem(3, "l"))
    assert (any_number.values["weighted-l"], any_number.suppressed) == (2.2, 5)
    assert keep_as_json(any_number.recoding.keep) == {"l-distinct": ">=3"}


def test_the_smallest_table_that_is_not_as_safe_as_the_paper_says() -> None:
    """Nothing may go. The first class in order has (2, 2), but the other one has a single value."""
    made = classes(2, 3, secrets="xy" + "xxx")
    (solution,) = as_it_is(made, PaperProblem(4, "l"))
    assert keep_as_json(solution.recoding.keep) == {"k,l-distinct": ">=2,2"}
    assert (solution.values["k"], solution.values["l-distinct"]) == (2, 1)
    (other,) = as_it_is(made, PaperProblem(4, "k"))
    assert keep_as_json(other.recoding.keep) == {"l-distinct,k": ">=1,3"}
    assert (other.values["k"], other.values["l-distinct"]) == (2, 1)


AGES = ("15", "17", "20", "26", "28", "30", "30")
MARITAL = ("Never", "Never", "Civ", "AF", "AF", "Civ", "AF")


def example(cuts: list[int], problem: PaperProblem, fraction: Fraction) -> Solution:
    """One of the two tables of Section 5.4: ages 15|17|20|26|28|30 cut so, the marital status sensitive."""
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "marital": {"role": "sensitive"},
    }
    asked = CutsProblem.of_paper(
        problem, study(columns, age=list(AGES), marital=list(MARITAL)).cube, fraction
    )
    # What the paper computes, though its labels would disclose that there were people below 18.
    candidates = Evaluator(asked).evaluate(np.array([cuts], dtype=bool))
    (solution,) = released(asked, CutsFound(candidates, 1)).solutions
    return solution


ONE, OTHER = [0, 1, 0, 0, 0], [0, 1, 0, 0, 1]


@pytest.mark.parametrize("prefer", ["k", "l"])
@pytest.mark.parametrize("floor", [False, True])
@pytest.mark.parametrize("cuts", [ONE, OTHER])
def test_both_tables_of_the_example_are_2_1_safe(cuts: list[int], floor: bool, prefer: str) -> None:
    """The group of the unmarried has two people and one value, however ℓ is understood."""
    problem = PaperProblem(4, prefer, floor=floor)  # type: ignore[arg-type]
    solution = example(cuts, problem, NOTHING)
    diversity = "l" if floor else "l-distinct"
    assert (solution.values["k"], solution.values[diversity]) == (2, 1)
    names = f"k,{diversity}" if prefer == "l" else f"{diversity},k"
    assert keep_as_json(solution.recoding.keep) == {names: ">=2,1" if prefer == "l" else ">=1,2"}


@pytest.mark.parametrize(
    ("cuts", "prefer", "by_values", "by_floor"),
    [
        # 2 of 7 rows may go, the unmarried: five are left, two and three of a kind.
        (ONE, "l", ("k,l-distinct", ">=5,2", 2), ("k,l", ">=5,1", 5 / 3)),
        (ONE, "k", ("l-distinct,k", ">=2,5", 2), ("l,k", ">=1,5", 5 / 3)),
        # Three are left, one and two of a kind, and two, one of each: those two fill the first place by size.
        (OTHER, "l", ("k,l-distinct", ">=2,2", 2), ("k,l", ">=2,2", 1.5)),
        # By 1 / max p the three have ℓ = 1, as the unmarried: they come first, and they are too many to go.
        (OTHER, "k", ("l-distinct,k", ">=2,2", 2), ("l,k", ">=1,3", 1.5)),
    ],
)
def test_what_is_left_of_the_example_without_the_unmarried(
    cuts: list[int], prefer: str, by_values: tuple[str, str, float], by_floor: tuple[str, str, float]
) -> None:
    for floor, (names, bounds, true) in ((False, by_values), (True, by_floor)):
        problem = PaperProblem(4, prefer, floor=floor)  # type: ignore[arg-type]
        solution = example(cuts, problem, Fraction(2, 7))
        assert solution.suppressed == 2
        assert keep_as_json(solution.recoding.keep) == {names: bounds}
        assert solution.values["l" if floor else "l-distinct"] == pytest.approx(true)


def test_classes_with_equal_whole_numbers_go_together() -> None:
    """ℓ is 4/3 and 3/2 in classes of equal size: both have the whole number 1, and only one could go."""
    made = classes(6, 6, 7, secrets="xxxxyy" + "xxxxyz" + "xyzxyzx")
    floor = as_it_is(made, PaperProblem(4, "l", floor=True), Fraction(6, 19))
    assert [solution.suppressed for solution in floor] == [0]
    values = as_it_is(made, PaperProblem(4, "l"), Fraction(6, 19))
    assert [solution.suppressed for solution in values] == [6]


def test_no_smaller_table_can_be_less_safe_than_the_paper_says() -> None:
    """Five rows are needed: every table of one column with four rows or fewer keeps what the order says."""
    from itertools import product

    for sizes in [(1,), (2,), (3,), (4,), (1, 1), (1, 2), (1, 3), (2, 2), (1, 1, 1), (1, 1, 2), (1, 1, 1, 1)]:
        for secrets in product("xyz", repeat=sum(sizes)):
            made = classes(*sizes, secrets="".join(secrets))
            for prefer in ("k", "l"):
                (solution,) = as_it_is(made, PaperProblem(4, prefer))
                ((names, bounds),) = keep_as_json(solution.recoding.keep).items()
                said = dict(zip(names.split(","), map(float, bounds[2:].split(",")), strict=True))
                assert all(solution.values[name] >= bound for name, bound in said.items()), (sizes, secrets)


def test_the_sound_version_puts_up_every_pair_within_the_limit() -> None:
    made = classes(2, 3, 4, secrets="xy" + "xxx" + "xyzx")
    found = as_it_is(made, PaperProblem(4, sound=True), Fraction(5, 9))
    pairs = {(s.values["k"], s.values["l-distinct"], s.suppressed) for s in found}
    # All; without the first; without the second; without both.
    assert pairs == {(2, 1, 0), (3, 1, 2), (2, 2, 3), (4, 3, 5)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5,), "problem: there is no problem 5; give 1, 2, 3 or 4"),
        ((1, "t"), "prefer: 't' is neither k nor l; give k or l"),
        ((2, None, True), "sound: only Problem 4 has a sound version; leave it out"),
        ((2, None, False, True), "floor_l: only Problem 4 puts classes in order by both; leave it out"),
        (
            (4, None, True, True),
            "floor_l: the sound version knows no whole numbers: it tries every threshold; leave it out, or "
            "ask for 'k', 'l', 'loss' suppress='any:0.1'",
        ),
    ],
)
def test_problems_that_there_are_not(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as raised:
        PaperProblem(*arguments)
    assert str(raised.value) == message


def test_l_needs_a_sensitive_column() -> None:
    made = study({"q": {"role": "quasi", "hierarchy": {"flat": True}}}, q=["a", "b"])
    with pytest.raises(InputError, match="needs a column of role 'sensitive'"):
        CutsProblem.of_paper(PaperProblem(1, "l"), made.cube, NOTHING)
