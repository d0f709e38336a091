"""The manifest of a release: what it claims and states, and nothing of the input that it does not show."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paretonym.frontier.solution import number_to_json
from paretonym.measures.realized import Realized
from paretonym.recoding.recoding import Keep, Recoding
from paretonym.release.claims import OF_SIZES, OF_VALUES, claims
from paretonym.release.rows import Released
from paretonym.release.telling import tellable
from paretonym.release.writing import names_in_file
from paretonym.version import __version__

FORMAT = "paretonym.manifest/1"
ENDING = ".manifest.json"
COSTS = ("loss", "gl", "sl")
DISTANCES = ("t", "t-js", "delta")
# The spaces without levels, by the key that only their recodings have.
SPACES = {"groups": "cuts", "requirement": "mondrian"}
# Statements need the input, and must not say more of it than people need.
DECIMALS = 3


def manifest_path(path: Path) -> Path:
    """
    >>> manifest_path(Path("out/adult.csv")).name
    'adult.csv.manifest.json'
    """
    return path.with_name(path.name + ENDING)


def manifest(
    released: Released, file: Path, kind: str, recoding: Recoding, statements: Mapping[str, float]
) -> dict[str, Any]:
    """The manifest of a file that holds a release; `kind` is the ending of its name."""
    names = names_in_file(released, kind)
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {
        "format": FORMAT,
        "output": {"sha256": digest, "rows": len(released)},
        "roles": {names[column.name]: column.role for column in released.columns},
        "recoding": shown_recoding(released, recoding, names),
        "claims": {name: number_to_json(value) for name, value in claims(released, names).items()},
        "statements": {name: number_to_json(round(value, DECIMALS)) for name, value in statements.items()},
        "version": __version__,
    }


def shown_recoding(released: Released, recoding: Recoding, names: Mapping[str, str]) -> dict[str, Any]:
    """What the recoding does, as far as the release shows it. Levels say nothing of the input; where a space
    lists values, only the labels that occur in the release are written."""
    entry = recoding.as_json()
    if "levels" in entry:
        levels = {names[column]: level for column, level in entry["levels"].items()}
        return {"levels": levels, "keep": shown_keep(recoding.keep)}
    quasi = (released.columns[place] for place in released.with_role("quasi"))
    return {
        "space": SPACES[next(key for key in SPACES if key in entry)],
        "labels": {names[column.name]: column.texts.to_pylist() for column in quasi},
        "keep": shown_keep(recoding.keep),
    }


def shown_keep(keep: Keep) -> dict[str, str]:
    """What a class must have to stay. Where that is about the input, no more than three decimals, to the
    safe side: what stays has it.

    >>> shown_keep((("k", ">=5"), ("t", "<=0.41239")))
    {'k': '>=5', 't': '<=0.413'}
    """
    return {name: condition if _is_claimed(name) else _coarse(condition) for name, condition in keep}


def _coarse(condition: str) -> str:
    toward = math.ceil if condition.startswith("<=") else math.floor
    number, scale = float(condition[2:]), 10**DECIMALS
    return condition if math.isinf(number) else f"{condition[:2]}{toward(number * scale) / scale:g}"


def _is_claimed(name: str) -> bool:
    """Whether a file shows it by itself: one measure, or two that put classes in order."""
    return all(each.partition("@")[0] in (*OF_SIZES, *OF_VALUES) for each in name.split(","))


def stated(realized: Realized, values: Mapping[str, float], levelled: bool) -> dict[str, float]:
    """The statements of a release: costs, distances from the input, and whatever else the search was about
    (`values`, measured there).

    Where fewer than k rows were left out, what would tell their number is not stated. What a file shows by
    itself is claimed, not stated; but where a sensitive column is measured at a level of its hierarchy
    (`levelled`), the file cannot show that.
    """
    claimed = OF_SIZES if levelled else (*OF_SIZES, *OF_VALUES)
    names = [*COSTS, *(DISTANCES if realized.cube.sensitive else ())]
    further = {n: v for n, v in values.items() if n not in names and n.partition("@")[0] not in claimed}
    found = {**realized.measure(*names), **further}
    return tellable(found, realized.suppressed, int(realized.sizes.min()))
