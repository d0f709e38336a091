"""Problems as the page gets them: which field and column each is about, and words that name fields by their
labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from paretonym.base.errors import Field, Problem

# The labels of the page's fields.
LABELS: Mapping[str, str] = {
    "objectives": "objectives",
    "suppress": "rows that may be suppressed",
    "at_least": "every release must have",
    "at_most": "every release must have",
    "time": "stop after",
}


def on_the_page(field: Field) -> str:
    """A field by its label, with its value."""
    name = LABELS.get(field.name) or field.name.replace("_", " ")
    value = "" if field.value is None or str(field.value) == str(True) else f" {field.value}"
    return f"“{name}”{value}"


def problems_json(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Entries of the page for each problem, with its place."""
    return [_entry(problem) for problem in problems]


def without_folder(problems: list[dict[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Problems that call an upload by its name, without the private folder in which it is kept."""
    return [
        {
            key: value.replace(folder, "") if folder and isinstance(value, str) else value
            for key, value in one.items()
        }
        for one in problems
    ]


def _entry(problem: Problem) -> dict[str, Any]:
    place, wrong, remedy = problem.phrased(on_the_page)
    text = f"{place}: {wrong}; {remedy}"
    return {
        "field": problem.field,
        "column": problem.column,
        "place": place,
        "wrong": wrong,
        "remedy": remedy,
        "text": text,
    }
