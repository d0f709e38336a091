"""How time and memory grow with rows, lattice, sensitive values and objectives: `make growth`.

The table is Adult, resampled: rows drawn with replacement, ages moved by up to two years, every other value
replaced by that of another row with a small probability. Each line is a process of its own, so that its peak
of memory is its own; what is imported is loaded before the clock starts. No search gets more than a minute.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from paretonym.study.study import Study

REPLACED = 0.05
LONGEST = "60s"
SEED = 0
FIVE = ("k", "l", "t", "loss", "sl")

# Quasi-identifiers that the built-in schema leaves out, for larger lattices.
MORE: Mapping[str, Mapping[str, Any]] = {
    "hours-per-week": {"hierarchy": {"intervals": [5, 10, 20, 40]}},
    "relationship": {"hierarchy": {"flat": True}},
    "capital-gain": {"hierarchy": {"intervals": [5000, 10000, 50000]}},
}
SMALL = ("age", "workclass", "education", "marital-status", "race")
ADULT = (*SMALL, "sex", "native-country", "income")


class Case(NamedTuple):
    """One line: a table of this many rows, and a question. `values` of 0 leaves the occupations unchanged."""

    rows: int = 30_162
    quasi: tuple[str, ...] = ADULT
    values: int = 0
    objectives: tuple[str, ...] = ("k", "loss")


class Measured(NamedTuple):
    tuples: int
    nodes: int
    counting: float
    seconds: float
    evaluated: int
    found: int
    proven: bool
    megabytes: float


GROWING: Mapping[str, tuple[Case, ...]] = {
    "rows": tuple(Case(rows=rows) for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000)),
    "nodes": tuple(
        Case(quasi=quasi) for quasi in (SMALL, ADULT, (*ADULT, "hours-per-week"), (*ADULT, *MORE))
    ),
    "sensitive values": tuple(
        Case(values=m, objectives=("k", "l", "t", "loss")) for m in (2, 5, 20, 50, 100)
    ),
    "objectives": tuple(
        Case(objectives=names)
        for names in (("loss",), ("k", "loss"), ("k", "l", "loss"), ("k", "l", "t", "loss"), FIVE)
    ),
}


def main() -> None:
    started = time.monotonic()
    print("Adult resampled with noise, suppression at most 1 %, exact search; times in seconds")
    for what, cases in GROWING.items():
        print(f"\n{what:<18}" + "".join(f"{heading:>12}" for heading in HEADINGS), flush=True)
        for case in cases:
            print(f"{label(what, case):<18}", end="", flush=True)
            print("".join(f"{cell:>12}" for cell in cells(in_own_process(case))), flush=True)
    print(f"\n{time.monotonic() - started:.0f} seconds in all; * not proven within {LONGEST}")


HEADINGS = ("tuples", "nodes", "counting", "searching", "evaluated", "evaluated/s", "found", "MB")


def cells(measured: Measured) -> tuple[str, ...]:
    return (
        f"{measured.tuples:,}",
        f"{measured.nodes:,}",
        f"{measured.counting:.2f}",
        f"{measured.seconds:.2f}",
        f"{measured.evaluated:,}",
        f"{measured.evaluated / measured.seconds:,.0f}",
        f"{measured.found:,}" + ("" if measured.proven else "*"),
        f"{measured.megabytes:,.0f}",
    )


def label(what: str, case: Case) -> str:
    if what == "objectives":
        return ",".join(case.objectives)
    if what == "nodes":
        return f"{len(case.quasi)} columns"
    return f"{case.rows if what == 'rows' else case.values:,}"


def in_own_process(case: Case) -> Measured:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (case,))


def measure(case: Case) -> Measured:
    resampled(case._replace(rows=500, quasi=ADULT[:4])).explore(*case.objectives, suppress="1%")
    study = resampled(case)
    start = time.perf_counter()
    cube = study.cube
    counted = time.perf_counter()
    front = study.explore(*case.objectives, suppress="1%", time=LONGEST)
    seconds = time.perf_counter() - counted
    return Measured(
        cube.tuples,
        front.search.size,
        counted - start,
        seconds,
        front.record.evaluated if front.record else 0,
        len(front),
        front.search.complete,
        peak(),
    )


def peak() -> float:
    """Most memory of this process, in MB. What Linux says of it counts from its own start only."""
    status = Path("/proc/self/status")
    if status.exists():
        return (
            next(int(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) / 1024
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resampled(case: Case, seed: int = SEED) -> Study:
    """A study of Adult's complete rows, drawn again with noise."""
    import pyarrow

    from paretonym.study.study import Study, example

    chance = np.random.default_rng(seed)
    original = example("adult")
    complete = np.flatnonzero(~original.table.dropped(original.bound.omitted))
    drawn = chance.choice(complete, case.rows)
    columns = {}
    for column in original.table.columns:
        stray = chance.random(case.rows) < REPLACED
        rows = np.where(stray, chance.choice(complete, case.rows), drawn)
        texts = pyarrow.array(column.texts)
        columns[column.name] = pyarrow.DictionaryArray.from_arrays(column.codes[rows], texts)
    ages = np.array(original.table.column("age").texts).astype(np.int64)
    shown = ages[original.table.column("age").codes[drawn]] + chance.integers(-2, 3, case.rows)
    columns["age"] = pyarrow.array(np.clip(shown, 17, 90))
    if case.values:
        columns["occupation"] = pyarrow.array(sensitive(chance, shown, case.values))
    return Study(pyarrow.table(columns), schema(case.quasi))


def sensitive(chance: np.random.Generator, ages: Any, values: int) -> list[str]:
    """So many values, some more frequent than others, which ones depending on the age."""
    shares = 1 / np.sqrt(np.arange(1, values + 1))
    drawn = chance.choice(values, len(ages), p=shares / shares.sum())
    return [f"v{value}" for value in (drawn + ages // 20) % values]


def schema(quasi: tuple[str, ...]) -> dict[str, Any]:
    """The built-in schema with other quasi-identifiers."""
    from paretonym.tables.source.example_data import example_path

    described = tomllib.loads(example_path("adult.toml").read_text(encoding="utf-8"))
    for name, entry in described["columns"].items():
        if name in quasi and name in MORE:
            described["columns"][name] = {"role": "quasi", **MORE[name]}
        elif name not in quasi and entry["role"] == "quasi":
            described["columns"][name] = {"role": "drop"}
    return described


if __name__ == "__main__":
    main()
