"""What `benchmarks.scale` measures: each task is a process of its own, and says what it took."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from benchmarks.scale_engines import ENGINES, LISTED, duckdb_session
from benchmarks.scale_setting import Clock, Setting, Took
from benchmarks.scale_table import described, make_table

SMALLEST_CLASS = 20


def study_of(setting: Setting) -> Any:
    from paretonym.study.study import Study

    return Study(str(setting.data), described(), engine="duckdb", memory=setting.memory)


def explore(setting: Setting) -> Took:
    clock = Clock(setting)
    front = study_of(setting).explore("k", "loss", suppress="1%", space="lattice", time="600s")
    took = clock.took()
    pick = next(solution for solution in front if solution["k"] <= SMALLEST_CLASS)
    setting.at("pick.json").write_text(json.dumps(pick.recoding.as_json()))
    return took


def sort_and_copy(setting: Setting) -> Took:
    clock = Clock(setting)
    target = setting.at("sorted.parquet")
    with duckdb_session(setting) as connection:
        connection.execute(f"copy (select {LISTED} from '{setting.data}' order by all) to '{target}'")
    took = clock.took()
    target.unlink()
    return took


def release(setting: Setting) -> Took:
    from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
    from paretonym.study.explored_run import Solution

    recoding = LatticeRecoding.from_json(json.loads(setting.at("pick.json").read_text()))
    clock = Clock(setting)
    study_of(setting).publish(Solution("", {}, 0, recoding), setting.at("released.parquet"))
    return clock.took()


def audit(setting: Setting) -> Took:
    import paretonym

    clock = Clock(setting)
    found = paretonym.audit(setting.at("released.parquet"), memory=setting.memory)
    if not found.passed:
        raise AssertionError("the release fails its audit")
    return clock.took()


def audit_with_original(setting: Setting) -> Took:
    import paretonym

    clock = Clock(setting)
    beside: dict[str, Any] = {"original": str(setting.data), "engine": "duckdb", "memory": setting.memory}
    found = paretonym.audit(setting.at("released.parquet"), schema=described(), **beside)
    if not found.passed:
        raise AssertionError("the release fails its audit beside the original")
    return clock.took()


def attack(setting: Setting) -> Took:
    """Estimates are left out: they are made for fewer people."""
    import paretonym

    clock = Clock(setting)
    beside: dict[str, Any] = {"original": str(setting.data), "memory": setting.memory}
    paretonym.attack(setting.at("released.parquet"), schema=described(), **beside)
    return clock.took()


def mondrian(setting: Setting) -> Took:
    clock = Clock(setting)
    front = study_of(setting).explore("k", "loss", space="mondrian", sweep="k=10,100,1000")
    front[0].release(setting.at("mondrian.parquet"), allow_second_release=True)
    return clock.took()


def buckets(setting: Setting) -> Took:
    """The buckets of Anatomy; the permutation inside them needs the rows, which the counts give."""
    clock = Clock(setting)
    front = study_of(setting).explore("l", "query-error", space="buckets", sweep="l=2,4", method="mondrian")
    front[0].release(setting.at("buckets.parquet"), allow_second_release=True)
    return clock.took()


TASKS: Mapping[str, Callable[[Setting], Took | None]] = {
    task.__name__: task
    for task in (
        explore, sort_and_copy, release, audit, audit_with_original, attack, mondrian, buckets,
        *(task for engine in ENGINES.values() for task in (engine.plain, engine.cube, engine.fill) if task),
    )
}  # fmt: skip
LOADED = (
    "duckdb", "narwhals", "polars", "pyarrow.compute", "pyarrow.parquet", "paretonym.study.study",
    "paretonym.audit", "paretonym.engine.counts.kernel_library",
    "paretonym.tables.source.engines.duckdb_counts", "paretonym.tables.source.engines.lazy_frame",
)  # fmt: skip


def load(needs: str) -> None:
    """Load the libraries, before anything is measured."""
    for name in (*LOADED, needs):
        importlib.import_module(name)
    if find_spec("pandas"):
        # Arrow loads it where it is installed.
        importlib.import_module("pandas")


def main() -> None:
    """The task that is named, in this process."""
    name, given, *further = sys.argv[1:]
    setting = Setting(**json.loads(given))
    if name == "make_table":
        make_table(setting, int(further[0]))
        return
    load(*further)
    took = TASKS[name](setting)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
