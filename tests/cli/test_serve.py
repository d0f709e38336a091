"""Mistakes of who serves: one message, nothing started, nothing left."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: this run does not exist; create it with 'paretonym explore … -o RUN'"),
        (["--data", "x.csv"], "--data: it gives the data of one run; give exactly one RUN with it"),
        (["--host", "0.0.0.0"], "--host 0.0.0.0: others could connect there"),
        (["--host", "192.0.2.1", "--expose"], "give another port, or none"),
        (["--port", "70000"], "65535"),
    ],
)
def test_mistakes(command: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str) -> None:
    private = Path.cwd() / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    ended = command("serve", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == ""
    assert list(private.iterdir()) == []
