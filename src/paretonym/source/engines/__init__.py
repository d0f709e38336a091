"""Where rows are counted: in memory, or in an engine that reads what is larger than memory."""

from __future__ import annotations

from paretonym.source.data_source import Wanted
from paretonym.source.engines.engine_registry import ENGINES, open_columns, open_source
from paretonym.source.engines.file_set import is_several

__all__ = ["ENGINES", "Wanted", "is_several", "open_columns", "open_source"]
