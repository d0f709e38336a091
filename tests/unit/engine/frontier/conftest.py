"""Frontiers made by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from paretonym.engine.frontier.pareto_frontier import Objective, TableFacts
from paretonym.engine.frontier.search_facts import SearchFacts
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.explored_run import Run, Solution

Handmade: TypeAlias = Callable[..., Run]
DIRECTIONS = {"k": "max", "weighted-k": "max", "l": "max", "loss": "min", "t": "min"}


@pytest.fixture
def handmade() -> Handmade:
    """A frontier with the given vectors, in the order k, loss unless named otherwise."""

    def make(
        vectors: Sequence[Sequence[float]], names: Sequence[str] = ("k", "loss"), complete: bool = True
    ) -> Run:
        solutions = tuple(
            Solution(
                f"{place:06d}",
                {"sl": 0.0, **dict(zip(names, map(float, vector), strict=True))},
                0,
                LatticeRecoding.of({"age": place}, {"k": ">=1"}),
            )
            for place, vector in enumerate(vectors)
        )
        return Run(
            TableFacts(1000, 1000, ("age",), ("illness",)),
            (SearchFacts("lattice", 10, "exact", complete, None, "0.1", 0 if complete else 7),),
            tuple(Objective(name, DIRECTIONS[name]) for name in names),
            solutions,
        )

    return make
