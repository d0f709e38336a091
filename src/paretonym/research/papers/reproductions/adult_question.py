"""The papers' question to Adult, with every node of its lattice evaluated once: the truth to compare with."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.budget import Limits, usable_cores
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Counted
from paretonym.engine.frontier import frontier_places
from paretonym.engine.recoding import parse_suppression
from paretonym.engine.search import Evaluator, Problem, evaluator, stretches
from paretonym.research.papers.methods.evaluation_cache import Ledger, tabled
from paretonym.study import Study
from paretonym.tables.source.example_data import adult_table, example_path

# The papers print 74 ages, of which two do not occur.
DOMAIN = [17, 90]

Vectors: TypeAlias = set[tuple[float, ...]]

SUPPRESS = "0.01"
# In the order of POkA, Table 2; the salary class comes last.
ATTRIBUTES = (
    "age", "workclass", "education", "marital-status", "race", "sex", "native-country", "income",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Question:
    """Objectives on Adult, and what all nodes answer."""

    study: Study
    objectives: tuple[str, ...]

    @cached_property
    def problem(self) -> Problem:
        return Problem.of(self.study.cube, self.objectives, parse_suppression(SUPPRESS))

    @cached_property
    def counted(self) -> Counted:
        """Every node, in the order of their numbers."""
        threads = usable_cores()
        with workers(threads) as pool:
            pieces = in_parallel(evaluator(self.problem), stretches(self.problem), pool, threads)
            every = Counted.joined([counted for _, counted in pieces])
        return every.take(np.argsort(every.nodes, kind="stable"))

    @cached_property
    def values(self) -> Floats:
        """The objectives of every node."""
        return self.problem.values(self.problem.facts(self.counted))

    @cached_property
    def truth(self) -> Floats:
        """The proven frontier."""
        ranks = np.arange(len(self.values), dtype=np.int64)
        result: Floats = self.values[frontier_places(self.values, self.problem.directions, ranks)]
        return result

    @cached_property
    def _evaluate(self) -> Evaluator:
        return tabled(self.problem, self.counted)

    def ledger(self) -> Ledger:
        """A new ledger: it counts what a search evaluates, and only looks it up."""
        return Ledger(self.problem, Limits(threads=1), evaluate=self._evaluate)

    @property
    def size(self) -> int:
        return self.problem.lattice.size


@cache
def question(*objectives: str) -> Question:
    """Eight quasi-identifiers; with classification error seven, and the salary class is the label."""
    labelled = "classification-error" in objectives
    return Question(_labelled() if labelled else with_attributes(len(ATTRIBUTES)), objectives)


@cache
def fitted_trees() -> Question:
    """k and loss with the trees of workclass and country of our other example: of nineteen sets of trees that
    were tried these come nearest to the printed counts, with as many optima. They were chosen for that."""
    nine = tomllib.loads(example_path("adult-nine.toml").read_text(encoding="utf-8"))["columns"]
    return Question(_changed({name: nine[name] for name in ("workclass", "native-country")}), ("k", "loss"))


@cache
def with_attributes(number: int) -> Study:
    """Adult with the first `number` of the paper's quasi-identifiers, and always the same rows."""
    left_out = {name: {"role": "drop", "missing": "drop"} for name in ATTRIBUTES[number:]}
    return _changed(left_out)


@cache
def _labelled() -> Study:
    return _changed({"income": {"role": "class", "kept": "yes"}})


def _changed(columns: dict[str, Any]) -> Study:
    schema = tomllib.loads(example_path("adult.toml").read_text(encoding="utf-8"))
    age = {**schema["columns"]["age"], "domain": DOMAIN}
    return Study(adult_table(), {**schema, "columns": {**schema["columns"], "age": age, **columns}})


def vectors(values: Floats) -> Vectors:
    return {tuple(row) for row in values.tolist()}
