"""The contract of a kind of hierarchy: one frozen value for each kind, in a file of its own, which says how
values are shown at each level.

A value is checked when it is made. One that breaks its own rule raises an `InputError` whose place is the
setting; the reader of the schema puts the file and the column in front. `hierarchy_builder.py` lists the
kinds; their exam is `tests/exams/hierarchy_exam.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

from paretonym.base.errors import InputError
from paretonym.base.language import N_
from paretonym.tables.schema.hierarchies.value_line import Bands, Scale
from paretonym.tables.schema.toml_section import Section
from paretonym.tables.source import ColumnType

LoadFile: TypeAlias = Callable[[str], str]
Reads: TypeAlias = Literal["numbers", "dates", "texts"]


class AttachedFile(NamedTuple):
    """A file beside the schema, by its name in the schema."""

    name: str
    content: str


class HierarchyColumn(Protocol):
    """Entry of a column in the schema, as a hierarchy needs it; `kind` is `Flat` if it has no hierarchy."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> ColumnType | None: ...
    @property
    def kind(self) -> HierarchyKind: ...
    @property
    def order(self) -> tuple[str, ...] | None: ...
    @property
    def bottom(self) -> Decimal | None: ...
    @property
    def top(self) -> Decimal | None: ...
    @property
    def granularity(self) -> Decimal | None: ...
    @property
    def domain(self) -> tuple[int, int] | None: ...
    @property
    def format(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class HierarchyKind(ABC):
    """A kind of hierarchy: how its key is read and written, how many levels it has, and their words. A kind
    of texts gives `labels`, one of numbers or dates `bands`. `ready` is the name of the ready hierarchy that
    the schema gives in place of this value."""

    ready: str = field(default="", kw_only=True)

    key: ClassVar[str]
    """Its key in the `hierarchy` table of the schema."""
    further_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that have a meaning beside it."""
    reads: ClassVar[Reads | None] = "texts"
    """The reading of the values; None if the column's type and order decide."""
    takes_order: ClassVar[bool] = False
    """True if the column may give its leaves an `order`."""
    shorter_first: ClassVar[bool] = False
    """True if texts that it does not list are ordered by their length first."""
    set_noun: ClassVar[str | None] = None
    """The noun for its sets in a sentence, where they have labels of their own."""

    @classmethod
    @abstractmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> HierarchyKind | None:
        """The value in a table that has its key; None if it is wrong, which is reported to the table. `load`
        gives the content of a file; with `secret`, no value of the column is named."""

    @abstractmethod
    def to_mapping(self) -> dict[str, Any]:
        """The table that reads back as this value, unless it is a ready one."""

    @property
    @abstractmethod
    def height(self) -> int:
        """The number of its levels above the values themselves; one set on top is added to them."""

    def words(self, level: int) -> str:
        """The English phrase for a level, from 1 to `height`, marked for translation where it is written."""
        return N_("at level {number} of its hierarchy").format(number=level)

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        """Labels of texts at a level. Equal labels are one set, and sets of a level lie in sets of the
        next."""
        return list(texts)

    def bands(self, scale: Scale) -> Sequence[Bands]:
        """The levels over a line of numbers or dates."""
        return ()

    @property
    def settings(self) -> Sequence[Decimal]:
        """The numbers that a scale must hold."""
        return ()

    @property
    def origin(self) -> Decimal:
        """Where intervals of numbers are counted from."""
        return Decimal(0)

    @property
    def leaves(self) -> tuple[str, ...] | None:
        """All values, if the schema lists them; `leaves_are` says so in words."""
        return None

    @property
    def leaves_are(self) -> str:
        return "the leaves of the tree"

    @property
    def lacking(self) -> str:
        """Words for what is wrong with a value that is not listed, or not accepted."""
        return "not in the tree"

    def accepts(self, texts: Sequence[str]) -> Sequence[bool]:
        """True for each text that has a place, if the values are not listed."""
        return [True] * len(texts)

    @property
    def attached(self) -> AttachedFile | None:
        """The file that its key names."""
        return None

    def with_values(self, content: str, values: Sequence[str]) -> str:
        """The content of such a file, in which each of these values has a place."""
        return content

    def possible_members(self, label: str) -> Iterable[str]:
        """Texts that may be values of the set with this label. Whoever tries them sees which are: if one is
        shown by this label, the label is one of the hierarchy's."""
        return (label,)

    @classmethod
    def refusal(cls, wrong: str, remedy: str) -> InputError:
        """Error that says what is wrong with a value, and what to do; the setting is its place."""
        return InputError.of(f"hierarchy.{cls.key}", wrong, remedy)
