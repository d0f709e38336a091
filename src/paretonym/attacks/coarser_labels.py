"""Labels of two levels of one column brought to the coarser one, by the schema alone.

Levels are nested, so that two sets of values overlap just if the finer one lies in the coarser one. Where a
hierarchy lists its values that is known; a band, a month or a masked code is asked for a value inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from paretonym.errors import InputError
from paretonym.schema.hierarchies.hierarchy_builder import build
from paretonym.schema.hierarchies.hierarchy_draft import MISSING_LABEL, Built, Values
from paretonym.schema.model import ColumnSpec

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?$")


def raised(column: ColumnSpec, labels: Sequence[str], low: int, high: int) -> dict[str, str] | None:
    """The label of level `high` for each label of level `low`; None if that cannot be told of every one.

    >>> from paretonym.schema.schema_parser import schema_from
    >>> schema = schema_from({"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}}}})
    >>> raised(schema.columns[0], ["[20, 30)", "[50, 60)"], 1, 2)
    {'[20, 30)': '[0, 40)', '[50, 60)': '[40, 80)'}
    """
    if low == high:
        return {label: label for label in labels}
    inside = [text for label in labels for text in _inside(label) if _built(column, [text]) is not None]
    built = _built(column, list(dict.fromkeys(inside)))
    if built is None or high >= len(built.hierarchy.levels):
        return None
    finer, coarser = built.hierarchy.levels[low], built.hierarchy.levels[high]
    above = {
        finer.labels[own]: coarser.labels[other]
        for own, other in zip(finer.groups.tolist(), coarser.groups.tolist(), strict=True)
    }
    # What has no place is shown as the top set at every level, and may be anything.
    top = built.hierarchy.levels[-1].labels[0]
    known = all(label in above and label != top for label in labels)
    return {label: above[label] for label in labels} if known else None


def same_level(
    column: ColumnSpec, labels: tuple[Sequence[str], Sequence[str]], levels: tuple[int, int]
) -> tuple[Mapping[str, str], Mapping[str, str]] | None:
    """For the labels of two files those of the coarser level of both; None if they cannot be compared."""
    high = max(levels)
    first, second = (raised(column, own, low, high) for own, low in zip(labels, levels, strict=True))
    return None if first is None or second is None else (first, second)


def _inside(label: str) -> Iterator[str]:
    """Texts that may be values of the set with this label; those that are not do no harm."""
    yield label
    yield from NUMBER.findall(label)
    if found := DAY.match(label):
        yield f"{found[1]}-{found[2] or '01'}-{found[3] or '01'}"
    if "*" in label.strip("*"):
        yield label.replace("*", "0")


def _built(column: ColumnSpec, texts: Sequence[str]) -> Built | None:
    texts = [text for text in texts if text != MISSING_LABEL]
    try:
        return build(column, Values(column.name, tuple(texts)), True)
    except InputError:
        return None
