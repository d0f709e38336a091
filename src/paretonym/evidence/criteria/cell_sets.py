"""Sets that the cells of anybody's table stand for: one value, or the set that a label names.

Labels are read as other tools write them: intervals (`[20, 30)`, `[20, 40[`, `20-39`), open ends (`<18`,
`65+`), lists (`{a, b}`), a star or an empty cell for every value, and those of the schema's hierarchies.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers, Mask
from paretonym.evidence.criteria.compared_rows import ComparedColumn

EVERY = ("*", "", "NA", "NaN", "nan", "null", "any number", "any date")
_NUMBER = r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_INTERVAL = re.compile(rf"([\[(\]])\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*([\[)\]])")
_RANGE = re.compile(rf"{_NUMBER}\s*(?:-|–|\.\.)\s*{_NUMBER}")
_BELOW = re.compile(rf"(<=|<|≤)\s*{_NUMBER}")
_ABOVE = re.compile(rf"(>=|>|≥)\s*{_NUMBER}|{_NUMBER}\s*\+")
_LIST = re.compile(r"\{(.*)\}", re.DOTALL)


# A unit or a prefix, which no sign of a set is part of.
_AFFIX = r"[^\d\[\](){}<>=≤≥*+,;]*"
_INSIDE_AFFIXES = re.compile(rf"(?s:({_AFFIX})(.*?)({_AFFIX}))")


class CellReading(NamedTuple):
    """A column with what its cells stand for, and the labels that could not be read."""

    column: ComparedColumn
    unread: tuple[str, ...]


def read_cells(
    name: str, values: Sequence[str], cells: Sequence[str], labels: Mapping[str, frozenset[str]]
) -> CellReading:
    """A column by the values of the original and the control, the distinct cells of a table, and the sets
    that labels of the schema stand for. What is no known value and no label is a value of its own: one that
    a synthetic table made up, or a label that cannot be read.

    Values and cells with one unit or prefix in all of them (`70.1 kg`, `DE-12345`) are numbers."""
    bare = without_affixes(values)
    spelled = _by_spelling(values)
    sets = {cell: _named(cell, bare.keys(), labels, spelled) for cell in cells}
    strange = sorted(cell for cell, members in sets.items() if members is None)
    if numbers_of(sorted(bare.values())) is None:
        texts, numbers, forms = sorted(bare), None, {cell: cell for cell in cells}
        domain = texts + [cell for cell in strange if _inside(cell, texts, None) is None]
    else:
        number = {value: float(text or "nan") for value, text in bare.items()}
        true_numbers, forms = set(number.values()), without_affixes(cells)
        made_up = {float(forms[cell]): cell for cell in reversed(strange) if _number(forms[cell])}
        number |= {cell: at for at, cell in made_up.items() if at not in true_numbers}
        domain = sorted(number, key=lambda value: (not np.isnan(number[value]), number[value]))
        numbers = np.array([number[value] for value in domain])
    place = {value: i for i, value in enumerate(domain)}
    masks, unread = [], []
    for cell in cells:
        members = sets[cell]
        mask = _inside(forms[cell], domain, numbers) if members is None else _marked(members, place)
        if mask is None or not mask.any():
            unread.append(cell)
            mask = np.array([value == cell for value in domain], dtype=np.bool_)
        masks.append(mask)
    return CellReading(ComparedColumn.of_sets(name, domain, masks, numbers), tuple(unread))


def meant_values(values: Sequence[str], cells: Sequence[str]) -> Integers:
    """Pairs of a value and a cell that stands for it, both by their places: alone, or in a set that not every
    value is in. Numbers are equal as numbers, texts but for case and space.

    >>> meant_values(["30", "45", "70"], ["70.0", "[30, 50)", "*", "x"]).tolist()
    [[2, 0], [0, 1], [1, 1]]
    """
    forms = {value: value for value in values}, {cell: cell for cell in cells}
    numbers = numbers_of(list(without_affixes(values).values()))
    if numbers is not None:
        forms = without_affixes(values), without_affixes(cells)
    exactly, of_key = {value: [place] for place, value in enumerate(values)}, dict[str | float, list[int]]()
    for place, value in enumerate(values):
        of_key.setdefault(_key(forms[0][value]), []).append(place)
    pairs = []
    for place, cell in enumerate(cells):
        places = exactly.get(cell) or of_key.get(_key(forms[1][cell]), [])
        if not places and cell not in EVERY and not _number(forms[1][cell]):
            mask = _inside(forms[1][cell], values, numbers)
            places = [] if mask is None or mask.all() else np.flatnonzero(mask).tolist()
        pairs += [(value, place) for value in places]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _key(text: str) -> str | float:
    return float(text) if _number(text) else text.strip().casefold()


def without_affixes(texts: Collection[str]) -> dict[str, str]:
    """Each text without the unit or prefix that all have; each as it is where they do not agree.

    >>> without_affixes(["70.1 kg", "8 kg", ""]), without_affixes(["DE-7", "FR-8"])
    ({'70.1 kg': '70.1', '8 kg': '8', '': ''}, {'DE-7': 'DE-7', 'FR-8': 'FR-8'})
    """
    parts = {text: _parts(text) for text in texts if text not in EVERY}
    affixes = {(before, after) for before, _, after in parts.values()}
    if len(affixes) != 1 or not all(inside for _, inside, _ in parts.values()):
        return {text: text for text in texts}
    return {text: parts[text][1] if text in parts else text for text in texts}


def _parts(text: str) -> tuple[str, str, str]:
    """The parts of a text before the first digit or sign of a set, from it to the last, and behind that. A
    minus belongs to the number unless a word ends with it."""
    matched = _INSIDE_AFFIXES.fullmatch(text)
    before, inside, after = matched.groups() if matched else ("", text, "")
    if inside and before.endswith("-") and not before[:-1].rstrip("-")[-1:].isalpha():
        before, inside = before[:-1], f"-{inside}"
    return before, inside, after


def numbers_of(texts: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """The numbers that texts are, NaN for a missing one; None if another is no number."""
    if not any(texts) or not all(map(_number, filter(None, texts))):
        return None
    return np.array([float(text or "nan") for text in texts])


def _number(text: str) -> bool:
    return re.fullmatch(_NUMBER, text) is not None


def _by_spelling(values: Sequence[str]) -> dict[str, frozenset[str]]:
    """The values of each spelling, whatever the case and the space around it."""
    spelled: dict[str, set[str]] = {}
    for value in values:
        spelled.setdefault(value.strip().casefold(), set()).add(value)
    return {spelling: frozenset(members) for spelling, members in spelled.items()}


def _named(
    cell: str,
    known: Collection[str],
    labels: Mapping[str, frozenset[str]],
    spelled: Mapping[str, frozenset[str]],
) -> frozenset[str] | None:
    """The values that a cell stands for by its name: itself, every value, a set of the schema, or the values
    that are written alike but for case and space."""
    if cell in known:
        return frozenset((cell,))
    if cell in labels:
        return labels[cell]
    return frozenset(known) if cell in EVERY else spelled.get(cell.strip().casefold())


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
