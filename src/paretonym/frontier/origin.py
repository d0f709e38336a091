"""Where a frontier comes from: what its solutions can be asked beyond their own numbers."""

from __future__ import annotations

from typing import Protocol

from paretonym.measures.realized import Realized
from paretonym.recoding.recoding import Recoding
from paretonym.schema.model import Schema


class Origin(Protocol):
    """The table that a frontier was found for, held by every solution. A study is one."""

    @property
    def schema(self) -> Schema:
        """What the columns mean; known without the rows."""
        ...

    def realized(self, recoding: Recoding) -> Realized:
        """The classes of a recoding of this table, and which of them stay."""
        ...
