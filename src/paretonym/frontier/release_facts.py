"""Facts about one release that its values do not contain: how its columns are shown, what each of them loses,
who is in the smallest classes, for how many people a sensitive value is known.

They are counted from the data once. The folder of a run keeps some, so that questions are answered without
the data; no row and no sensitive value is in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paretonym.measures import Realized, card_of
from paretonym.recoding import Keep, ShownSets
from paretonym.risk import (
    HouseholdRisk,
    Known,
    SuppressedGroup,
    household_risk,
    known_values,
    suppressed_by_values,
    suppressed_groups,
)
from paretonym.schema import ColumnSpec, Schema
from paretonym.schema.hierarchies import (
    FEW_LABELS,
    NOT_SHOWN,
    UNCHANGED,
    Hierarchy,
    LevelWords,
    level_words,
    levels_words,
    short_label,
)


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """One quasi-identifier as a release shows it; `loss` is None if the data were not available."""

    name: str
    words: LevelWords
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Facts of the data about a release. `in_smallest` rows are in classes of the smallest size. `mixed`:
    classes are buckets, in which the sensitive values are permuted. `suppressed` are the groups of rows that
    lose most; `households` is the risk of households, if it is known which rows belong together. `by_values`
    people are in suppressed classes as large as one that stays: they are missing for their values."""

    columns: tuple[ShownColumn, ...]
    smallest: int
    in_smallest: int
    known: tuple[Known, ...]
    mixed: bool = False
    suppressed: tuple[SuppressedGroup, ...] = ()
    households: HouseholdRisk | None = None
    by_values: int = 0

    @classmethod
    def of(cls, realized: Realized, schema: Schema, keep: Keep = ()) -> ReleaseFacts:
        sizes = realized.sizes
        smallest = int(sizes.min())
        return cls(
            _columns(realized, schema),
            smallest,
            int(sizes[sizes == smallest].sum()),
            known_values(realized),
            realized.classes.buckets is not None,
            suppressed_groups(realized),
            household_risk(realized) if schema.unit.is_person else None,
            suppressed_by_values(realized) if keeps_by_values(keep) else 0,
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": [
                {"name": c.name, "words": c.words.words, "labels": list(c.words.labels), "loss": c.loss}
                for c in self.columns
            ],
            "smallest": self.smallest,
            "in_smallest": self.in_smallest,
            "known": [disclosure._asdict() for disclosure in self.known],
            "mixed": self.mixed,
            **({"suppressed": [group._asdict() for group in self.suppressed]} if self.suppressed else {}),
            **({"households": self.households._asdict()} if self.households else {}),
            **({"by_values": self.by_values} if self.by_values else {}),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ReleaseFacts:
        return cls(
            tuple(
                ShownColumn(c["name"], LevelWords.stored(c["words"], c["labels"]), c["loss"])
                for c in entry["columns"]
            ),
            entry["smallest"],
            entry["in_smallest"],
            tuple(Known(**disclosure) for disclosure in entry["known"]),
            entry["mixed"],
            tuple(
                SuppressedGroup(group["column"], group["value"], group["rows"], group["gone"])
                for group in entry.get("suppressed", ())
            ),
            HouseholdRisk(**entry["households"]) if "households" in entry else None,
            entry.get("by_values", 0),
        )


def keeps_by_values(keep: Keep) -> bool:
    """True if classes had to meet conditions on sensitive values, and no others than that and their size.

    >>> from paretonym.recoding import parse_keep
    >>> [keeps_by_values(parse_keep(each)) for each in ({"k": ">=5"}, {"k": ">=5", "l": ">=2"})]
    [False, True]
    """
    cards = [card_of(name) for condition in keep for name in condition.measures]
    by_values = [card is not None and card.limits_inference for card in cards]
    by_size = [card is not None and card.is_class_size for card in cards]
    return any(by_values) and all(np.logical_or(by_values, by_size))


def _columns(realized: Realized, schema: Schema) -> tuple[ShownColumn, ...]:
    losses = realized.column_losses()
    return tuple(
        ShownColumn(axis.name, _words(schema.column(axis.name), sets, axis.hierarchy), losses[axis.name])
        for axis, sets in zip(realized.cube.axes, realized.classes.sets, strict=True)
    )


def _words(column: ColumnSpec, sets: ShownSets, hierarchy: Hierarchy) -> LevelWords:
    if sets.level is not None:
        return level_words(column, sets.level, hierarchy)
    if sets.mixed:
        return levels_words(column, sets.mixed, hierarchy)
    if len(sets.labels) == 1:
        return LevelWords(NOT_SHOWN)
    if int(sets.sizes.max()) == 1:
        return LevelWords(UNCHANGED)
    labels = tuple(map(short_label, sets.labels))
    return LevelWords(f"in {len(labels):,} groups", labels if len(labels) <= FEW_LABELS else ())
