"""Other candidates behind a frontier: a sample of what was possible and is beaten. For the eye alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from paretonym.counts.node_counts import joined
from paretonym.errors import InputError
from paretonym.frontier.microdata import Microdata
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.queries.query import parse_where
from paretonym.frontier.run_record import RunRecord
from paretonym.frontier.solution import number_to_json
from paretonym.measures.objective import requirements
from paretonym.recoding.suppression import parse_suppression
from paretonym.rounding import rounded
from paretonym.search.node_evaluation import evaluator
from paretonym.search.problem import Problem

MOST_NODES = 250
MOST_CANDIDATES = 1000
MOST_SECONDS = 2.0
FEW = 8


class Sample(NamedTuple):
    """Values of candidates by measure: `shown` of the `found` ones at `nodes` of `all` nodes.

    >>> print(Sample({}, 1000, 4200, 250, 17920))
    Grey: a sample, 1,000 of the 4,200 candidates at 250 of all 17,920 nodes, drawn evenly.
    """

    values: dict[str, list[Any]]
    shown: int
    found: int
    nodes: int
    all: int

    def __str__(self) -> str:
        if (self.shown, self.nodes) == (self.found, self.all):
            return f"Grey: all {self.shown:,} candidates of all {self.all:,} nodes."
        part = f"{self.shown:,}" if self.shown == self.found else f"{self.shown:,} of the {self.found:,}"
        return f"Grey: a sample, {part} candidates at {self.nodes:,} of all {self.all:,} nodes, drawn evenly."


def candidates(frontier: Frontier, record: RunRecord, data: Microdata) -> dict[str, Any]:
    """Values of candidates at nodes drawn evenly over the lattice, always the same ones, and in words how
    many of how many; none where the data are gone or the space is another one."""
    if frontier.search.space != "lattice":
        return {"values": {}, "note": "Other candidates are not drawn: this space has no sample of them."}
    try:
        problem = _problem(record, data)
    except InputError as error:
        return {"values": {}, "note": f"Other candidates are not drawn: {error}."}
    sample = _sampled(problem)
    return {**sample._asdict(), "note": f"{sample} {_standing(frontier, problem)}".strip()}


def _standing(frontier: Frontier, problem: Problem) -> str:
    """What can be said of all of them."""
    if not frontier.search.complete:
        return "The search proved nothing of them: some may be better than what it found."
    # Under another rule of suppression there may be some that the run never asked about.
    if str(problem.suppression) != frontier.search.suppress:
        return ""
    return "None of them beats the frontier."


def _sampled(problem: Problem) -> Sample:
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
    return Sample(values, len(places), len(allowed), done, size)


def _problem(record: RunRecord, data: Microdata) -> Problem:
    """The run's own question; where it puts up thresholds on more than class size, which takes long, those on
    size up to the same share of rows."""
    options = record.options
    cube, names = data.cube, tuple(options["objectives"])
    rule, settings = parse_suppression(options["suppress"]), options.get("settings") or None
    limits = [parse_where(text) for text in options.get("require", ())]
    least, most = ({m.name: m.bound for m in limits if m.sense == s} for s in ("at-least", "at-most"))
    problem = Problem.of(cube, names, rule, settings, requirements(cube, least, most))
    return problem if problem.by_size else replace(problem, suppression=replace(rule, rule="limit"))
