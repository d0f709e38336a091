"""Where a frontier comes from: what its solutions can be asked beyond their own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from paretonym.measures.recoded_counts import Realized
from paretonym.recoding.recoding_contract import Recoding
from paretonym.schema.model import Schema
from paretonym.schema.uniqueness_warnings import Exposure

if TYPE_CHECKING:
    from paretonym.frontier.pareto_frontier import Frontier
    from paretonym.frontier.solution import Solution


class Picture(Protocol):
    """A figure that can be shown and saved; `figure` is matplotlib's own."""

    @property
    def figure(self) -> Any: ...
    def svg(self) -> str: ...
    def png(self) -> bytes: ...
    def save(self, path: str | Path, force: bool = False) -> None: ...


class Origin(Protocol):
    """The table that a frontier was found for, held by every solution. A study is one."""

    @property
    def schema(self) -> Schema:
        """What the columns mean; known without the rows."""
        ...

    def exposures(self) -> tuple[Exposure, ...]:
        """The columns that are published exactly and have values that find a row."""
        ...

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        ...

    def cost(self, recoding: Recoding) -> tuple[int, float | None]:
        """What may be published of the cost of its release: the rows that it suppresses, and what
        generalization costs those that stay, in rows."""
        ...

    def release(self, recoding: Recoding) -> Any:
        """The rows as the recoding shows them, in the caller's own kind of dataframe."""
        ...

    def publish(
        self, solution: Solution, path: Path, force: bool = False, also: bool = False
    ) -> dict[str, Any]:
        """Write the release and its manifest, which is returned; with `also` it may be a second, different
        release of one table."""
        ...

    def draw_key(self, recodings: Iterable[Recoding], run: Path | None = None) -> bytes | None:
        """The key that these recodings are drawn with, None if nothing is drawn; `run` is the folder of a run
        that may have it."""
        ...

    def apply(
        self,
        recoding: Recoding,
        new: Any,
        path: Path | None = None,
        force: bool = False,
        also: bool = False,
    ) -> tuple[Any, Any]:
        """New rows as the recoding shows them, and what they give together with the release."""
        ...

    def draw(self, frontier: Frontier, kind: str, pick: str | None) -> Picture:
        """A figure of a frontier, or of one solution of it."""
        ...

    def html(self, shown: Any) -> str:
        """A frontier or a solution for a notebook."""
        ...
