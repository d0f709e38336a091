"""The recoding that a manifest states: the only place of an audit that knows how spaces are written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from paretonym.errors import shown

CLOSENESS = "closeness"
# The forms in which a recoding is written, by the key that comes first, and the keys that have a meaning.
MEANT: Mapping[str, tuple[str, ...]] = {
    "levels": ("levels", "keep", "further"),
    "chain": ("chain", "keep", "further"),
    "space": ("space", "labels", "keep", "further"),
    "buckets": ("buckets", "column"),
}
# The spaces that list labels: groups of a column's values, or regions in all columns together.
GROUPS, REGIONS = "cuts", "mondrian"
# How buckets are made; the last may part people who look alike.
BUCKETIZATIONS = ("mondrian", "anatomy")


@dataclass(frozen=True, eq=False)
class StatedRecoding:
    """`levels` are those of columns by name. Where there are none, a `chain` has the levels of each node, a
    `space` lists `labels`, or buckets were made in a `way`, their numbers in the column `bucket`. `keep` is
    what a class must have to stay, and `further` that there was another condition, which is not published."""

    levels: Mapping[str, Any] | None = None
    space: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    way: str = ""
    bucket: str | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    further: str | None = None
    chain: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any], named: Callable[[str], str]) -> StatedRecoding:
        """Whatever is said, the names of columns as they are meant. Labels are those of the cells before they
        were made harmless: they stand in the manifest as they are."""
        levels, labels, keep = (_entries(entry.get(key)) for key in ("levels", "labels", "keep"))
        return cls(
            None if levels is None else {named(str(name)): level for name, level in levels.items()},
            str(entry.get("space", "")),
            {named(str(name)): texts for name, texts in (labels or {}).items()},
            str(entry.get("buckets", "")),
            named(str(entry["column"])) if "buckets" in entry else None,
            keep or {},
            entry.get("further"),
            _chain(entry.get("chain"), named),
        )

    @classmethod
    def by_labels(cls) -> StatedRecoding:
        """Labels read one by one, which may overlap: of a file without a manifest."""
        return cls(space=REGIONS)

    @property
    def in_groups(self) -> bool:
        """Whether every column is shown in groups that do not overlap."""
        return self.space == GROUPS

    @property
    def in_regions(self) -> bool:
        """Whether classes are regions: the labels of one column may overlap."""
        return self.space == REGIONS

    @property
    def parts_people_alike(self) -> bool:
        """Whether people who look alike may be in several buckets."""
        return self.way == BUCKETIZATIONS[-1]

    @property
    def of_added_rows(self) -> StatedRecoding:
        """How added rows are recoded. At which node of a chain one is shown depends on the older release too:
        it is read from the labels, which mean sets of the chain's levels."""
        return StatedRecoding(space=REGIONS, chain=self.chain) if self.chain else self

    def faults(self) -> Iterator[str]:
        """What no recoding says."""
        if self.levels is not None:
            return
        if self.chain:
            yield from self._chain_faults()
        elif self.bucket is not None:
            if self.way not in BUCKETIZATIONS:
                yield f"{shown([self.way])} is not a known bucketization method"
        elif not (self.in_groups or self.in_regions):
            yield f"{shown([self.space])} is not a known space"

    def _chain_faults(self) -> Iterator[str]:
        for before, after in pairwise(self.chain):
            if before == after or any(after.get(name, -1) < level for name, level in before.items()):
                yield "a node of the chain is not more general than the one before it"
                return


def written_form(entry: Mapping[str, Any]) -> str | None:
    """The form in which a recoding is written; None if it is none of these."""
    return next((key for key in MEANT if key in entry), None)


def meant_recoding(entry: Mapping[str, Any], named: Callable[[str], str]) -> StatedRecoding:
    """A recoding of the right form: only the keys that have a meaning there."""
    keys = MEANT[written_form(entry) or ""]
    return StatedRecoding.of({key: value for key, value in entry.items() if key in keys}, named)


def _chain(value: Any, named: Callable[[str], str]) -> tuple[dict[str, Any], ...]:
    nodes = value if isinstance(value, list) else ()
    return tuple(
        {named(str(name)): level for name, level in (_entries(node) or {}).items()} for node in nodes
    )


def _entries(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
