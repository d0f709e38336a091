"""Values that the page may send: small ones, checked before anything is done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from paretonym.base.budget import parse_time
from paretonym.base.errors import Field as Option
from paretonym.base.errors import InputError, Problem
from paretonym.engine.measures import OBJECTIVES, Limit
from paretonym.engine.recoding import parse_suppression

MOST_OBJECTIVES = 8
T = TypeVar("T")
Name = Annotated[str, Field(min_length=1, max_length=200)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Bound(_Strict):
    """A measure at least, or at most, a number."""

    measure: Name
    sense: Literal["at-least", "at-most"]
    bound: Finite

    def limit(self) -> Limit:
        return Limit(self.measure, self.sense, self.bound)


class Ask(_Strict):
    """Limits, and the measure to optimize within them; without it a shortlist."""

    limits: Annotated[list[Bound], Field(max_length=50)] = []
    best: Name | None = None


class AskPurpose(_Strict):
    """A purpose that the schema of a run declares, and limits within which it is to be achieved."""

    purpose: Name
    limits: Annotated[list[Bound], Field(max_length=50)] = []


class TakeRelease(_Strict):
    """`allow_second_release` allows a second, different release of one table."""

    kind: Literal["csv", "parquet", "xlsx"] = "csv"
    allow_second_release: bool = False


class TakeReport(_Strict):
    reader: Literal["officer", "public"] = "officer"


class Described(_Strict):
    """A schema: what its TOML file would hold."""

    description: dict[str, Any]


class ColumnOf(Described):
    """A column of the upload, as a schema reads it."""

    column: Annotated[str, Field(max_length=1000)]


class Written(_Strict):
    """Form of the file that was sent last; what is not given is found."""

    encoding: Annotated[str, Field(max_length=40)] | None = None
    separator: Annotated[str, Field(max_length=4)] | None = None
    sheet: Annotated[str, Field(max_length=300)] | None = None
    decimal: Literal[".", ","] | None = None
    header_row: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    footer_rows: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


Entry = Annotated[str, Field(max_length=300)]


class Explore(_Strict):
    """A schema and a question; `at_least`, `at_most` and `time` as the command reads them."""

    description: dict[str, Any]
    objectives: Annotated[list[Name], Field(max_length=50)] = list(OBJECTIVES)
    suppress: Annotated[str, Field(max_length=20)] = "any:0.1"
    time: Annotated[str, Field(max_length=20)] | None = None
    at_least: Annotated[list[Entry], Field(max_length=50)] = []
    at_most: Annotated[list[Entry], Field(max_length=50)] = []

    def question(self) -> dict[str, Any]:
        """The question to `Study.explore`, read by the command's own parsers: all mistakes are reported at
        once, before the search."""
        problems: list[Problem] = []
        for check in (self._counted, lambda: parse_suppression(self.suppress), lambda: parse_time(self.time)):
            _checked(check, problems)
        bounds = {
            "at_least": _checked(lambda: Limit.several(self.at_least, "at-least"), problems),
            "at_most": _checked(lambda: Limit.several(self.at_most, "at-most"), problems),
        }
        if problems:
            raise InputError(problems)
        return {"suppress": self.suppress, "time": self.time, **bounds}

    def _counted(self) -> None:
        if not self.objectives:
            raise InputError.of(Option("objectives"), "no objective is chosen", "choose at least one")
        if len(self.objectives) > MOST_OBJECTIVES:
            wrong = f"{len(self.objectives)} are chosen: nearly every release is on such a frontier"
            raise InputError.of(
                Option("objectives"),
                wrong,
                f"choose at most {MOST_OBJECTIVES}",
            )


def _checked(check: Callable[[], T], problems: list[Problem]) -> T | None:
    """The result of a parser; its problems are added to `problems`."""
    try:
        return check()
    except InputError as error:
        problems.extend(error.problems)
        return None
