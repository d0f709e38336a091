"""A draft schema for a table that nobody has described yet: guesses with their reasons, for a person to
review."""

from __future__ import annotations

from paretonym.tables.schema.draft.draft_schema import Decision, Draft, draft_schema
from paretonym.tables.schema.draft.interval_widths import round_up
from paretonym.tables.schema.draft.schema_edits import Setting, edit_schema, update_schema
from paretonym.tables.schema.role_choices import columns_like

__all__ = [
    "Decision",
    "Draft",
    "Setting",
    "columns_like",
    "draft_schema",
    "edit_schema",
    "round_up",
    "update_schema",
]
