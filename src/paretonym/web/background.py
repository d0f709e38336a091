"""Other candidates behind a frontier: a sample of what was possible and is beaten. For the eye alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from paretonym.errors import InputError
from paretonym.frontier.solution import number_to_json
from paretonym.measures.numbers import rounded
from paretonym.recoding.suppression import parse_suppression
from paretonym.search.evaluating import plain_evaluator
from paretonym.search.problem import Problem
from paretonym.web.runs import OpenRun

MOST_NODES = 250
MOST_CANDIDATES = 1000


def candidates(run: OpenRun) -> dict[str, Any]:
    """Values of candidates at nodes drawn evenly over the lattice, always the same ones; none where the data
    are gone or the space is another one."""
    if run.frontier.search.space != "lattice":
        return {"values": {}, "note": "This space has no sample of other candidates."}
    try:
        return {"values": _sampled(run), "note": ""}
    except InputError as error:
        return {"values": {}, "note": str(error)}


def _sampled(run: OpenRun) -> dict[str, list[Any]]:
    options = run.record.options
    problem = Problem.of(
        run.origin.study.cube,
        tuple(options["objectives"]),
        parse_suppression(options["suppress"]),
        options.get("settings") or None,
    )
    size = problem.lattice.size
    nodes = np.random.default_rng(0).choice(size, min(size, MOST_NODES), replace=False)
    # Without the compiler: it would keep other threads waiting for longer than the picture is worth.
    facts = problem.facts(plain_evaluator(problem)(np.sort(nodes).astype(np.int64)))
    places = np.random.default_rng(0).permutation(len(facts))[:MOST_CANDIDATES]
    wanted = [m for m in problem.measured if m.name in run.measures]
    columns = {m.name: rounded(m.value(facts))[places].tolist() for m in wanted}
    return {name: [number_to_json(value) for value in column] for name, column in columns.items()}
