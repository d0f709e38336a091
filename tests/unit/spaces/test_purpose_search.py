"""Whether a purpose can be achieved: beside every candidate of small tables, measured one by one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from paretonym.errors import InputError
from paretonym.measures import CLASS_SIZE, Objective, Realized
from paretonym.measures.estimates import declared
from paretonym.recoding import Classes, parse_keep
from paretonym.run import Run, Study
from paretonym.search import Problem, evaluator
from paretonym.testing.random_tables import text_table
from tests.unit.measures.estimates.test_declared_analyses import SCHEMA, random_study


def study_of(seed: int, overlap: float, table: float) -> Study:
    """A random table with one purpose of a regression and a table."""
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
    return Study(text_table(texts), schema)


def every_candidate(study: Study, run: Run) -> list[tuple[int, bool]]:
    """The k of every candidate, and whether it is within every tolerance."""
    assert run.search.rule is not None
    objectives = (Objective.of(CLASS_SIZE, study.cube),)
    problem = Problem(study.cube, objectives, run.search.rule)
    facts = problem.facts(evaluator(problem)(np.arange(problem.lattice.size, dtype=np.int64)))
    found = []
    for node, smallest in zip(facts.node.tolist(), facts.smallest.tolist(), strict=True):
        classes = Classes.at_levels(study.cube, problem.lattice.named(problem.lattice.levels(node)))
        seen = Realized.of_classes(study.cube, classes, parse_keep({"k": f">={smallest}"}))
        met = all(analysis.result(seen).met for analysis in declared(study.cube, ["pay"]))
        found.append((smallest, met))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("suppress", ["0.05", "any:0.2"])
def test_the_answer_equals_exhaustive_search(seed: int, suppress: str) -> None:
    verdicts = set()
    for overlap, table, k in ((0.3, 0.3, 2), (0.6, 0.1, 3), (0.9, 0.05, 4), (0.2, 0.5, 6)):
        study = study_of(seed, overlap, table)
        run = study.explore("k", "loss", suppress=suppress, space="lattice")
        every = every_candidate(study, run)
        answer = run.purpose("pay", at_least={"k": k})
        meeting = [size for size, met in every if met and size >= k]
        verdicts.add(answer.verdict)
        assert answer.candidates == sum(size >= k for size, _ in every)
        assert answer.proven
        if meeting:
            assert answer.best is not None
            assert answer.best.met
            assert answer.best.solution["k"] == max(meeting)
            continue
        assert answer.verdict == "not achievable"
        below = [size for size, met in every if met]
        (weaker,) = (miss for miss in answer.misses if miss.words.startswith("with k"))
        assert weaker.trial.met
        assert weaker.trial.solution["k"] == max(below)
        assert not answer.misses[0].trial.met
        assert answer.misses[0].trial.solution["k"] >= k
    assert verdicts


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
    assert max(s["k"] for s in run if s["purpose@pay"] == 1) == max(size for size, met in every if met)
    within = study.explore("k", "loss", suppress="0.05", space="lattice", at_least={"purpose": 1})
    assert max(s["k"] for s in within) == max(size for size, met in every if met)
