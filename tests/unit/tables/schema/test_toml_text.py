"""Texts of a table in the draft of a schema: read back as they are, and harmless to whoever looks at it."""

from __future__ import annotations

import tomllib

import pytest

from paretonym.tables.schema.toml_text import one_line, quoted

TEXTS = [
    "\x9b31mred",
    "\x1b[2J",
    "\u202edlo",
    "a\u2028b",
    "a\x85b",
    "\U000e0041tag",
    "no\u00a0break",
    'é 5" \\ n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_terminal_would_obey_is_written_out(text: str) -> None:
    """A bare C1 control character or a change of direction stood in the draft as it was."""
    assert tomllib.loads(f"value = {quoted(text)}") == {"value": text}
    assert quoted(text).isprintable()
    assert one_line(text).isprintable()
