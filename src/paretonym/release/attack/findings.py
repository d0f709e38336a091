"""What an attack found out, in numbers of people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "paretonym.attack/1"


@dataclass(frozen=True, slots=True)
class Guessing:
    """How well a sensitive value is guessed.

    `blind` is the share of people in the release whose value is the most frequent one of all, `informed` the
    share whose value is the most frequent one among the rows that fit them. `homogeneous` people are in a
    class of one value. `gain` is the largest rise of a value's share from the whole release to a class, and
    `surest` the largest share that a value has in any class.
    """

    column: str
    blind: float
    informed: float
    homogeneous: int
    gain: float
    surest: float


@dataclass(frozen=True, slots=True)
class Linkage:
    """Every person of the original linked with the release by the quasi-identifiers.

    `narrowed` people fit between 1 and k − 1 rows, `absent` ones none; `smallest` is the least number of rows
    that fit a person who is there, and `strangers` counts rows that fit nobody of the original.
    """

    file: str
    people: int
    k: int
    narrowed: int
    absent: int
    smallest: int
    strangers: int
    guesses: tuple[Guessing, ...]

    @property
    def withstood(self) -> bool:
        return self.narrowed == 0 and self.strangers == 0

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "withstood": self.withstood, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Pinning:
    """People whose sensitive value the pair leaves no choice for, though each file alone leaves several."""

    column: str
    pinned: int


@dataclass(frozen=True, slots=True)
class PairLinkage:
    """Two releases of one table together.

    Rows that may be a person's in both files must agree in what both show as it is: so many of them are left
    (`smallest`, at worst) of the person's class in either. `narrowed` people have fewer than `k`, the lesser
    one of both files. `shared` is the smallest number of people who look alike in both files at once; `both`
    people are in both files, `one` in one of them, which tells that the other left them out.
    """

    files: tuple[str, str]
    people: int
    k: int
    both: int
    one: int
    smallest: int
    narrowed: int
    shared: int
    pinnings: tuple[Pinning, ...]

    @property
    def withstood(self) -> bool:
        return self.narrowed == 0

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "withstood": self.withstood, **asdict(self), "files": list(self.files)}


@dataclass(frozen=True, slots=True)
class RowLinkage:
    """Two releases matched row by row, without the original; each pair of numbers is of the first file's rows
    and of the second's.

    `narrowed` rows fit between 1 and k − 1 rows of the other file, `alone` ones none; `smallest` is the least
    number that fits a row with a partner. Columns in `not_compared` did not count: which of their labels
    overlap cannot be told from the schema, so that more may be possible than is said here. If both files hold
    the `same` rows, the second shows nothing new, and nothing is matched.
    """

    files: tuple[str, str]
    rows: tuple[int, int]
    k: int
    narrowed: tuple[int, int]
    alone: tuple[int, int]
    smallest: tuple[int, int]
    not_compared: tuple[str, ...]
    same: bool = False

    @property
    def withstood(self) -> bool:
        return self.narrowed == (0, 0)

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "withstood": self.withstood, **asdict(self)}
