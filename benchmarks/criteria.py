"""How long 2,000 attacks of each kind on Adult take: `python -m benchmarks.criteria`.

A tenth of the people are the control; the tables are the original itself, and releases of two spaces. With
`--alarms DRAWS`: how often singling out finds a risk where there is none, in a table of others of Adult.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow

import paretonym as pn
from paretonym.evidence.criteria import CRITERIA, Referee, measure_criteria, table_utility


def people() -> tuple[pn.Study, dict[str, np.ndarray]]:
    """The study of Adult, and the texts of its people by column."""
    study = pn.example("adult")
    kept = np.flatnonzero(~study.table.dropped(study.bound.omitted))
    texts = {
        column.name: np.array([*study.table.column(column.name).texts, ""])[
            study.table.column(column.name).codes[kept]
        ]
        for column in study.schema.columns
        if column.name in study.table.names
    }
    return study, texts


def split(texts: dict[str, np.ndarray], seed: int, *shares: float) -> list[pyarrow.Table]:
    """Disjoint random parts of the people, of these shares."""
    order = np.random.default_rng(seed).permutation(len(next(iter(texts.values()))))
    ends = np.round(len(order) * np.cumsum(shares)).astype(int)
    parts = np.split(order, ends)[: len(shares)]
    return [pyarrow.table({name: values[part] for name, values in texts.items()}) for part in parts]


def alarms(draws: int) -> None:
    """Print how often the interval of singling out begins above 0 for a table of others."""
    study, texts = people()
    for growth in (9, 3, 1):
        each = growth / (2 * growth + 1)
        found = []
        for seed in range(draws):
            others, original, control = split(texts, seed, each, each, each / growth)
            table = Referee.of(original, control, study.schema).read(others)
            found.append(measure_criteria(table, names=("singling-out",), seed=seed).criteria[0])
        false, width = np.mean([[one.lower > 0, one.half_width] for one in found], axis=0)
        print(f"growth {growth}: {false:.1%} of {draws} draws, ± {width:.1%}", flush=True)


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alarms", type=int, metavar="DRAWS")
    if draws := parser.parse_args().alarms:
        alarms(draws)
        return
    study, texts = people()
    original, control = split(texts, 0, 0.9, 0.1)
    study = pn.Study(original, study.schema)
    referee = Referee.of(original, control, study.schema)
    for name, table in tables(study, original):
        rows = referee.read(table)  # type: ignore[arg-type]
        for criterion in CRITERIA:
            timed(f"{name}: {criterion}", partial(measure_criteria, rows, names=(criterion,)))
        timed(f"{name}: utility", partial(table_utility, rows))


if __name__ == "__main__":
    main()
