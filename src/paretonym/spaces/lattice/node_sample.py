"""Candidates at nodes drawn evenly over the lattice: what was possible and is beaten. For the eye alone."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from paretonym.counts import joined
from paretonym.measures import number_to_json
from paretonym.rounding import rounded
from paretonym.search import Problem, evaluator
from paretonym.spaces.space import Sample

MOST_NODES = 250
MOST_CANDIDATES = 1000
MOST_SECONDS = 2.0
FEW = 8


def node_sample(problem: Problem) -> Sample:
    """Always the same nodes. Where a problem puts up thresholds on more than class size, which takes long,
    those on size up to the same share of rows."""
    if not problem.by_size:
        problem = replace(problem, suppression=replace(problem.suppression, rule="limit"))
    size = problem.lattice.size
    nodes = np.random.default_rng(0).choice(size, min(size, MOST_NODES), replace=False).astype(np.int64)
    evaluate, end = evaluator(problem), time.monotonic() + MOST_SECONDS
    parts, done = [evaluate(nodes[:1])], 1
    while done < len(nodes) and time.monotonic() <= end:
        parts.append(evaluate(nodes[done : done + FEW]))
        done = min(done + FEW, len(nodes))
    facts = problem.facts(joined(parts))
    allowed = np.flatnonzero(problem.admissible(facts))
    places = np.random.default_rng(0).permutation(allowed)[:MOST_CANDIDATES]
    columns = {m.name: rounded(m.value(facts))[places].tolist() for m in problem.measured}
    values = {name: [number_to_json(value) for value in column] for name, column in columns.items()}
    return Sample(values, len(places), len(allowed), done, size, problem.suppressed_by)
