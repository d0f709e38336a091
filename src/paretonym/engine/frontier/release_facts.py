"""Facts about one release that its values do not contain: how its columns are shown, what each of them loses,
who is in the smallest classes, for how many people a sensitive value is known.

They are counted from the data once. The folder of a run keeps some, so that questions are answered without
the data; no row and no sensitive value is in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.language import N_
from paretonym.engine.counts import Axis
from paretonym.engine.measures import Realized, card_of
from paretonym.engine.recoding import Keep, ShownSets, level_shares, shown_labels
from paretonym.engine.risk import (
    DominatedMeans,
    HouseholdRisk,
    Known,
    SuppressedGroup,
    dominated_means,
    household_risk,
    known_values,
    suppressed_by_values,
    suppressed_groups,
)
from paretonym.tables.schema import ColumnSpec, Schema
from paretonym.tables.schema.hierarchies import (
    NOT_SHOWN,
    TOP_LABEL,
    LevelWords,
    level_words,
    levels_words,
    sets_words,
)

MEANS = N_("by the means of classes")


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """One quasi-identifier as a release shows it: in words and, where the sets are a hierarchy's, how many
    released rows show each level. `loss` is None if the data were not available."""

    name: str
    words: LevelWords
    loss: float | None = None
    levels: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """Facts of the data about a release. `in_smallest` rows are in classes of the smallest size. `mixed`:
    classes are buckets, in which the sensitive values are permuted. `suppressed` are the groups of rows that
    lose most; `households` is the risk of households, if it is known which rows belong together. `by_values`
    people are in suppressed classes as large as one that stays: they are missing for their values.
    `dominated` are columns with means that one row decides."""

    columns: tuple[ShownColumn, ...]
    smallest: int
    in_smallest: int
    known: tuple[Known, ...]
    mixed: bool = False
    suppressed: tuple[SuppressedGroup, ...] = ()
    households: HouseholdRisk | None = None
    by_values: int = 0
    dominated: tuple[DominatedMeans, ...] = ()

    @classmethod
    def of(cls, realized: Realized, schema: Schema, keep: Keep = ()) -> ReleaseFacts:
        sizes = realized.sizes
        smallest = int(sizes.min())
        return cls(
            _columns(realized, schema),
            smallest,
            realized.people_in(sizes == smallest),
            known_values(realized),
            realized.classes.buckets is not None,
            suppressed_groups(realized),
            household_risk(realized) if schema.unit.is_person else None,
            suppressed_by_values(realized) if keeps_by_values(keep) else 0,
            dominated_means(realized),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": [
                {
                    "name": c.name,
                    "words": c.words.words,
                    "labels": list(c.words.labels),
                    "loss": c.loss,
                    "levels": {str(level): rows for level, rows in c.levels.items()},
                }
                for c in self.columns
            ],
            "smallest": self.smallest,
            "in_smallest": self.in_smallest,
            "known": [disclosure._asdict() for disclosure in self.known],
            "mixed": self.mixed,
            **({"suppressed": [group._asdict() for group in self.suppressed]} if self.suppressed else {}),
            **({"households": self.households._asdict()} if self.households else {}),
            **({"by_values": self.by_values} if self.by_values else {}),
            **({"dominated": [means._asdict() for means in self.dominated]} if self.dominated else {}),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ReleaseFacts:
        return cls(
            tuple(
                ShownColumn(
                    c["name"],
                    LevelWords.stored(c["words"], c["labels"]),
                    c["loss"],
                    {int(level): rows for level, rows in c["levels"].items()},
                )
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
            # Without a word on the population it may be of either, as earlier versions stored it.
            HouseholdRisk(**homes)
            if "population_highest" in (homes := entry.get("households", {}))
            else None,
            entry.get("by_values", 0),
            tuple(DominatedMeans(**means) for means in entry.get("dominated", ())),
        )


def keeps_by_values(keep: Keep) -> bool:
    """True if classes had to meet conditions on sensitive values, and no others than that and their size.

    >>> from paretonym.engine.recoding import parse_keep
    >>> [keeps_by_values(parse_keep(each)) for each in ({"k": ">=5"}, {"k": ">=5", "l": ">=2"})]
    [False, True]
    """
    cards = [card_of(name) for condition in keep for name in condition.measures]
    by_values = [card is not None and card.limits_inference for card in cards]
    by_size = [card is not None and card.is_class_size for card in cards]
    return any(by_values) and all(np.logical_or(by_values, by_size))


def _columns(realized: Realized, schema: Schema) -> tuple[ShownColumn, ...]:
    """The columns as the classes that stay show them."""
    losses, rows = realized.column_losses(), realized.rows
    columns = []
    for j, (axis, sets) in enumerate(zip(realized.cube.axes, realized.classes.sets, strict=True)):
        column, loss = schema.column(axis.name), losses[axis.name]
        places = realized.classes.shown[realized.stays, j]
        if sets.level is None and not sets.mixed:
            columns.append(ShownColumn(axis.name, _words(column, axis, sets, places), loss))
            continue
        shares = level_shares(axis, sets, places, rows)
        words = levels_words(column, {share.level: share.labels for share in shares}, axis.hierarchy)
        levels = {share.level: share.rows for share in shares}
        columns.append(ShownColumn(axis.name, words, loss, levels))
    return tuple(columns)


def _words(column: ColumnSpec, axis: Axis, sets: ShownSets, shown: Integers) -> LevelWords:
    """Words for sets that are not those of a hierarchy: cut anywhere, or shown by their means."""
    labels, hierarchy = shown_labels(sets, shown), axis.hierarchy
    places = np.unique(shown)
    values = hierarchy.levels[0]
    leaves = [values.labels[group] for group in values.groups[sets.first[places]].tolist()]
    single = (sets.after - sets.first)[places] == 1
    if single.all() and [sets.labels[place] for place in places.tolist()] == leaves:
        return level_words(column, 0)
    # The top set of a hierarchy that the schema does not list may have a label of its own.
    if labels == hierarchy.levels[-1].labels and (hierarchy.listed or labels == (TOP_LABEL,)):
        return LevelWords(NOT_SHOWN)
    return sets_words(labels) if sets.numbers is None else LevelWords(MEANS)
