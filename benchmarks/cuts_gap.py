"""How far from optimal cuts are proven to be: the gap for every k, after some seconds.

`python -m benchmarks.cuts_gap`: Adult with six and with nine quasi-identifiers, at most 1 % of the rows
suppressed, after 60 seconds, the search itself included. `--seconds 60 600` prints both in one run;
`--processor` counts seconds of processor time, whoever else uses the machine; `--threads 1` leaves the other
cores to others; `--every` lists every release instead of some.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

import paretonym
from paretonym.base.budget import Limits, usable_cores
from paretonym.base.thread_pool import workers
from paretonym.engine.frontier.proven_bound import ProvenBound
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.spaces.cuts.cuts_bound import CutsBound
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_evaluation import Evaluator
from paretonym.engine.spaces.cuts.hybrid import Hybrid

EVALUATIONS = 50_200
LISTED = 25
# Below this, a k protects hardly anybody.
FROM = 10


class Gap(NamedTuple):
    """A release, the bound at its k, and the gap as a share of its loss."""

    k: int
    loss: float
    bound: float
    share: float


@dataclass(frozen=True, slots=True)
class ProcessorLimits(Limits):
    """Limits on the processor time of all threads."""

    started: float = field(default_factory=time.process_time)

    @property
    def elapsed(self) -> float:
        return time.process_time() - self.started


def gaps(bound: CutsBound) -> list[Gap]:
    """The gap of every release found, by k."""
    proven = ProvenBound("k", "loss", bound.proven().steps)
    found = sorted((int(k), float(loss)) for k, loss in bound.archive.front.values)
    return [Gap(k, loss, proven.at(k), (loss - proven.at(k)) / loss if loss else 0.0) for k, loss in found]


def measure(name: str, suppress: str, seconds: list[float], clock: Limits, every: bool) -> None:
    problem = CutsProblem.of(paretonym.example(name).cube, ("k", "loss"), parse_suppression(suppress))
    started, threads = time.process_time(), clock.threads
    with workers(threads) as pool:
        search = Hybrid(problem, clock, EVALUATIONS, 0, Evaluator(problem, pool))
        search.begin()
        search.improve()
        print(f"{name}: {len(search.archive.front)} releases found in {clock.elapsed:.0f} s", flush=True)
        bound = CutsBound(problem, search.archive, search.evaluator, clock, pool)
        for each in seconds:
            bound.limits = replace(clock, seconds=each)
            bound.walk(None)
            cpu = time.process_time() - started
            show(f"{name}, {clock.elapsed:.0f} s ({cpu:.0f} s of CPU on {threads} threads)", bound, every)


def show(title: str, bound: CutsBound, every: bool) -> None:
    known = gaps(bound)
    large = [gap for gap in known if gap.k >= FROM]
    shares = np.array([gap.share for gap in large])
    worst = max(large, key=lambda gap: gap.share)
    print(
        f"{title}: {bound.bounded:,} boxes, {len(known)} releases. For k of at least {FROM} the gap is "
        f"{shares.mean():.1%} of the loss on average, at most {worst.share:.1%} (k = {worst.k} at "
        f"{worst.loss:.1%}; no cuts lose less than {worst.bound:.1%}); {(shares <= 0.05).mean():.0%} of the "
        f"releases are within 5 %, {(shares == 0).mean():.0%} proven best",
        flush=True,
    )
    for gap in known[:: 1 if every else max(1, len(known) // LISTED)]:
        print(
            f"  k = {gap.k:6,} at {gap.loss:6.1%}; no cuts lose less than {gap.bound:6.1%}: {gap.share:5.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", default=["adult-six", "adult-nine"])
    parser.add_argument("--suppress", default="0.01")
    parser.add_argument("--seconds", type=float, nargs="+", default=[60.0])
    parser.add_argument("--threads", type=int, default=usable_cores())
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--every", action="store_true")
    given = parser.parse_args()
    for name in given.tables:
        clock = (ProcessorLimits if given.processor else Limits)(given.threads)
        measure(name, given.suppress, sorted(given.seconds), clock, given.every)


if __name__ == "__main__":
    main()
