"""DuckDB's progress bar is off, and not touched where that is an error."""

from __future__ import annotations

import duckdb
import pytest

from paretonym.source.engines.duckdb_session import without_bar

SETTING = "select current_setting('enable_progress_bar')"


class InANotebook:
    """DuckDB in a kernel without ipywidgets: the bar is off, and nobody may set it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def execute(self, query: str) -> InANotebook:
        self.asked.append(query)
        if query.startswith("set"):
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        return self

    def fetchall(self) -> list[tuple[bool]]:
        return [(False,)]


def test_a_notebook_without_widgets() -> None:
    connection = InANotebook()
    without_bar(connection)
    assert connection.asked == [SETTING]


@pytest.mark.parametrize("before", ["true", "false"])
def test_the_bar_is_off(before: str) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"set enable_progress_bar = {before}")
        without_bar(connection)
        assert connection.execute(SETTING).fetchone() == (False,)
