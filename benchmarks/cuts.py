"""How fast cuts are evaluated, and how much farther the hybrid search gets than the paper's NSGA-II.

`python benchmarks/cuts.py speed`: 50,000 evaluations of Problem 2 on all cores, beside key building and
`numpy.unique`, and what the loop around them costs. `python benchmarks/cuts.py compare 1 2 --seeds 10`: the
hypervolume of both searches with equal numbers of evaluations, seed by seed. `--full` is the paper's budget,
250 generations, which is what `compare` takes unless `--generations` says less; `--threads 1` leaves the
other cores to others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

import paretonym
from paretonym.base.arrays import Floats
from paretonym.base.budget import Limits, usable_cores
from paretonym.base.thread_pool import workers
from paretonym.engine.frontier import hypervolume
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts import GENERATIONS
from paretonym.engine.spaces.cuts import genome_evaluation as evaluating
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.four_problems import PaperProblem
from paretonym.engine.spaces.cuts.genome_evaluation import CutsFound, costs_of
from paretonym.engine.spaces.cuts.genome_space import Genomes
from paretonym.engine.spaces.cuts.hybrid import Hybrid
from paretonym.research.papers.methods.nsga2 import search_nsga2
from paretonym.study.study import Study

TENTH = Fraction(1, 10)


def study(sensitive: bool) -> Study:
    """Adult as in the paper; for Problem 4 the occupation is sensitive."""
    example = paretonym.example("adult-nine")
    if not sensitive:
        return example
    columns = tuple(
        replace(column, role="sensitive", hierarchy=None) if column.name == "occupation" else column
        for column in example.schema.columns
    )
    return Study(example.table, replace(example.schema, columns=columns, text=None))


def problem(number: int, sound: bool = False) -> CutsProblem:
    return CutsProblem.of_paper(PaperProblem(number, sound=sound), study(number == 4).cube, TENTH)


def search_hybrid(asked: CutsProblem, limits: Limits, tuning: Tuning) -> CutsFound:
    """The hybrid search without its bounds, which would evaluate more."""
    with workers(limits.threads) as pool:
        budget = tuning.evaluations or 200 * (GENERATIONS + 1)
        evaluator = evaluating.Evaluator(asked, pool)
        search = Hybrid(asked, limits, budget, tuning.seed or 0, evaluator)
        search.begin()
        search.improve()
        return search.found()


def volume(values: Floats, problem: CutsProblem) -> float:
    """The hypervolume of vectors, as a share of a box that depends on the table alone."""
    directions = problem.directions
    corner = [0.0 if direction == "max" else 1.0 for direction in directions]
    return hypervolume(costs_of(values, problem), ["min"] * len(directions), corner)


def by_unique(asked: CutsProblem, genomes: Genomes) -> float:
    """Seconds for one genome with numpy: keys by look-up, classes by sorting them."""
    cube, space = asked.cube, asked.space
    columns = np.ascontiguousarray(cube.groups.T)
    started = time.perf_counter()
    for genome in genomes:
        keys = np.zeros(cube.tuples, dtype=np.int64)
        for j, axis in enumerate(space.axes):
            groups = np.concatenate([[0], np.cumsum(genome[space.part(j)])])[axis.atom_of_group]
            keys = keys * (int(groups[-1]) + 1) + groups[columns[j]]
        _, classes = np.unique(keys, return_inverse=True)
        np.bincount(classes, weights=cube.counts)
    return (time.perf_counter() - started) / len(genomes)


def speed(number: int) -> None:
    asked = problem(number)
    spent = [0.0]
    inner = evaluating.Evaluator._measured

    def watched(self, genomes):  # type: ignore[no-untyped-def]
        started = time.perf_counter()
        result = inner(self, genomes)
        spent[0] += time.perf_counter() - started
        return result

    search_nsga2(asked, Limits(), Tuning(generations=2))
    plain = by_unique(asked, asked.space.random(100, np.random.default_rng(0)))
    evaluating.Evaluator._measured = watched  # type: ignore[method-assign]
    for name, search in (("nsga2", search_nsga2), ("hybrid", search_hybrid)):
        spent[0], started = 0.0, time.perf_counter()
        found = search(asked, Limits(), Tuning())
        whole = time.perf_counter() - started
        each = spent[0] / found.evaluated
        print(
            f"Problem {number}, {name}: {found.evaluated:,} evaluations in {whole:.1f} s, "
            f"{each * 1e6:.0f} µs each; numpy {plain * 1e6:.0f} µs: {plain / each:.0f} times faster; "
            f"around it {1 - spent[0] / whole:.0%}",
            flush=True,
        )
    evaluating.Evaluator._measured = inner  # type: ignore[method-assign]


def compare(number: int, seeds: range, sound: bool, generations: int, threads: int) -> None:
    asked = problem(number, sound)
    volumes: list[tuple[float, float]] = []
    for seed in seeds:
        started = time.perf_counter()
        theirs = search_nsga2(asked, Limits(threads), Tuning(seed=seed, generations=generations))
        middle = time.perf_counter()
        ours = search_hybrid(asked, Limits(threads), Tuning(seed=seed, evaluations=theirs.evaluated))
        ended = time.perf_counter()
        volumes.append((volume(theirs.front.values, asked), volume(ours.front.values, asked)))
        print(
            f"Problem {number}, seed {seed}: nsga2 {volumes[-1][0]:.5f} ({theirs.evaluated:,}, "
            f"{middle - started:.0f} s), hybrid {volumes[-1][1]:.5f} ({ours.evaluated:,}, "
            f"{ended - middle:.0f} s)",
            flush=True,
        )
    print(f"Problem {number}, {generations} generations: {summary(volumes)}", flush=True)


def summary(volumes: Sequence[tuple[float, float]]) -> str:
    """The range of each search, and how often ours is ahead."""
    theirs, ours = zip(*volumes, strict=True)
    ahead = sum(our > their for their, our in volumes)
    return (
        f"nsga2 {min(theirs):.4f} … {max(theirs):.4f}, hybrid {min(ours):.4f} … {max(ours):.4f}; "
        f"hybrid ahead in {ahead} of {len(volumes)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "compare"])
    parser.add_argument("numbers", type=int, nargs="*", default=[2], metavar="NUMBER")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--generations", type=int, default=GENERATIONS)
    budget.add_argument("--full", dest="generations", action="store_const", const=GENERATIONS)
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--sound", action="store_true")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    for number in given.numbers:
        if given.what == "speed":
            speed(number)
        else:
            compare(number, seeds, given.sound, given.generations, given.threads)


if __name__ == "__main__":
    main()
