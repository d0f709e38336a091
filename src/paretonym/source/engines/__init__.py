"""Where rows are counted: in memory, or in an engine that reads what is larger than memory."""

from __future__ import annotations

from paretonym.source.data_source import Wanted
from paretonym.source.engines.engine_registry import ENGINES, open_columns, open_source
from paretonym.source.engines.file_set import is_several
from paretonym.source.engines.joined_source import joined
from paretonym.source.engines.shared_values import SharedValues, shared_values

__all__ = [
    "ENGINES",
    "SharedValues",
    "Wanted",
    "is_several",
    "joined",
    "open_columns",
    "open_source",
    "shared_values",
]
