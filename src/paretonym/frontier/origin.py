"""Where a frontier comes from: what its solutions can be asked beyond their own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from paretonym.measures.realized import Realized
from paretonym.recoding.recoding import Recoding


class Origin(Protocol):
    """The table that a frontier was found for, held by every solution. A study is one."""

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        ...

    def release(self, recoding: Recoding) -> Any:
        """The rows as the recoding shows them, in the caller's own kind of dataframe."""
        ...

    def publish(
        self,
        recoding: Recoding,
        values: Mapping[str, float],
        path: Path,
        force: bool = False,
        also: bool = False,
    ) -> dict[str, Any]:
        """Write the release and its manifest, which is returned. `values` is what the search measured; with
        `also` it may be a second, different release of one run."""
        ...
