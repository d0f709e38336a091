"""A drafted schema as a table for people."""

from __future__ import annotations

from rich import box
from rich.table import Table

from paretonym.cli.schema_tables import printable
from paretonym.schema.drafting.draft import Draft


def draft_table(draft: Draft) -> Table:
    """Every column with the role that was guessed, and why."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("role", no_wrap=True)
    table.add_column("why", overflow="fold")
    for one in draft.suggestions:
        table.add_row(printable(one.name), one.role, printable(one.reason))
    return table
