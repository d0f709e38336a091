"""The exam of coarser counting: an engine with little room gives the answers of the table in memory whose
schema forbids the levels below those that it chose, and every engine chooses the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym import Study
from paretonym.source import dictionary_encoding as counting_engine
from paretonym.source.engines.duckdb_session import parse_memory
from paretonym.testing.engine_exam import KINDS, Engine, exam_table

ROOM = 45
# Kinds that all engines have, with nulls and days before 1970.
QUASI = ("integers", "dates", "text")
SENSITIVE, KEPT = "n", "c0"


def schema(kinds: tuple[str, ...], levels: dict[str, int] | None = None) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": "drop"} for name in exam_table(kinds).column_names}
    for name in QUASI:
        columns[name] = {"role": "quasi", "missing": "value", **KINDS[name].quasi}
        if levels is not None:
            columns[name]["levels"] = [levels[name], top(kinds)[name]]
    # A row without text is left out, so that what is left out is counted by itself.
    columns["text"]["missing"] = "drop"
    columns[SENSITIVE] = {"role": "sensitive", "missing": "value"}
    columns[KEPT] = {"role": "other"}
    return {"columns": columns}


@cache
def in_memory(kinds: tuple[str, ...]) -> Study:
    return Study(exam_table(kinds), schema(kinds))


def top(kinds: tuple[str, ...]) -> dict[str, int]:
    return {column.name: column.highest for column in in_memory(kinds).bound.quasi}


def sit_coarse_exam(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = engine.kinds
    cells = counting_engine.CELL_BYTES * (len(QUASI) + 2)
    monkeypatch.setattr(counting_engine, "ROW_BYTES", parse_memory(None) // ROOM - cells)
    study = engine.study(exam_table(kinds), schema(kinds))
    levels = dict(study.levels)
    assert levels == chosen(kinds)
    plain = Study(exam_table(kinds), schema(kinds, levels))
    found, expected = (each.explore("k", "l", "loss", suppress="any:0.6") for each in (study, plain))
    assert [each.as_json() for each in found] == [each.as_json() for each in expected]
    assert not found.search.complete
    place = next(place for place, each in enumerate(expected) if each.suppressed)
    files = []
    for name, solution in (("coarse", found[place]), ("plain", expected[place])):
        path = Path(f"{name}.csv")
        solution.release(path, allow_second_release=True)
        files.append(path.read_bytes() + path.with_name(f"{path.name}.manifest.json").read_bytes())
    assert files[0] == files[1]
    assert paretonym.audit(Path("coarse.csv")).passed


def chosen(kinds: tuple[str, ...]) -> dict[str, int]:
    """The lowest levels that fit, found row by row."""
    study = in_memory(kinds)
    columns = {column.name: column for column in study.bound.quasi}
    levels = {name: column.lowest for name, column in columns.items()}
    kept = [study.source.column(name).codes.tolist() for name in (SENSITIVE, KEPT)]
    # What is left out stands with its like only.
    kept.append(study.source.dropped(study.bound.omitted).tolist())
    while True:
        shown = {
            name: columns[name].groups(level)[study.source.column(name).codes].tolist()
            for name, level in levels.items()
        }
        if len(set(zip(*shown.values(), *kept, strict=True))) <= ROOM:
            return levels
        open_names = [name for name, level in levels.items() if level < columns[name].highest]
        levels[max(open_names, key=lambda name: len(set(shown[name])))] += 1
