"""Facts of the search for a frontier: one method in one space, how far it came, and what it proves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from paretonym.base.errors import InputError
from paretonym.base.language import _, format_number, ngettext
from paretonym.engine.frontier.proven_bound import ProvenBound
from paretonym.engine.recoding import Recoding, Suppression, parse_suppression

# Beyond this, people no longer read a number digit by digit.
_COUNTABLE = 10**9
_NEARLY = 0.9


class ReadRecoding(Protocol):
    """A type of recodings that can be read back."""

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Recoding: ...


class StoredSpace(Protocol):
    """A space as far as a stored frontier needs to know it."""

    @property
    def name(self) -> str: ...
    @property
    def units(self) -> str: ...
    @property
    def words(self) -> str: ...
    @property
    def bounded(self) -> str: ...
    @property
    def by_hierarchies(self) -> bool: ...
    @property
    def recoding(self) -> type[ReadRecoding]: ...
    def looks_everywhere(self, method: str) -> bool:
        """True if a search of this space covers all releases in question, unless it is stopped."""
        ...


@dataclass(frozen=True, slots=True)
class SearchFacts:
    """Where and how a frontier was searched for. `complete`: it is proven exact; otherwise `open` nodes (or
    cuts) are left that might add to it. With `box`, one solution represents all in its box of that size.
    `interrupted`: a person stopped the search, and this is what was found until then. `words` say how the
    space generalizes."""

    space: str
    size: int
    method: str
    complete: bool
    seed: int | None
    suppress: str
    open: int = 0
    box: Mapping[str, float] = field(default_factory=dict)
    interrupted: bool = False
    # What the size of the space is counted in.
    units: str = "nodes"
    # Whether the search covers all releases in question, unless it is stopped.
    everywhere: bool = True
    # What is proven although the search was stopped.
    bound: ProvenBound | None = None
    evaluated: int = field(default=0, compare=False)
    words: str = ""
    # Whether every set that it shows is one of the hierarchies'.
    by_hierarchies: bool = True

    @property
    def rule(self) -> Suppression | None:
        """The suppression rule; None if it is specific to one space."""
        try:
            return parse_suppression(self.suppress)
        except InputError:
            return None

    @property
    def left(self) -> str:
        """Words for what was not evaluated."""
        if self.open < _COUNTABLE:
            return self._counted(self.open)
        share, units = self.open / self.size, _(self.units)
        if share > _NEARLY:
            return _("nearly all {units}", units=units)
        return _("{share} of all {units}", share=format_number(f"{100 * share:.2g} %"), units=units)

    @property
    def width(self) -> str:
        """Words for the size of the space."""
        if self.size < _COUNTABLE:
            return self._counted(self.size)
        return _("more {units} than can be tried", units=_(self.units))

    def _counted(self, number: int) -> str:
        match self.units:
            case "cuts":
                return ngettext("{number} cut", "{number} cuts", number)
            case "partitions":
                return ngettext("{number} partition", "{number} partitions", number)
            case "settings":
                return ngettext("{number} setting", "{number} settings", number)
        return ngettext("{number} node", "{number} nodes", number)

    @property
    def releases(self) -> str:
        """The releases among which something is proven: those of the space, not all that there are."""
        match self.units:
            case "cuts":
                return _("releases with one grouping of values per column")
            case "partitions":
                return _("releases in which equal rows are shown alike, by the smallest sets")
            case "settings":
                return _("the settings that were tried")
        return _("releases with one level per column")

    @property
    def thinned(self) -> tuple[str, ...]:
        """The statement that one solution represents a box, if it does."""
        sides = ", ".join(f"{name}={side:g}" for name, side in self.box.items())
        return (_("one per box of {sides}", sides=sides),) if self.box else ()

    @property
    def short(self) -> str:
        """The method among others: how it generalizes, and whether its own frontier is proven."""
        words = _(self.words)
        if self.complete:
            return _("{words} (proven)", words=words)
        if self.interrupted or (self.everywhere and self.units == "nodes"):
            return _("{words} (not proven, {left} left)", words=words, left=self.left)
        return _("{words} (measured)", words=words)

    def __str__(self) -> str:
        if not self.complete and (self.open or not self.box):
            return ", ".join((_("not proven complete ({left} left)", left=self.left), *self.thinned))
        return ", ".join(self.thinned) or _("proven complete among {releases}", releases=self.releases)

    def space_as_json(self) -> dict[str, Any]:
        return {"kind": self.space, "size": self.size}

    def as_json(self) -> dict[str, Any]:
        """The search in its space, as files hold it."""
        return {
            "method": self.method,
            "complete": self.complete,
            "seed": self.seed,
            "open": self.open,
            **({"box": dict(self.box)} if self.box else {}),
            **({"interrupted": True} if self.interrupted else {}),
            **({"bounds": self.bound.as_json()} if self.bound else {}),
        }

    def among_others(self) -> dict[str, Any]:
        """One of several methods, as files hold it."""
        entry = self.as_json()
        return {
            "space": self.space,
            "size": self.size,
            "search": entry.pop("method"),
            "evaluated": self.evaluated,
            **entry,
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], space: StoredSpace, size: int, suppress: str) -> SearchFacts:
        """Read back what `as_json` or `among_others` gave."""
        method = entry["search"] if "search" in entry else entry["method"]
        return cls(
            space.name,
            size,
            method,
            entry["complete"],
            entry["seed"],
            suppress,
            entry.get("open", 0),
            entry.get("box", {}),
            entry.get("interrupted", False),
            space.units,
            space.looks_everywhere(method),
            ProvenBound.from_json(entry.get("bounds", ()), space.bounded),
            entry.get("evaluated", 0),
            space.words,
            space.by_hierarchies,
        )
