"""Mondrian with k = 10 on the 45,222 complete rows of Adult and six quasi-identifiers, beside other packages;
what a release costs to measure; and a million rows. `python -m benchmarks.mondrian [PEERS.json]`.

PEERS.json holds seconds by package, as `scripts/peers/mondrian.sh` writes them in an environment of its own.
Ratios are good within one run of both; the machine's load moves all of them.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import paretonym as pn
from paretonym.engine.counts.cube import Cube
from paretonym.engine.counts.tuple_counts import count_tuples
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.equivalence_classes import Recoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.study import Study

K = {"k": 10}
MILLION = 1_000_000


def best(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of several runs, after one that may compile."""
    work()
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def one_unique(cube: Cube) -> float:
    """N: one numpy evaluation of a node, keys built from the rows."""
    columns = [np.repeat(cube.groups[:, j], cube.counts) for j in range(len(cube.axes))]

    def evaluate() -> None:
        key = np.zeros(cube.rows, dtype=np.int64)
        for column, axis in zip(columns, cube.axes, strict=True):
            key = key * axis.groups(1) + axis.mapping(0, 1)[column]
        np.unique(key, return_counts=True)

    return best(evaluate, 20)


def from_rows(study: Study) -> float:
    """All of it: schema and table to the cube, and the cube to classes."""
    return best(lambda: PartsRecoding.of(K).classes(count_tuples(study.table, study.bound)))


def million(study: Study) -> tuple[float, float]:
    """A million resampled rows with ages spread to hundredths: seconds, and the most memory in GB."""
    import pyarrow

    generator = np.random.default_rng(0)
    rows = generator.integers(0, study.table.rows, MILLION)
    columns = {}
    for column in study.table.columns:
        texts = np.array([*column.texts, ""], dtype=object)
        columns[column.name] = texts[column.codes[rows]]
    ages = columns["age"].astype(float) + generator.integers(0, 100, MILLION) / 100
    columns["age"] = np.char.mod("%.2f", ages)
    specs = tuple(replace(s, type="decimal") if s.name == "age" else s for s in study.schema.columns)
    table = pyarrow.table({name: pyarrow.array(cells) for name, cells in columns.items()})
    started = time.perf_counter()
    large = Study(table, replace(study.schema, columns=specs))
    found = PartsRecoding.of(K).classes(large.cube)
    seconds = time.perf_counter() - started
    print(f"  {large.cube.rows:,} complete rows, {large.cube.tuples:,} tuples, {len(found):,} classes")
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    study = pn.example("adult-six")
    cube = study.cube
    unit = one_unique(cube)
    print(f"N, one numpy unique evaluation: {1000 * unit:.2f} ms")
    split, whole = best(lambda: PartsRecoding.of(K).classes(cube)), from_rows(study)
    print(f"Mondrian k = 10, from the cube: {1000 * split:.1f} ms, {split / unit:.0f} N")
    print(f"Mondrian k = 10, from the rows: {1000 * whole:.1f} ms")
    if len(sys.argv) > 1:
        for name, seconds in json.loads(Path(sys.argv[1]).read_text()).items():
            print(f"  {name}: {seconds:.1f} s, {seconds / whole:.0f} times as long as from the rows")
    recodings: tuple[Recoding, ...] = (PartsRecoding.of(K), BucketsRecoding.of({"t-js": 0.2}))
    for recoding in recodings:
        found = Realized.of(recoding, cube)
        cost = best(lambda found=found: found.measure("utility-loss"))  # type: ignore[misc]
        print(f"utility-loss of {recoding.flat()}: {1000 * cost:.1f} ms, {cost / unit:.0f} N")
    seconds, memory = million(study)
    print(f"a million rows: {seconds:.1f} s, at most {memory:.2f} GB")


if __name__ == "__main__":
    main()
