"""How long 2,000 attacks of each kind on Adult take: `python -m benchmarks.criteria`.

A tenth of the people are the control; the tables are the original itself, and releases of two spaces.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow

import paretonym as pn
from paretonym.criteria import CRITERIA, Referee, measure_criteria, table_utility


def parts() -> tuple[pn.Study, pyarrow.Table, pyarrow.Table]:
    """Adult split into the study of an original and its rows, and a control."""
    study = pn.example("adult")
    columns = study.schema.columns
    kept = np.flatnonzero(~study.table.dropped(study.bound.omitted))
    order = np.random.default_rng(0).permutation(kept)
    texts = {
        column.name: np.array([*study.table.column(column.name).texts, ""])[
            study.table.column(column.name).codes
        ]
        for column in columns
        if column.name in study.table.names
    }
    control, original = (
        pyarrow.table({name: values[places] for name, values in texts.items()})
        for places in (order[: len(order) // 10], order[len(order) // 10 :])
    )
    return pn.Study(original, study.schema), original, control


def timed(name: str, work: Callable[[], object]) -> None:
    started = time.perf_counter()
    work()
    print(f"{name:44} {time.perf_counter() - started:6.2f} s", flush=True)


def tables(study: pn.Study, original: pyarrow.Table) -> Iterator[tuple[str, object]]:
    yield "original", original
    for space in ("lattice", "local"):
        run = study.explore("k", "loss", space=space)
        yield f"{space}, k >= 5", run.ask(best="loss", at_least={"k": 5}, allow_unproven=True).release()


def main() -> None:
    study, original, control = parts()
    referee = Referee.of(original, control, study.schema)
    for name, table in tables(study, original):
        rows = referee.read(table)  # type: ignore[arg-type]
        for criterion in CRITERIA:
            timed(f"{name}: {criterion}", partial(measure_criteria, rows, names=(criterion,)))
        timed(f"{name}: utility", partial(table_utility, rows))


if __name__ == "__main__":
    main()
