"""The shape that the files of a run must have, even if somebody edited them: checked once, when a run is
opened.

A shape is a type, a tuple of alternatives, `[shape]` for a list, or a dict: `str` as its only key means any
names, a name that ends in "?" may be absent, and further names are left alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paretonym.frontier import Solution
from paretonym.measures import CLASS_SIZE, LOSS, card_of
from paretonym.recoding import digest

NUMBER = (int, float, "inf", "-inf")
SOLUTION: dict[Any, Any] = {
    "id": str,
    "values": {str: NUMBER},
    "suppressed": int,
    "recoding": {"keep": {str: str}},
    "space?": str,
    "rival?": {"nodes": int, "values": {str: NUMBER}},
}
SEARCH: dict[Any, Any] = {
    "complete": bool,
    "seed": (int, None),
    "open?": int,
    "box?": {str: NUMBER},
    "interrupted?": bool,
    "bounds?": [{str: NUMBER}],
}
FRONTIER: dict[Any, Any] = {
    "rows": int,
    "persons?": {"number": int, "differing": int},
    "households?": {"number": int, "several": int, "largest": int, "spanning": {str: int}, "moved": int},
    "read": int,
    "quasi": [str],
    "sensitive": [str],
    "space?": {"kind": str, "size": int},
    "search?": {"method": str, **SEARCH},
    "methods?": [{"space": str, "size": int, "search": str, "evaluated": int, **SEARCH}],
    "floor?": [{str: NUMBER}],
    "suppress": str,
    "objectives": [{"name": str, "direction": ("max", "min")}],
    "solutions": [SOLUTION],
    "candidates?": [SOLUTION],
}
RELEASE_FACTS: dict[Any, Any] = {
    "columns": [{"name": str, "words": str, "labels": [str], "loss": (int, float, None)}],
    "smallest": int,
    "in_smallest": int,
    "known": [{"column": str, "certain": int, "likely": int}],
    "mixed": bool,
    "suppressed?": [{"column": str, "value": str, "rows": int, "gone": int}],
    "households?": {
        "number": int,
        "highest": (int, float),
        "average": (int, float),
        "smallest": int,
        "alone": int,
    },
}
FACTS: dict[Any, Any] = {
    "exposures": [{"column": str, "role": str, "rows": int, "unique": int, "rare": int, "unit?": str}],
    "releases": {str: RELEASE_FACTS},
}
RATE = {"successes": (int, float), "attacks": int}
CRITERION: dict[Any, Any] = {
    "criterion": str,
    "subject": str,
    "original": RATE,
    "control": RATE,
    "naive": RATE,
}
RECORD: dict[Any, Any] = {
    "data": {"path": (str, None), "fingerprint": str, "counted?": str},
    "options": {str: object},
    "version": str,
    "seconds": (int, float),
    "evaluated": int,
    "evaluated_in_part?": int,
    "releases": [{"id": str, "recoding": str, "file": str}],
    "files?": {str: str},
    "facts?": FACTS,
    "criteria?": {str: {str: [CRITERION]}},
}
# Options of a stored question that commands read.
OPTIONS: dict[Any, Any] = {
    "encoding?": (str, None),
    "separator?": (str, None),
    "sheet?": str,
    "header_row?": int,
    "footer_rows?": int,
    "engine?": str,
    "memory?": (str, None),
    "table?": (str, None),
    "query?": (str, None),
    "require?": [str],
    "population_file?": {"path": (str, None), "fingerprint": str},
    "sampling_fraction?": str,
    "control?": {"share": str, "rows": int},
}


def fits(value: Any, shape: Any) -> bool:
    """Whether a JSON value has a shape; counts are whole and not negative, numbers are finite.

    >>> fits({"id": "a", "more": 1}, {"id": str}), fits(True, int), fits(-1, int), fits([], [str])
    (True, False, False, True)
    """
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, dict):
        return isinstance(value, Mapping) and _names_fit(value, shape)
    if shape is object:
        return True
    if shape is int:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if shape is float:
        return isinstance(value, float) and math.isfinite(value)
    return isinstance(value, shape) if isinstance(shape, type) else value == shape


def _names_fit(value: Mapping[str, Any], shape: Mapping[Any, Any]) -> bool:
    if str in shape:
        return all(fits(each, shape[str]) for each in value.values())
    return all(
        fits(value[name.removesuffix("?")], inner) if name.removesuffix("?") in value else name.endswith("?")
        for name, inner in shape.items()
    )


def stored_run_fits(frontier: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether both documents of a run have their shapes and are consistent."""
    return (
        fits(frontier, FRONTIER)
        and fits(record, RECORD)
        and fits(record["options"], OPTIONS)
        and frontier["rows"] <= frontier["read"]
        and _searches_fit(frontier)
        and _objectives_fit(frontier)
        and all(_bound_fits(steps, frontier) for steps in _bounds(frontier))
        and _facts_fit(frontier, record)
    )


def _objectives_fit(frontier: Mapping[str, Any]) -> bool:
    """Objectives are measures that are known, and every solution has a value of each."""
    names = [objective["name"] for objective in frontier["objectives"]]
    entries = [*frontier["solutions"], *frontier.get("candidates", ())]
    known = all(card_of(name) is not None for name in names)
    return bool(names) and known and all({*names, LOSS} <= set(entry["values"]) for entry in entries)


def _searches_fit(frontier: Mapping[str, Any]) -> bool:
    """There is a space with its search; or there are several methods, and each solution is of one of them."""
    if "methods" not in frontier:
        return "space" in frontier and "search" in frontier
    spaces = {method["space"] for method in frontier["methods"]}
    return bool(spaces) and all(entry.get("space") in spaces for entry in frontier["solutions"])


def _bounds(frontier: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """The steps of every bound: of each search, and the floor."""
    yield from (search.get("bounds", []) for search in frontier.get("methods", [frontier.get("search", {})]))
    yield frontier.get("floor", [])


def _bound_fits(steps: Sequence[Any], frontier: Mapping[str, Any]) -> bool:
    """Every step of a proven bound is about k and the same other objective."""
    names = {objective["name"] for objective in frontier["objectives"]}
    first = list(steps[0]) if steps else [CLASS_SIZE, ""]
    return (
        first[0] == CLASS_SIZE
        and len(first) == 2
        and all(
            list(step) == first and {*step} <= names and isinstance(step[CLASS_SIZE], int) for step in steps
        )
    )


def _facts_fit(frontier: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Stored facts are about the columns of the table, all of them."""
    releases = record.get("facts", {"releases": {}})["releases"].values()
    return all(
        [column["name"] for column in entry["columns"]] == frontier["quasi"]
        and [known["column"] for known in entry["known"]] == frontier["sensitive"]
        for entry in releases
    )


def is_named_by_its_recoding(solution: Solution) -> bool:
    """Whether a solution's id still matches its recoding, from which it is computed."""
    return bool(solution.id) and digest(solution.recoding).startswith(solution.id)
