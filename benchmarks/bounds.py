"""What each bound of exact search closes, alone and together: `python -m benchmarks.bounds`.

Adult at 1 %. Each column is one search with some of the bounds switched off: how many nodes it evaluated, and
the CPU seconds that it took. `k` is the bound that is always there: k never rises when a node is specialized,
and losses have floors. The sweep over all nodes, which takes over where bounds close little, is switched off
too, so that the numbers show the bounds themselves; `all nodes` is that sweep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from paretonym.base.budget import Limits
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.archive import Found, Search
from paretonym.engine.search.exact import search_exact
from paretonym.engine.search.exhaustive import search_exhaustive
from paretonym.engine.search.problem import Problem
from paretonym.study.study import example

QUESTIONS = (
    ("k", "loss"),
    ("k", "l", "loss"),
    ("k", "t", "loss"),
    ("k", "l", "t", "loss"),
    ("k", "l", "t", "loss", "sl"),
    ("k", "l", "gl", "sl"),
    ("k", "l", "discernibility"),
    ("k", "discernibility"),
    ("k", "loss", "discernibility"),
)
# How each bound is switched off: the name in the code, and what takes its place.
OFF: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "stairs": (
        ("paretonym.engine.search.bounds.stairs",),
        lambda problem, most: np.array([1], dtype=np.int64),
    ),
    "reach": (("paretonym.engine.search.bounds.is_reached",), lambda problem, objective: False),
    "witnesses": (("paretonym.engine.search.exact.witnesses_help",), lambda problem: False),
    "sizes": (
        ("paretonym.engine.search.exact.sweep_is_needed", "paretonym.engine.search.exact.sweep_pays"),
        lambda problem, limits: False,
    ),
    "below": (("paretonym.engine.search.exact.floored_below",), lambda problem: ()),
}
SETS = {"k": (), **{f"k, {name}": (name,) for name in OFF}, "together": tuple(OFF)}


def main() -> None:
    cube = example("adult").cube
    heading = "".join(f"{name:>20}" for name in (*SETS, "all nodes"))
    print(f"Adult at 1 %, 17,920 nodes: evaluated, and CPU seconds\n{'':<26}{heading}")
    for names in QUESTIONS:
        problem = Problem.of(cube, names, parse_suppression("1%"))
        cells = [searched(problem, bounds) for bounds in SETS.values()]
        cells.append(timed(search_exhaustive, problem))
        values = {tuple(map(tuple, found.values.tolist())) for found, _ in cells}
        if len(values) > 1:
            raise AssertionError(f"({', '.join(names)}): bounds change the frontier")
        row = "".join(f"{found.evaluated:>12,}{seconds:>8.2f}" for found, seconds in cells)
        print(f"{'(' + ', '.join(names) + ')':<26}{row}", flush=True)


def searched(problem: Problem, bounds: tuple[str, ...]) -> tuple[Found, float]:
    """What exact search finds with these bounds alone."""
    with without(tuple(name for name in OFF if name not in bounds)):
        return timed(search_exact, problem)


@contextmanager
def without(names: tuple[str, ...]) -> Iterator[None]:
    """Switch some bounds off, and the sweep over all nodes."""
    with ExitStack() as stack:
        for walk in ("exact._Descent", "branch_and_bound._BranchAndBound"):
            stack.enter_context(patch(f"paretonym.engine.search.{walk}.too_many", lambda *_: False))
        stack.enter_context(patch("paretonym.engine.search.exact.boxes_pay", lambda *_: True))
        for name in names:
            places, instead = OFF[name]
            for place in places:
                stack.enter_context(patch(place, instead))
        yield


def timed(search: Search, problem: Problem) -> tuple[Found, float]:
    start = time.process_time()
    found = search(problem, Limits(threads=1))
    return found, time.process_time() - start


if __name__ == "__main__":
    main()
