"""Sets that the cells of anybody's table stand for: one value, or the set that a label names.

Labels are read as other tools write them: intervals (`[20, 30)`, `[20, 40[`, `20-39`), open ends (`<18`,
`65+`), lists (`{a, b}`), a star or an empty cell for every value, and those of the schema's hierarchies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Mask
from paretonym.criteria.compared_rows import ComparedColumn

EVERY = ("*", "", "NA", "NaN", "nan", "null", "any number", "any date")
_NUMBER = r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_INTERVAL = re.compile(rf"([\[(\]])\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*([\[)\]])")
_RANGE = re.compile(rf"{_NUMBER}\s*(?:-|–|\.\.)\s*{_NUMBER}")
_BELOW = re.compile(rf"(<=|<|≤)\s*{_NUMBER}")
_ABOVE = re.compile(rf"(>=|>|≥)\s*{_NUMBER}|{_NUMBER}\s*\+")
_LIST = re.compile(r"\{(.*)\}", re.DOTALL)


class CellReading(NamedTuple):
    """A column with what its cells stand for, and the labels that could not be read."""

    column: ComparedColumn
    unread: tuple[str, ...]


def read_cells(
    name: str, values: Sequence[str], cells: Sequence[str], labels: Mapping[str, frozenset[str]]
) -> CellReading:
    """A column by the values of the original and the control, the distinct cells of a table, and the sets
    that labels of the schema stand for. What is no known value and no label is a value of its own: one that
    a synthetic table made up, or a label that cannot be read."""
    known = set(values)
    domain = sorted(known)
    sets = {cell: _named(cell, known, labels) for cell in cells}
    numeric = numbers_of([*domain, *(cell for cell in cells if sets[cell] is None and _number(cell))])
    if numeric is None:
        strange = sorted(cell for cell in cells if sets[cell] is None)
        domain += [cell for cell in strange if _inside(cell, domain, None) is None]
    else:
        made_up = {cell for cell in cells if sets[cell] is None and _number(cell)} - known
        domain = sorted([*domain, *made_up], key=lambda text: (not text, float(text or 0)))
    numbers = numbers_of(domain)
    place = {value: i for i, value in enumerate(domain)}
    masks, unread = [], []
    for cell in cells:
        members = sets[cell]
        mask = _inside(cell, domain, numbers) if members is None else _marked(members, place)
        if mask is None or not mask.any():
            unread.append(cell)
            mask = np.array([value == cell for value in domain], dtype=np.bool_)
        masks.append(mask)
    return CellReading(ComparedColumn.of_sets(name, domain, masks, numbers), tuple(unread))


def numbers_of(texts: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """The numbers that texts are, NaN for a missing one; None if another is no number."""
    if not any(texts) or not all(map(_number, filter(None, texts))):
        return None
    return np.array([float(text or "nan") for text in texts])


def _number(text: str) -> bool:
    return re.fullmatch(_NUMBER, text) is not None


def _named(cell: str, known: set[str], labels: Mapping[str, frozenset[str]]) -> frozenset[str] | None:
    """The values that a cell stands for by its name: itself, every value, or a set of the schema."""
    if cell in known:
        return frozenset((cell,))
    if cell in labels:
        return labels[cell]
    return frozenset(known) if cell in EVERY else None


def _marked(members: frozenset[str], place: Mapping[str, int]) -> Mask:
    mask = np.zeros(len(place), dtype=np.bool_)
    mask[[place[value] for value in members if value in place]] = True
    return mask


def _inside(cell: str, domain: Sequence[str], numbers: npt.NDArray[np.float64] | None) -> Mask | None:
    """Mark the values that a label stands for by its form; None if it has none."""
    if listed := _LIST.fullmatch(cell):
        members = {part.strip() for part in listed[1].split(",")}
        return np.array([value in members for value in domain], dtype=np.bool_)
    if numbers is None:
        return None
    if interval := _INTERVAL.fullmatch(cell):
        first, low, high, last = interval.groups()
        above = numbers >= float(low) if first == "[" else numbers > float(low)
        mask: Mask = above & (numbers <= float(high) if last == "]" else numbers < float(high))
        return mask
    if between := _RANGE.fullmatch(cell):
        return np.asarray((numbers >= float(between[1])) & (numbers <= float(between[2])))
    if below := _BELOW.fullmatch(cell):
        return np.asarray(numbers < float(below[2]) if below[1] == "<" else numbers <= float(below[2]))
    if above_end := _ABOVE.fullmatch(cell):
        end = float(above_end[2] or above_end[3])
        return np.asarray(numbers > end if above_end[1] == ">" else numbers >= end)
    return np.asarray(numbers == float(cell)) if _number(cell) else None
