"""The exam of a measure: does it keep what its card declares, on random tables?

>>> from paretonym.engine.measures.registry import MEASURES
>>> sit_measure_exam(MEASURES["k"], seeds=range(3))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats
from paretonym.engine.measures import Measure
from paretonym.research.exams.candidates import Candidates, every_candidate, require
from paretonym.research.exams.random_tables import PLAIN, RENAMED, RandomTable, Spelling, random_table
from paretonym.study import Study

Check: TypeAlias = Callable[[Measure, int], None]

PAIRS = 200


def exam_table(seed: int, spelling: Spelling = PLAIN) -> RandomTable:
    """A table with columns of every role that a measure can be about."""
    return random_table(Random(seed), spelling, sensitive=1 + seed % 2, labelled=True)


def sit_measure_exam(measure: Measure, seeds: Iterable[int] = range(20)) -> None:
    """Every check, on one random table for each seed; raises `ExamFailed` at the first that does not hold."""
    for seed in seeds:
        for check in MEASURE_CHECKS.values():
            check(measure, seed)


# Every check of every measure asks about the same few tables.
@lru_cache(maxsize=64)
def exam_study(seed: int, spelling: Spelling = PLAIN) -> Study:
    """A study of that table."""
    return exam_table(seed, spelling).study(with_population=True)


def check_row_order(measure: Measure, seed: int) -> None:
    """The order of the rows does not matter."""
    other = exam_table(seed).shuffled(Random(seed + 1))
    shuffled = every_candidate(other.study(with_population=True), measure)
    _require_same(measure, _measured(measure, seed), shuffled, "row order")


def check_renaming(measure: Measure, seed: int) -> None:
    """The names of values and their order do not matter, unless values are drawn at random, which depends on
    an order."""
    if "seed" in measure.parameters:
        return
    renamed = every_candidate(exam_study(seed, RENAMED), measure)
    _require_same(measure, _measured(measure, seed), renamed, "renaming")


def check_range(measure: Measure, seed: int) -> None:
    """No value is outside the card's range, and none is NaN."""
    values = _measured(measure, seed).values
    require(not np.isnan(values).any(), f"{measure.name}: a value is not a number (seed {seed})")
    low, high = measure.scale.lowest, measure.scale.highest
    if low is not None:
        require(values.min() >= low, f"{measure.name}: {values.min()} lies below {low} (seed {seed})")
    if high is not None:
        require(values.max() <= high, f"{measure.name}: {values.max()} lies above {high} (seed {seed})")


def check_unsuppressed(measure: Measure, seed: int) -> None:
    """The value changes as declared from a node to a more general one with nothing suppressed."""
    nodes = _measured(measure, seed).limited(0)
    _require_movement(measure, nodes, measure.algebra.unsuppressed, "unsuppressed", seed)


def check_limited(measure: Measure, seed: int) -> None:
    """The value changes as declared from a node to a more general one under the rule `limit`, for several
    limits."""
    candidates = _measured(measure, seed)
    for suppressible in sorted({0, 1, 2, 3, *np.unique(candidates.gone)[:10].tolist()}):
        nodes = candidates.limited(suppressible)
        _require_movement(measure, nodes, measure.algebra.limited, f"limited to {suppressible} rows", seed)


def check_suppression(measure: Measure, seed: int) -> None:
    """The value changes as declared at one node when classes of a further size are suppressed."""
    candidates = _measured(measure, seed)
    starts = candidates.starts()
    places = np.setdiff1d(np.arange(1, len(candidates.values)), starts)
    before, after = candidates.values[places - 1], candidates.values[places]
    _require(measure, before, after, measure.algebra.suppression, f"suppression (seed {seed})")


MEASURE_CHECKS: Mapping[str, Check] = {
    "row order": check_row_order,
    "renaming": check_renaming,
    "range": check_range,
    "unsuppressed": check_unsuppressed,
    "limited": check_limited,
    "suppression": check_suppression,
}


def _measured(measure: Measure, seed: int) -> Candidates:
    return every_candidate(exam_study(seed), measure)


def _require_same(measure: Measure, left: Candidates, right: Candidates, rule: str) -> None:
    # The last digit may be rounded either way.
    same = left.values.shape == right.values.shape and np.allclose(
        left.values, right.values, rtol=1.1e-9, atol=0, equal_nan=True
    )
    require(same, f"{measure.name}: the value depends on the {rule}")


def _require_movement(
    measure: Measure, nodes: Candidates, movement: str | None, rule: str, seed: int
) -> None:
    """Over random pairs of nodes, the second at or above the first in every level."""
    generator = Random(seed)
    places = {tuple(levels): place for place, levels in enumerate(nodes.levels.tolist())}
    every, highest = list(places), nodes.levels.max(axis=0).tolist()
    pairs = []
    for _ in range(PAIRS):
        low = generator.choice(every)
        high = tuple(generator.randint(start, end) for start, end in zip(low, highest, strict=True))
        pairs.append((places[low], places[high]))
    below, above = np.array(pairs).T
    _require(measure, nodes.values[below], nodes.values[above], movement, f"{rule} (seed {seed})")


def _require(measure: Measure, before: Floats, after: Floats, movement: str | None, rule: str) -> None:
    if movement is None:
        return
    wrong = np.flatnonzero(~MOVES[movement](before, after))
    case = f"from {before[wrong[0]]} to {after[wrong[0]]}" if len(wrong) else ""
    require(not len(wrong), f"{measure.name}: declared '{movement}', but goes {case}, {rule}")


MOVES: Mapping[str, Callable[[Floats, Floats], npt.NDArray[np.bool_]]] = {
    "rises": lambda before, after: after >= before,
    "falls": lambda before, after: after <= before,
    "constant": lambda before, after: after == before,
}
