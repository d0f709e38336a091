"""The attack of combinatorial refinement on local recodings: `python -m benchmarks.combinatorial_refinement`.

The attack (Chhillar, Righi, Sutter and Kornaropoulos, arXiv 2509.03350) knows the release, the hierarchies, k
and the algorithm, and nothing about anybody. A greedy algorithm that shows rows at the cheapest node first
gives away that rows shown later did not reach k at any cheaper node: in every group of such a node fewer than
k rows were left. With the sizes of the released classes, which may overlap, that is a linear program over the
number of rows of each class in each combination of values. The least and the largest number of rows of a
class that can have some value of a generalized column are its answer.

Without it, a class of n rows that shows the smallest sets that contain it says of every value below a shown
set that 0 to n - 1 rows have it. Printed are, for the greedy sequence and for the improved partition that is
released: how much narrower the range gets, how many values are then certain to occur or not to occur in a
class, and how often the range is wrong, since an improved partition need not be as the attacker assumes.
scipy is needed.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog  # type: ignore[import-untyped]
from scipy.sparse import csr_array  # type: ignore[import-untyped]

from paretonym.engine.counts import Cube
from paretonym.engine.spaces.local.local_table import SequenceCounts
from paretonym.study.study import Study
from paretonym.tables.source.example_data import write_adult_csv

ROWS, K, MOST_QUESTIONS = 500, 5, 60
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20, 40]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "race": {"role": "quasi", "hierarchy": {"flat": True}},
    "marital-status": {"role": "quasi", "hierarchy": {"flat": True}},
}


class Shown(NamedTuple):
    """A released class: its rows, the level of each column, the combinations of values inside its sets, and
    how many of its rows have each (which the attacker does not know)."""

    rows: int
    levels: tuple[int, ...]
    cells: np.ndarray
    truth: np.ndarray


def study_of(rows: int) -> Study:
    with tempfile.TemporaryDirectory() as folder:
        write_adult_csv(table := Path(folder) / "adult.csv")
        lines = table.read_text(encoding="utf-8").splitlines()[: rows + 1]
        table.write_text("\n".join([*lines, ""]), encoding="utf-8")
        others = {name: {"role": "drop"} for name in lines[0].split(",") if name not in COLUMNS}
        study = Study(table, {"columns": {**others, **COLUMNS}})
        _ = study.cube
    return study


def mappings(cube: Cube) -> list[list[np.ndarray]]:
    """For every column and level the set of each value."""
    return [[axis.mapping(0, level) for level in range(axis.hierarchy.height + 1)] for axis in cube.axes]


def released(cube: Cube, of_tuple: np.ndarray) -> list[Shown]:
    """The classes of a partition as the attacker sees them; those that show equal sets are one."""
    sets, merged = mappings(cube), dict[tuple[Any, ...], list[int]]()
    for number in range(int(of_tuple.max()) + 1):
        members = np.flatnonzero(of_tuple == number)
        if not len(members):
            continue
        shown = []
        for j, levels in enumerate(sets):
            values = cube.groups[members, j]
            level = next(i for i, own in enumerate(levels) if len(set(own[values].tolist())) == 1)
            shown.append((level, int(levels[level][values[0]])))
        merged.setdefault(tuple(shown), []).extend(members.tolist())
    classes = []
    for looks, tuples in merged.items():
        inside = [np.flatnonzero(sets[j][level] == group) for j, (level, group) in enumerate(looks)]
        cells = np.array(list(product(*inside)))
        place = {tuple(cell): i for i, cell in enumerate(cells.tolist())}
        truth = np.zeros(len(cells))
        for member in tuples:
            truth[place[tuple(cube.groups[member].tolist())]] += cube.counts[member]
        classes.append(Shown(int(truth.sum()), tuple(level for level, _ in looks), cells, truth))
    return classes


class Refinement:
    """The linear program of a release: what was left at every node before a class was shown."""

    def __init__(self, cube: Cube, classes: list[Shown], nodes: np.ndarray, k: int) -> None:
        self.classes, self.sets = classes, mappings(cube)
        self.begins = np.concatenate([[0], np.cumsum([len(each.cells) for each in classes])])
        self.cells = np.concatenate([each.cells for each in classes])
        rank = {tuple(levels): place for place, levels in enumerate(nodes.tolist())}
        of_cell = np.repeat([rank[each.levels] for each in classes], [len(each.cells) for each in classes])
        rows, variables, number = list[np.ndarray](), list[np.ndarray](), 0
        for place, levels in enumerate(nodes.tolist()):
            later = np.flatnonzero(of_cell > place)
            if not len(later):
                break
            looks = np.stack([self.sets[j][level][self.cells[later, j]] for j, level in enumerate(levels)])
            _, group = np.unique(looks, axis=1, return_inverse=True)
            rows.append(group.reshape(-1) + number)
            variables.append(later)
            number += int(group.max()) + 1
        below = np.concatenate(rows), np.concatenate(variables)
        self.groups = csr_array((np.ones(len(below[0])), below), shape=(number, len(self.cells)))
        self.groups = self.groups[np.unique(below[0])]
        whose = np.repeat(np.arange(len(classes)), np.diff(self.begins))
        ones = np.ones(len(whose)), (whose, np.arange(len(whose)))
        self.sizes, self.k = csr_array(ones, shape=(len(classes), len(whose))), k

    def range_of(self, number: int, column: int, value: int) -> tuple[int, int] | None:
        """The least and the largest number of rows of a class with a value of a column; None where the
        program has no solution."""
        chosen = np.zeros(len(self.cells))
        inside = slice(self.begins[number], self.begins[number + 1])
        chosen[inside] = self.below(number, column)[1] == value
        ends = []
        for sign in (1, -1):
            ended = linprog(
                sign * chosen, self.groups, np.full(self.groups.shape[0], self.k - 1), self.sizes,
                np.array([each.rows for each in self.classes], dtype=float), method="highs",
            )  # fmt: skip
            if ended.status == 2:
                return None
            ends.append(sign * ended.fun)
        return int(np.ceil(ends[0] - 1e-6)), int(np.floor(ends[1] + 1e-6))

    def below(self, number: int, column: int) -> tuple[np.ndarray, np.ndarray]:
        """The values of a column one level below what a class shows, and that of each of its cells."""
        shown = self.classes[number]
        groups = self.sets[column][shown.levels[column] - 1][shown.cells[:, column]]
        return np.unique(groups), groups


def attack(cube: Cube, of_tuple: np.ndarray, nodes: np.ndarray, words: str) -> None:
    classes = released(cube, of_tuple)
    program, generator = Refinement(cube, classes, nodes, K), np.random.default_rng(0)
    questions = [
        (number, column, int(value))
        for number, each in enumerate(classes)
        for column, level in enumerate(each.levels)
        if level
        for value in program.below(number, column)[0]
    ]
    chosen = generator.permutation(len(questions))[:MOST_QUESTIONS]
    narrower, occurs, absent, wrong = list[float](), 0, 0, 0
    for place in chosen.tolist():
        number, column, value = questions[place]
        shown, ends = classes[number], program.range_of(number, column, value)
        if ends is None:
            print(f"{words}: no table fits what the attacker assumes; nothing is learned")
            return
        truth = int(shown.truth[program.below(number, column)[1] == value].sum())
        low, high = ends[0], min(ends[1], shown.rows - 1)
        narrower.append(1 - (high - low) / (shown.rows - 1))
        # That both of two values occur is what the release says itself.
        occurs += low > 0 and len(program.below(number, column)[0]) > 2
        absent += high == 0
        wrong += not low <= truth <= high
    asked = len(chosen)
    print(
        f"{words}: {len(classes)} classes, {asked} of {len(questions)} values of classes; range narrower by "
        f"{100 * np.mean(narrower):.1f} %, certain to occur {100 * occurs / asked:.1f} %, certainly absent "
        f"{100 * absent / asked:.1f} %, wrong {100 * wrong / asked:.1f} %"
    )


def main() -> int:
    study = study_of(ROWS)
    cube = study.cube
    counts = SequenceCounts.of(cube)
    order = np.argsort(counts.plan.order)
    nodes = counts.nodes()
    greedy, _ = counts.shown(nodes, K)
    print(f"Adult, {cube.rows:,} rows, {cube.tuples:,} distinct, four quasi-identifiers, k = {K}")
    attack(cube, greedy, nodes[:, order], "cheapest node first")
    (best,) = study.explore("loss", space="local", suppress="1%", at_least={"k": K})
    made = study.realized(best.recoding)
    of_tuple = np.where(made.stays[made.classes.of_tuple], made.classes.of_tuple, -1)
    attack(cube, of_tuple, nodes[:, order], "improved partition, which is released")
    return 0


if __name__ == "__main__":
    sys.exit(main())
