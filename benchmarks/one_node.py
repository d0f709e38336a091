"""One node of Adult evaluated by other means: the unit in which everything here is measured.

N is one evaluation by numpy: look the levels of every row up, build a key, `unique` with counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.study.study import Study

# Work that takes longer, in seconds, is repeated less.
_LONG = 1.0
Columns: TypeAlias = list[npt.NDArray[np.int64]]

# A node in the middle of the lattice: neither a handful of classes nor nearly as many as rows.
MIDDLE = {"age": 2, "workclass": 1, "education": 1, "marital-status": 1, "native-country": 2}


def timed(work: Callable[[], Any], repeats: int = 15) -> float:
    """The median time of a few runs, the first one not counted."""
    work()
    return statistics.median(_once(work) for _ in range(repeats))


def beside(unit: Callable[[], Any], work: Callable[[], Any], rounds: int = 9) -> tuple[float, float]:
    """The median time of `work` by the clock, and the median of its ratios to `unit` in CPU seconds of all
    threads; `unit` is timed before and after it in every round: the machine may slow down between rounds, but
    hardly within one, and what else it does changes the clock, but hardly the CPU seconds."""
    unit()
    start = time.perf_counter()
    work()
    if time.perf_counter() - start > _LONG:
        rounds = min(rounds, 3)
    times, ratios = [], []
    for _ in range(rounds):
        before = _cpu(unit, 15)
        start = time.perf_counter()
        taken = _cpu(work)
        times.append(time.perf_counter() - start)
        after = _cpu(unit, 15)
        ratios.append(2 * taken / (before + after))
    return statistics.median(times), statistics.median(ratios)


def _once(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _cpu(work: Callable[[], Any], repeats: int = 1) -> float:
    """The CPU seconds of one of a few runs."""
    start = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - start) / repeats


def row_codes(
    study: Study, middle: Mapping[str, int] = MIDDLE
) -> tuple[Columns, list[npt.NDArray[np.int64]]]:
    """The leaf of every row for each quasi-identifier, and the groups of the node's levels."""
    kept = ~study.table.dropped(study.bound.omitted)
    leaves = [c.codes[study.table.column(c.name).codes[kept]].astype(np.int64) for c in study.bound.quasi]
    levels = [c.hierarchy.levels[middle.get(c.name, 0)].groups.astype(np.int64) for c in study.bound.quasi]
    return leaves, levels


def numpy_node(study: Study, middle: Mapping[str, int] = MIDDLE) -> Callable[[], Any]:
    leaves, levels = row_codes(study, middle)
    sizes = [int(groups.max()) + 1 for groups in levels]

    def evaluate() -> Any:
        keys = np.zeros(len(leaves[0]), dtype=np.int64)
        for leaf, groups, size in zip(leaves, levels, sizes, strict=True):
            keys = keys * size + groups[leaf]
        return np.unique(keys, return_counts=True)[1].min()

    return evaluate


def shown_columns(study: Study) -> dict[str, npt.NDArray[np.int64]]:
    leaves, levels = row_codes(study)
    names = [column.name for column in study.bound.quasi]
    return {name: groups[leaf] for name, leaf, groups in zip(names, leaves, levels, strict=True)}


def polars_node(study: Study) -> Callable[[], Any]:
    """Grouping only: the levels are looked up beforehand."""
    import polars

    frame = polars.DataFrame(shown_columns(study))
    return lambda: frame.group_by(frame.columns).len()["len"].min()


def duckdb_node(study: Study) -> Callable[[], Any]:
    """Grouping only: the levels are looked up beforehand."""
    import duckdb
    import polars

    connection = duckdb.connect()
    frame = polars.DataFrame(shown_columns(study))
    connection.execute("create table shown as select * from frame")
    names = ", ".join(f'"{name}"' for name in frame.columns)
    query = f"select min(n) from (select count(*) as n from shown group by {names})"
    return lambda: connection.execute(query).fetchone()
