"""Other candidates behind a frontier: a sample of what was possible and is beaten. For the eye alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from paretonym.cube.counted import joined
from paretonym.errors import InputError
from paretonym.frontier.frontier import Frontier
from paretonym.frontier.record import RunRecord
from paretonym.frontier.solution import number_to_json
from paretonym.measures.numbers import rounded
from paretonym.recoding.suppression import parse_suppression
from paretonym.reopened import Reopened
from paretonym.search.evaluating import plain_evaluator
from paretonym.search.problem import Problem

MOST_NODES = 250
MOST_CANDIDATES = 1000
MOST_SECONDS = 2.0
FEW = 8


def candidates(frontier: Frontier, record: RunRecord, origin: Reopened) -> dict[str, Any]:
    """Values of candidates at nodes drawn evenly over the lattice, always the same ones; none where the data
    are gone or the space is another one."""
    if frontier.search.space != "lattice":
        return {"values": {}, "note": "This space has no sample of other candidates."}
    try:
        return {"values": _sampled(_problem(record, origin)), "note": ""}
    except InputError as error:
        return {"values": {}, "note": str(error)}


def _sampled(problem: Problem) -> dict[str, list[Any]]:
    size = problem.lattice.size
    nodes = np.random.default_rng(0).choice(size, min(size, MOST_NODES), replace=False).astype(np.int64)
    # Without the compiler: it would keep people waiting for longer than the picture is worth.
    evaluate, end = plain_evaluator(problem), time.monotonic() + MOST_SECONDS
    parts = [evaluate(nodes[:1])]
    for start in range(1, len(nodes), FEW):
        if time.monotonic() > end:
            break
        parts.append(evaluate(nodes[start : start + FEW]))
    facts = problem.facts(joined(parts))
    places = np.random.default_rng(0).permutation(len(facts))[:MOST_CANDIDATES]
    columns = {m.name: rounded(m.value(facts))[places].tolist() for m in problem.measured}
    return {name: [number_to_json(value) for value in column] for name, column in columns.items()}


def _problem(record: RunRecord, origin: Reopened) -> Problem:
    """The run's own question; where it puts up thresholds on more than class size, which takes long, those on
    size up to the same share of rows."""
    options = record.options
    cube, names = origin.study.cube, tuple(options["objectives"])
    rule, settings = parse_suppression(options["suppress"]), options.get("settings") or None
    problem = Problem.of(cube, names, rule, settings)
    return problem if problem.by_size else Problem.of(cube, names, replace(rule, rule="limit"), settings)
