"""Large lattices, from a million nodes to many thousand million: `make large-lattices`.

Adult with eight to fourteen quasi-identifiers, and made surveys with fifteen to twenty. Each line is a
process of its own, so that its peak of memory is its own. A search that is not proven within the time shows
how far its bound is from what was found: the largest difference in loss over all k.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.growth import ADULT, peak

if TYPE_CHECKING:
    from paretonym.study.study import Study

# Quasi-identifiers beyond those of the built-in schema, in the order in which they are added.
MORE: Mapping[str, Mapping[str, Any]] = {
    "hours-per-week": {"hierarchy": {"intervals": [5, 10, 20, 40]}},
    "relationship": {"hierarchy": {"flat": True}},
    "capital-gain": {"hierarchy": {"intervals": [5000, 10000, 50000]}},
    "capital-loss": {"hierarchy": {"intervals": [500, 1000, 2000]}},
    "education-num": {"hierarchy": {"intervals": [2, 4, 8]}},
    "occupation": {"hierarchy": {"flat": True}},
}
SEED = 0


class Case(NamedTuple):
    """One line: Adult with this many quasi-identifiers, or a survey with rows, questions and a rule."""

    table: str
    quasi: int
    rows: int = 30_162
    suppress: str = "1%"
    objectives: tuple[str, ...] = ("k", "loss")


class Measured(NamedTuple):
    tuples: int
    nodes: int
    seconds: float
    evaluated: int
    found: int
    proven: str
    megabytes: float


CASES = (
    *(Case("adult", quasi) for quasi in (8, 9, 10, 11, 12, 13, 14)),
    *(Case("survey", quasi, 10_000) for quasi in (15, 16, 18, 20)),
)
# The sizes that show the growth: from 10⁴ to 10⁹ nodes and beyond.
QUICK = (8, 10, 12, 14, 16, 20)


def main() -> None:
    parser = argparse.ArgumentParser(description="Search large lattices, each within a time.")
    parser.add_argument("--time", default="60s", help="the most time for each search")
    parser.add_argument("--quick", action="store_true", help="some sizes only, 15 seconds each: two minutes")
    parser.add_argument("--only", default="", help="adult or survey")
    parser.add_argument("--rule", default="1%", help="how many rows may be suppressed")
    arguments = parser.parse_args()
    most = "15s" if arguments.quick else arguments.time
    print(f"Exact search within {most}, suppression {arguments.rule}; times in seconds")
    print(f"{'table':<18}" + "".join(f"{heading:>14}" for heading in HEADINGS), flush=True)
    for case in CASES:
        if arguments.only in case.table and (case.quasi in QUICK or not arguments.quick):
            measured = in_own_process(case._replace(suppress=arguments.rule), most)
            print(f"{case.table:<6}{case.quasi:>3} columns " + "".join(cells(measured)), flush=True)


HEADINGS = ("tuples", "nodes", "searching", "evaluated", "found", "proven", "MB")


def cells(measured: Measured) -> list[str]:
    tuples, nodes, seconds, evaluated, found, proven, megabytes = measured
    wide = f"{nodes:,}" if nodes < 10**10 else f"{nodes:.2g}"
    texts = (
        f"{tuples:,}",
        wide,
        f"{seconds:.1f}",
        f"{evaluated:,}",
        f"{found:,}",
        proven,
        f"{megabytes:,.0f}",
    )
    return [f"{text:>14}" for text in texts]


def in_own_process(case: Case, most: str) -> Measured:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (case, most))


def measure(case: Case, most: str) -> Measured:
    study = made(case)
    tuples = study.cube.tuples
    start = time.perf_counter()
    front = study.explore(*case.objectives, suppress=case.suppress, time=most, remark=print)
    seconds = time.perf_counter() - start
    proven, bound = "yes", front.search.bound
    if bound is not None:
        gap = bound.gap(front)
        proven = f"gap {gap.width:.3f}" if gap is not None else "every k"
    return Measured(
        tuples, front.search.size, seconds, front.record.evaluated if front.record else 0, len(front), proven,
        peak(),
    )  # fmt: skip


def made(case: Case) -> Study:
    return adult(case.quasi) if case.table == "adult" else survey(case.quasi, case.rows)


def adult(quasi: int) -> Study:
    """Adult's complete rows, with some more of its columns as quasi-identifiers."""
    from paretonym.study.study import Study, example
    from paretonym.tables.source.example_data import example_path

    described = tomllib.loads(example_path("adult.toml").read_text(encoding="utf-8"))
    for name in list(MORE)[: quasi - len(ADULT)]:
        described["columns"][name] = {"role": "quasi", **MORE[name]}
    return Study(example("adult").table, described)


def survey(questions: int, rows: int, seed: int = SEED) -> Study:
    """Answers to some questions: every third a number, the others one of a few answers. A hidden trait of the
    person moves all of them, so that rows are alike as they are in surveys."""
    import pyarrow

    from paretonym.study.study import Study

    chance = np.random.default_rng(seed)
    trait = chance.normal(size=rows)
    columns: dict[str, Any] = {}
    schema: dict[str, Any] = {}
    for question in range(questions):
        name = f"q{question + 1}"
        answer = chance.choice([-1, 1]) * trait + chance.normal(scale=chance.uniform(0.5, 2), size=rows)
        share = np.argsort(np.argsort(answer)) / rows
        if question % 3 == 0:
            columns[name] = pyarrow.array(np.minimum((share**1.5 * 80).astype(np.int64), 79))
            schema[name] = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20, 40]}}
        else:
            answers = int(chance.integers(2, 6))
            columns[name] = pyarrow.array([f"a{value}" for value in (share**2 * answers).astype(np.int64)])
            schema[name] = {"role": "quasi", "hierarchy": {"flat": True}}
    return Study(pyarrow.table(columns), {"columns": schema})


if __name__ == "__main__":
    main()
