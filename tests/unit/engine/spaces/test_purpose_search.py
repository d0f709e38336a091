"""Whether a purpose can be achieved: beside every candidate of small tables, measured one by one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.measures import CLASS_SIZE, Objective, Realized
from paretonym.engine.measures.estimates import declared
from paretonym.engine.recoding import Classes, parse_keep
from paretonym.engine.search import Problem, evaluator
from paretonym.research.exams.random_tables import text_table
from paretonym.study import Run, Study
from tests.unit.engine.measures.estimates.test_declared_analyses import SCHEMA, random_study


def study_of(seed: int, overlap: float, table: float, further: str = "") -> Study:
    """A random table with one purpose of a regression and a table; its rows have weights or belong to
    persons, if that is wanted."""
    schema: dict[str, Any] = deepcopy(SCHEMA)
    schema["purpose"] = [
        {"name": "pay", "regression": "pay ~ age + area", "tolerance": {"ci-overlap": overlap}},
        {"name": "pay", "table": ["sex", "area"], "tolerance": {"table-error": table}},
    ]
    source = random_study(seed).source
    columns = {name: source.repeat().column(name) for name in schema["columns"]}
    texts = {
        name: [None if code < 0 else column.texts[code] for code in column.codes.tolist()]
        for name, column in columns.items()
    }
    draw = Random(seed)
    if further == "weights":
        schema["columns"]["weight"] = {"role": "weight"}
        texts["weight"] = [str(draw.randint(1, 9)) for _ in texts["age"]]
    elif further == "persons":
        schema["columns"]["who"] = {"role": "person"}
        texts["who"] = [str(draw.randrange(70)) for _ in texts["age"]]
    elif further:
        schema["purpose"] = PURPOSES_OF[further](overlap, table)
    return Study(text_table(texts), schema)


# Of these kinds, analyses whose bounds have most to go wrong: values are missing in a column of a table, a
# class column follows from nothing that is generalized.
PURPOSES_OF: dict[str, Callable[[float, float], list[dict[str, Any]]]] = {
    "products": lambda overlap, table: [
        {"name": "pay", "regression": "pay ~ age*sex", "tolerance": {"ci-overlap": overlap}},
        {"name": "pay", "regression": "label ~ age:area", "tolerance": {"sign-kept": overlap}},
    ],
    "missing values": lambda overlap, table: [
        {"name": "pay", "table": ["age"], "tolerance": {"table-error": table}},
        {"name": "pay", "table": ["age", "label"], "tolerance": {"table-error": table + 0.1}},
    ],
    "groups": lambda overlap, table: [
        {"name": "pay", "mean": "age", "by": ["sex"], "tolerance": {"mean-error": 4 * table}},
        {"name": "pay", "quantile": ["age", 0.25], "tolerance": {"quantile-error": table}},
        {"name": "pay", "table": ["label", "sex"], "tolerance": {"table-error": table / 4}},
    ],
}


def every_candidate(study: Study, run: Run) -> list[tuple[int, float]]:
    """The k of every candidate, and by how much it misses the purpose; 0 if it meets it."""
    assert run.search.rule is not None
    objectives = (Objective.of(CLASS_SIZE, study.cube),)
    problem = Problem(study.cube, objectives, run.search.rule)
    facts = problem.facts(evaluator(problem)(np.arange(problem.lattice.size, dtype=np.int64)))
    found = []
    for node, smallest in zip(facts.node.tolist(), facts.smallest.tolist(), strict=True):
        classes = Classes.at_levels(study.cube, problem.lattice.named(problem.lattice.levels(node)))
        seen = Realized.of_classes(study.cube, classes, parse_keep({"k": f">={smallest}"}))
        results = [analysis.result(seen) for analysis in declared(study.cube, ["pay"])]
        missed = max(result.shortfall for result in results)
        assert (missed <= 0) == all(result.met for result in results)
        found.append((smallest, missed))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("suppress", ["0.05", "any:0.2"])
def test_the_answer_equals_exhaustive_search(seed: int, suppress: str) -> None:
    verdicts: set[str] = set()
    for overlap, table, k in ((0.3, 0.3, 2), (0.6, 0.1, 3), (0.9, 0.05, 4), (0.2, 0.5, 6)):
        check_beside_every_candidate(study_of(seed, overlap, table), suppress, k, verdicts)
    assert verdicts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("further", ["weights", "persons", *PURPOSES_OF])
def test_the_answer_of_other_tables_equals_exhaustive_search(seed: int, further: str) -> None:
    verdicts: set[str] = set()
    for overlap, table, k in ((0.6, 0.1, 3), (0.9, 0.05, 4), (0.2, 0.4, 2)):
        check_beside_every_candidate(study_of(seed, overlap, table, further), "any:0.1", k, verdicts)
    assert verdicts


def check_beside_every_candidate(study: Study, suppress: str, k: int, verdicts: set[str]) -> None:
    run = study.explore("k", "loss", suppress=suppress, space="lattice")
    every = every_candidate(study, run)
    answer = run.purpose("pay", at_least={"k": k})
    meeting = [size for size, missed in every if missed <= 0 and size >= k]
    verdicts.add(answer.verdict)
    assert answer.candidates == sum(size >= k for size, _ in every)
    assert answer.proven
    if meeting:
        assert answer.best is not None
        assert answer.best.met
        assert answer.best.solution["k"] == max(meeting)
        return
    assert answer.verdict == "not achievable"
    below = [size for size, missed in every if missed <= 0]
    (weaker,) = (miss for miss in answer.misses if miss.words.startswith("with k"))
    assert weaker.trial.met
    assert weaker.trial.solution["k"] == max(below)
    nearest = answer.misses[0].trial
    assert nearest.solution["k"] >= k
    least = min(missed for size, missed in every if size >= k)
    assert max(result.shortfall for result in nearest.results) == least > 0


def test_both_verdicts_occur() -> None:
    easy = study_of(0, 0.0, 1.0).explore("k", "loss", suppress=0, space="lattice")
    assert easy.purpose("pay", at_least={"k": 5}).verdict == "achievable"
    hard = study_of(0, 1.0, 0.0).explore("k", "loss", suppress=0, space="lattice")
    answer = hard.purpose("pay", at_least={"k": 5})
    assert answer.verdict == "not achievable"
    assert "proven among one level per column" in str(answer)


def test_other_methods_prove_nothing() -> None:
    run = study_of(0, 1.0, 0.0).explore("k", "loss", space="local")
    answer = run.purpose("pay", at_least={"k": 5})
    assert (answer.verdict, answer.proven) == ("not found", False)
    assert "nothing is proven" in str(answer)


def test_a_purpose_that_is_not_declared_is_refused() -> None:
    run = study_of(0, 0.5, 0.5).explore("k", "loss", suppress=0, space="lattice")
    with pytest.raises(InputError, match="no purpose 'cost'"):
        run.purpose("cost")


def test_purposes_are_objectives_and_limits() -> None:
    study = study_of(0, 0.5, 0.2)
    run = study.explore("k", "purpose@pay", suppress="0.05", space="lattice")
    every = every_candidate(study, run)
    assert max(s["k"] for s in run if s["purpose@pay"] == 1) == max(
        size for size, missed in every if missed <= 0
    )
    within = study.explore("k", "loss", suppress="0.05", space="lattice", at_least={"purpose": 1})
    assert max(s["k"] for s in within) == max(size for size, missed in every if missed <= 0)
