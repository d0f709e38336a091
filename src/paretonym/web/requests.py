"""What the page may send: small values, checked before anything is done with them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from paretonym.frontier.choosing.question import Limit

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
    """Limits, and what should be best within them; without it a shortlist."""

    limits: Annotated[list[Bound], Field(max_length=50)] = []
    best: Name | None = None


class TakeRelease(_Strict):
    """`also`: a second, different release of one run all the same."""

    kind: Literal["csv", "parquet"] = "csv"
    also: bool = False


class TakeReport(_Strict):
    reader: Literal["officer", "public"] = "officer"


class Described(_Strict):
    """A schema: what its TOML file would hold."""

    description: dict[str, Any]


class Explore(_Strict):
    description: dict[str, Any]
    objectives: Annotated[list[Name], Field(min_length=1, max_length=8)] = ["k", "loss"]
    suppress: Annotated[str, Field(max_length=20)] = "any:0.1"
    time: Annotated[str, Field(max_length=20)] | None = None
