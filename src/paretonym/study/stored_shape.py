"""The shape that the files of a run must have, even if somebody edited them: checked once, when a run is
opened.

A shape is a type, a value, a tuple of alternatives, `[shape]` for a list, or a dict. In a dict, a name that
ends in "?" may be absent, further names are left alone, and `str` as its only key means any names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paretonym.engine.measures import CLASS_SIZE, LOSS, card_of

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
    "columns": [
        {"name": str, "words": str, "labels": [str], "loss": (int, float, None), "levels?": {str: int}}
    ],
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
        "population_highest?": (int, float, None),
        "population_average?": (int, float, None),
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
    "further?": [{**SOLUTION, "space": str}],
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
    """True if a JSON value has a shape; counts are whole and not negative, numbers are finite.

    >>> fits({"id": "a", "more": 1}, {"id": str}), fits(True, int), fits(-1, int), fits([], [str])
    (True, False, False, True)
    """
    if isinstance(shape, tuple):
        return any(fits(value, alternative) for alternative in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(entry, shape[0]) for entry in value)
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
    """True if a JSON object has every name of a shape that may not be absent, and what is under each fits."""
    if str in shape:
        return all(fits(entry, shape[str]) for entry in value.values())
    return all(
        fits(value[name], inner) if (name := key.removesuffix("?")) in value else key.endswith("?")
        for key, inner in shape.items()
    )


def stored_run_fits(frontier: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """True if both documents of a run have their shapes and agree with each other."""
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
    """True if all objectives are measures, and every solution has a value of each and a loss."""
    names = [objective["name"] for objective in frontier["objectives"]]
    solutions = [*frontier["solutions"], *frontier.get("candidates", ())]
    are_measures = bool(names) and all(card_of(name) is not None for name in names)
    return are_measures and all({*names, LOSS} <= set(solution["values"]) for solution in solutions)


def _searches_fit(frontier: Mapping[str, Any]) -> bool:
    """True if there is a space with its search, or several methods, of one of which each solution is."""
    if "methods" not in frontier:
        return "space" in frontier and "search" in frontier
    spaces = {method["space"] for method in frontier["methods"]}
    return bool(spaces) and all(solution.get("space") in spaces for solution in frontier["solutions"])


def _bounds(frontier: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """The steps of every bound: of each search, and the floor."""
    yield from (search.get("bounds", []) for search in frontier.get("methods", [frontier.get("search", {})]))
    yield frontier.get("floor", [])


def _bound_fits(steps: Sequence[Any], frontier: Mapping[str, Any]) -> bool:
    """True if every step of a proven bound is about k and the same other objective."""
    names = {objective["name"] for objective in frontier["objectives"]}
    pairs = {tuple(step) for step in steps}
    about_k = all(len(pair) == 2 and pair[0] == CLASS_SIZE and names.issuperset(pair) for pair in pairs)
    return about_k and len(pairs) <= 1 and all(isinstance(step[CLASS_SIZE], int) for step in steps)


def _facts_fit(frontier: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """True if the stored facts of every release are about the columns of the table, all of them."""
    releases = record.get("facts", {}).get("releases", {}).values()
    return all(
        [column["name"] for column in facts["columns"]] == frontier["quasi"]
        and [disclosure["column"] for disclosure in facts["known"]] == frontier["sensitive"]
        for facts in releases
    )
