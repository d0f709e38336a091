"""What a manifest says of its recoding: the one place of an audit that knows how spaces are written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paretonym.audits import manifest_form as form
from paretonym.audits.manifest_form import Form, Misshapen
from paretonym.errors import shown

_KEEP = {"keep": form.each(form.text)}
# Classes had to be close to the input's distribution too; how close is not published.
_CLOSENESS = {"further": form.text}
CLOSENESS = "closeness"
# How a recoding is written, by the key that comes first: which further keys have a meaning.
FORMS: Mapping[str, Form] = {
    "levels": form.keys({"levels": form.each(form.count), **_KEEP}, _CLOSENESS),
    "space": form.keys({"space": form.text, "labels": form.each(form.texts), **_KEEP}, _CLOSENESS),
    "buckets": form.keys({"buckets": form.text, "column": form.text}),
}
MEANT: Mapping[str, tuple[str, ...]] = {
    "levels": ("levels", "keep", "further"),
    "space": ("space", "labels", "keep", "further"),
    "buckets": ("buckets", "column"),
}
# The spaces that list labels: groups of a column's values, or regions in all columns together.
GROUPS, REGIONS = "cuts", "mondrian"
# How buckets are made; the last may part people who look alike.
BUCKETIZATIONS = ("mondrian", "relaxed", "anatomy")


@dataclass(frozen=True, eq=False)
class StatedRecoding:
    """`levels` are those of columns by name; where there are none, a `space` lists `labels`, or buckets were
    made in a `way`, their numbers in the column `bucket`. `keep` is what a class must have to stay, and
    `further` that there was another condition, which is not published."""

    levels: Mapping[str, Any] | None = None
    space: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    way: str = ""
    bucket: str | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    further: str | None = None

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

    def faults(self) -> Iterator[str]:
        """What no recoding says."""
        if self.levels is not None:
            return
        if self.bucket is not None:
            if self.way not in BUCKETIZATIONS:
                yield f"{shown([self.way])} is no way to buckets"
        elif not (self.in_groups or self.in_regions):
            yield f"{shown([self.space])} is no space of a release"


# Labels read one by one, which may overlap: of a file without a manifest.
BY_LABELS = StatedRecoding(space=REGIONS)


def recoding_form(value: Any, place: str, faults: list[str]) -> None:
    """The form of what a manifest says of the recoding."""
    form.each(form.anything)(value, place, faults)
    FORMS[_form_of(value)](value, place, faults)


def _form_of(entry: Mapping[str, Any]) -> str:
    for key in FORMS:
        if key in entry:
            return key
    raise Misshapen("it names no levels, no space and no buckets")


def meant_recoding(entry: Mapping[str, Any], named: Callable[[str], str]) -> StatedRecoding:
    """A recoding of the right form: only the keys that have a meaning there."""
    keys = MEANT[_form_of(entry)]
    return stated_recoding({key: value for key, value in entry.items() if key in keys}, named)


def stated_recoding(entry: Mapping[str, Any], named: Callable[[str], str]) -> StatedRecoding:
    """Whatever is said, the names of columns as they are meant. Labels are those of the cells before they
    were made harmless: they stand in the manifest as they are."""
    levels, labels, keep = (_entries(entry.get(key)) for key in ("levels", "labels", "keep"))
    return StatedRecoding(
        None if levels is None else {named(str(name)): level for name, level in levels.items()},
        str(entry.get("space", "")),
        {named(str(name)): texts for name, texts in (labels or {}).items()},
        str(entry.get("buckets", "")),
        named(str(entry["column"])) if "buckets" in entry else None,
        keep or {},
        entry.get("further"),
    )


def _entries(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
