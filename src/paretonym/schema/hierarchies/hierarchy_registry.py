"""The registry: every kind of hierarchy in one table, and how the one in a schema is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paretonym.errors import ColumnPlace, InputError, Place, Problem, inside
from paretonym.schema.hierarchies.dates import Dates
from paretonym.schema.hierarchies.flat import Flat
from paretonym.schema.hierarchies.hierarchy_file import HierarchyFile
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.schema.hierarchies.intervals import Breaks, Intervals
from paretonym.schema.hierarchies.masks import Keep, Mask
from paretonym.schema.hierarchies.ready import Ready
from paretonym.schema.hierarchies.tree import Tree
from paretonym.schema.toml_section import Section

HIERARCHY_KINDS: Mapping[str, type[HierarchyKind]] = {
    "intervals": Intervals,
    "breaks": Breaks,
    "mask": Mask,
    "keep": Keep,
    "date": Dates,
    "file": HierarchyFile,
    "flat": Flat,
    "tree": Tree,
    "ready": Ready,
}


def read_hierarchy(section: Section, load: LoadFile, secret: bool) -> HierarchyKind | None:
    """The hierarchy of a column, or None where it has none (or a wrong one: see the section's problems)."""
    table = section.inner("hierarchy", inside(section.place, "hierarchy"))
    if table is None:
        return None
    further = {key: kind for kind in HIERARCHY_KINDS.values() for key in kind.further_keys}
    table.refuse_unknown((*HIERARCHY_KINDS, *further))
    keys = [key for key in HIERARCHY_KINDS if key in table.mapping]
    if len(keys) != 1:
        wrong = f"{' and '.join(keys)} are given together" if keys else "it names no kind"
        table.complain(wrong, f"give one of {', '.join(HIERARCHY_KINDS)}")
        return None
    for key, kind in further.items():
        if key in table.mapping and keys != [kind.key]:
            table.complain(f"{key} has no meaning here", f"use it with {kind.key}, or omit it")
    try:
        return HIERARCHY_KINDS[keys[0]].read(table, load, secret)
    except InputError as error:
        # A value that is invalid: its problems become those of this column.
        table.problems.extend(Problem(_place(table, p), p.wrong, p.remedy) for p in error.problems)
        return None


def _place(table: Section, problem: Problem) -> Place:
    """The place of a problem of a hierarchy; an invalid value has named its kind."""
    place = table.place
    return replace(place, within=str(problem.place)) if isinstance(place, ColumnPlace) else problem.place
