"""DuckDB's progress bar, which is never shown: on stdout it would spoil what a program reads there."""

from __future__ import annotations

from typing import Any


def without_bar(connection: Any) -> None:
    """Switch the bar off. In a notebook without ipywidgets it is off, and whoever sets it gets an error."""
    # To the last row: a result that is still open would be in the way of what follows.
    ((shown,),) = connection.execute("select current_setting('enable_progress_bar')").fetchall()
    if shown:
        connection.execute("set enable_progress_bar = false")
