"""How fast cuts are evaluated, and how much farther the hybrid search gets than the paper's NSGA-II.

`python benchmarks/cuts.py speed`: 50,000 evaluations of Problem 2 on all cores, beside key building and
`numpy.unique`, and what the loop around them costs. `python benchmarks/cuts.py compare 2 --seeds 10`: the
hypervolume of both searches with equal numbers of evaluations, seed by seed.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

import paretonym
from paretonym.recoding.cuts.space import Genomes
from paretonym.search.cuts import evaluating
from paretonym.search.cuts.archive import share
from paretonym.search.cuts.four_problems import PaperProblem
from paretonym.search.cuts.hybrid import search_hybrid
from paretonym.search.cuts.nsga2 import search_nsga2
from paretonym.search.cuts.problem import CutsProblem
from paretonym.search.limits import Limits
from paretonym.search.tuning import Tuning
from paretonym.study import Study

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
    return PaperProblem(number, sound=sound).of(study(number == 4).cube, TENTH)


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
    inner = evaluating.Evaluator._counted

    def watched(self, genomes):  # type: ignore[no-untyped-def]
        started = time.perf_counter()
        result = inner(self, genomes)
        spent[0] += time.perf_counter() - started
        return result

    search_nsga2(asked, Limits(), Tuning(generations=2))
    plain = by_unique(asked, asked.space.random(100, np.random.default_rng(0)))
    evaluating.Evaluator._counted = watched  # type: ignore[method-assign]
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
    evaluating.Evaluator._counted = inner  # type: ignore[method-assign]


def compare(number: int, seeds: range, sound: bool, generations: int) -> None:
    asked = problem(number, sound)
    ahead = 0
    for seed in seeds:
        started = time.perf_counter()
        theirs = search_nsga2(asked, Limits(), Tuning(seed=seed, generations=generations))
        middle = time.perf_counter()
        ours = search_hybrid(asked, Limits(), Tuning(seed=seed, evaluations=theirs.evaluated))
        ended = time.perf_counter()
        volumes = share(theirs.front.values, asked), share(ours.front.values, asked)
        ahead += volumes[1] > volumes[0]
        print(
            f"Problem {number}, seed {seed}: nsga2 {volumes[0]:.5f} ({theirs.evaluated:,}, "
            f"{middle - started:.0f} s), hybrid {volumes[1]:.5f} ({ours.evaluated:,}, "
            f"{ended - middle:.0f} s); hybrid ahead in {ahead}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "compare"])
    parser.add_argument("number", type=int, nargs="?", default=2)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--generations", type=int, default=250)
    parser.add_argument("--sound", action="store_true")
    given = parser.parse_args()
    if given.what == "speed":
        speed(given.number)
    else:
        compare(given.number, range(given.first, given.first + given.seeds), given.sound, given.generations)


if __name__ == "__main__":
    main()
