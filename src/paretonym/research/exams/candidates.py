"""Candidates that exams compare: all those of a small study, measured; and how an exam fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Cube, Margin, Purpose
from paretonym.engine.measures import CLASS_SIZE, Measure, Objective
from paretonym.engine.recoding import Suppression
from paretonym.engine.search import Problem, evaluator
from paretonym.study import Study


class ExamFailed(AssertionError):
    """An implementation does not do what its card declares; the text names the rule and the case."""


def require(holds: bool, rule: str) -> None:
    """Fail the exam unless the rule holds."""
    if not holds:
        raise ExamFailed(rule)


# Enough that only the largest classes of a node must stay.
ALMOST_ALL = Suppression("limit", Fraction(10**9 - 1, 10**9))


@dataclass(frozen=True, eq=False)
class Candidates:
    """One entry for each threshold of each node: its levels, the smallest class that stays, the suppressed
    rows, and the measure's value. Nodes are in order, thresholds ascend, and the first of a node suppresses
    nothing."""

    levels: Integers
    smallest: Integers
    gone: Integers
    values: Floats

    def starts(self) -> Integers:
        """Where the entries of each node begin, and their end."""
        return np.append(np.flatnonzero(self.gone == 0), len(self.gone))

    def limited(self, suppressible: int) -> Candidates:
        """One entry for each node: the highest threshold at which at most this many rows are suppressed."""
        allowed = np.flatnonzero(self.gone <= suppressible)
        last = np.append((self.levels[allowed[1:]] != self.levels[allowed[:-1]]).any(axis=1), True)
        places = allowed[last]
        return Candidates(self.levels[places], self.smallest[places], self.gone[places], self.values[places])


def every_candidate(study: Study, measure: Measure) -> Candidates:
    """All nodes and thresholds of a study that is small enough."""
    asked = asked_for(measure, study.cube)
    objectives = (Objective.of(CLASS_SIZE, study.cube),) + ((asked,) if measure.name != CLASS_SIZE else ())
    problem = Problem(study.cube, objectives, ALMOST_ALL)
    nodes = np.arange(problem.lattice.size, dtype=np.int64)
    facts = problem.facts(evaluator(problem, every_threshold=True)(nodes))
    levels = problem.lattice.level_table(facts.node)
    return Candidates(levels, facts.smallest, facts.gone, rounded(asked.value(facts)))


def asked_for(measure: Measure, cube: Cube) -> Objective:
    """A measure as an objective over this cube, registered or not."""
    margins: Mapping[str | None, Sequence[Margin | Purpose]] = {
        "sensitive": cube.sensitive,
        "class": cube.classes,
        "purposes": cube.purposes,
        None: (),
    }
    return Objective.over(measure.name, measure, margins[measure.counted.over], measure.defaults)
