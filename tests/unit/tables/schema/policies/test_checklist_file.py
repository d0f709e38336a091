"""Checklist files: those that come with paretonym, and what is wrong with others."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema_rs
import pytest

from paretonym.base.errors import InputError
from paretonym.base.language import languages
from paretonym.engine.measures import MEASURES, Limit
from paretonym.tables.schema.policies import read_checklist
from paretonym.tables.schema.policies.checklist_file import FOLDER, checklist_names

FORMAT = Path(__file__).parents[5] / "docs/reference/formats/checklist-file.json"


@pytest.mark.parametrize("name", checklist_names())
def test_what_comes_with_paretonym(name: str) -> None:
    checklist = read_checklist(name)
    written = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    jsonschema_rs.validator_for(json.loads(FORMAT.read_text())).validate(written)
    texts = [checklist.title, checklist.note, *(item.text for item in checklist.items)]
    assert all({*text} == {*languages()} for text in texts)
    for item in checklist.items:
        assert {*item.checks.get("show", ())} <= {*MEASURES}
        if "limit" in item.checks:
            assert Limit.parsed(item.checks["limit"]).name in MEASURES


def test_eighteen_identifiers_and_one_question() -> None:
    items = read_checklist("hipaa-safe-harbor").items
    assert [item.text["en"][:3] for item in items[:18]] == [f"({letter})" for letter in "ABCDEFGHIJKLMNOPQR"]
    assert len(items) == 19
    assert len(items[1].checks["sparse"]) == 17


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("""
title = 3
url = "http://example.org"
[[item]]
words = "name"
patterns = ["telefone numbers"]
dates = "month"
colour = "red"
""")
    with pytest.raises(InputError) as caught:
        read_checklist(str(path))
    said = str(caught.value)
    for part in (
        "source is missing", "title is the number 3", "url does not begin with https://", "text is missing",
        "words is the text 'name'", "nothing finds telefone numbers; did you mean 'telephone numbers'?",
        "dates is the text 'month'", "the key 'colour' is unknown",
    ):  # fmt: skip
        assert part in said


def test_no_such_file() -> None:
    with pytest.raises(InputError, match=r"nothing\.toml"):
        read_checklist("nothing.toml")
