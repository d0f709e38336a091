"""The contract of a kind of hierarchy: one frozen value for each kind, which makes a table of labels, leaf ×
level.

A value is checked when it is made. One that breaks its own rule raises an `InputError` whose place is the
setting; the reader of the schema puts the file and the column in front. `hierarchy_registry.py` lists the
kinds; the exam for implementers is `paretonym.testing.hierarchy_exam`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias

from paretonym.errors import InputError
from paretonym.schema.hierarchies.level_table import LevelTable, Values
from paretonym.schema.toml_section import Section
from paretonym.source import ColumnType

LoadFile: TypeAlias = Callable[[str], str]


class AttachedFile(NamedTuple):
    """A file beside the schema, by its name in the schema."""

    name: str
    content: str


class HierarchyColumn(Protocol):
    """What a hierarchy needs of a column's entry in the schema; `kind` is `Flat` if it has no hierarchy."""

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


class HierarchyKind(ABC):
    """The contract of a kind of hierarchy. Every kind implements four methods; the others have a default that
    fits a kind that shows texts."""

    __slots__ = ()

    key: ClassVar[str]
    """Its key in the `hierarchy` table of the schema."""
    further_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that have a meaning beside it."""
    reads: ClassVar[Literal["numbers", "dates", "texts"] | None] = "texts"
    """What it takes the values to be; None if the column's type and order decide."""
    takes_order: ClassVar[bool] = False
    """Whether the column may give its leaves an `order`."""
    set_noun: ClassVar[str | None] = None
    """What its sets are called in a sentence, where they have labels of their own."""

    @classmethod
    @abstractmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        """The value in a table that has its key; None if it is wrong, which is reported to the table. `load`
        gives the content of a file; with `secret`, no value of the column is named."""

    @abstractmethod
    def to_mapping(self) -> dict[str, Any]:
        """The table that reads back as this value."""

    @abstractmethod
    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        """Leaf × level labels over these values, the finest level first."""

    @abstractmethod
    def words(self, level: int) -> str | None:
        """How a level above 0 shows a value; None if there is no such level below the top."""

    @property
    def grouped(self) -> bool:
        """Whether values are put into sets below the top."""
        return self.words(1) is not None

    @property
    def origin(self) -> Decimal:
        """Where intervals of numbers are counted from."""
        return Decimal(0)

    @property
    def attached(self) -> AttachedFile | None:
        """The file that its key names."""
        return None

    def possible_members(self, label: str) -> Iterable[str]:
        """Texts that may be values of the set with this label. Whoever tries them sees which are: if one is
        shown by this label, the label is one of the hierarchy's."""
        return (label,)

    @classmethod
    def refusal(cls, wrong: str, remedy: str) -> InputError:
        """What is wrong with a value, and what to do; the setting is its place."""
        return InputError.of(".".join(("hierarchy", cls.key)), wrong, remedy)
