"""Languages: no catalogue lacks a text, or has one that nobody uses."""

from __future__ import annotations

import ast
import gettext
import pickle
import re

import pytest

from paretonym.language import (
    amount,
    collated,
    counted,
    in_language,
    languages,
    message,
    messages,
    numeral,
    said,
    worded,
)
from scripts.catalogues import catalogue_path, problem_texts, read, template, written_languages

REMEDY = "run `python scripts/catalogues.py`, translate what it added to {path}, and run it again"


def forms(text: object) -> tuple[str, ...]:
    return tuple(map(str, text)) if isinstance(text, (list, tuple)) else (str(text),)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.fixture(scope="module")
def texts() -> dict[str, tuple[str, ...]]:
    """Every text that reports and page show, by its English."""
    return {forms(each.id)[0]: forms(each.id) for each in template() if each.id}


@pytest.mark.parametrize("language", written_languages())
def test_every_text_has_a_translation(language: str, texts: dict[str, tuple[str, ...]]) -> None:
    found = {forms(each.id)[0]: forms(each.string) for each in read(language) if each.id}
    # What gettext calls fuzzy is a guess, and is not used.
    fuzzy = {forms(each.id)[0] for each in read(language) if each.fuzzy}
    missing = sorted(text for text in texts if text in fuzzy or not all(found.get(text, [""])))
    assert not missing, f"{language}: {REMEDY.format(path=catalogue_path(language))}: {missing}"
    unused = sorted(text for text in found if text not in texts)
    assert not unused, f"{language}: nobody uses {unused}; {REMEDY.format(path=catalogue_path(language))}"


@pytest.mark.parametrize("language", written_languages())
def test_translations_have_the_same_placeholders(language: str) -> None:
    for each in read(language):
        if not each.id:
            continue
        asked = set.union(*map(placeholders, forms(each.id)))
        for text in forms(each.string):
            # A singular may do without its number: "one row".
            assert placeholders(text) | {"number"} == asked | {"number"}, f"{each.id!r}: {text!r}"
            assert text[:1].isspace() >= forms(each.id)[0][:1].isspace(), f"{each.id!r}: {text!r}"
            assert text[-1:].isspace() == forms(each.id)[0][-1:].isspace(), f"{each.id!r}: {text!r}"


@pytest.mark.parametrize("language", written_languages())
def test_the_compiled_catalogue_is_the_written_one(language: str) -> None:
    path = catalogue_path(language).with_suffix(".mo")
    with path.open("rb") as content:
        compiled = gettext.GNUTranslations(content)
    for each in read(language):
        if each.id:
            one, *many = forms(each.id)
            found = compiled.ngettext(one, many[0], 1) if many else compiled.gettext(one)
            assert found == forms(each.string)[0], f"run `python scripts/catalogues.py`: {each.id!r}"


def test_german() -> None:
    assert languages() == {"en": "English", "de": "Deutsch"}
    with in_language("de"):
        assert numeral("1,234.5") == "1.234,5"
        assert sorted(["Zeile", "Äquivalenzklasse", "Allgemein"], key=collated)[1] == "Äquivalenzklasse"


def test_a_german_probability_is_no_odds() -> None:
    """ "1 zu 5" are odds, one to five: a probability of a sixth."""
    said = [text for each in read("de") if "1 in {" in str(each.id) for text in forms(each.string)]
    assert said
    assert all("höchstens 1 von {" in text for text in said)
    assert not [text for each in read("de") for text in forms(each.string) if re.search(r"1 zu [{\d]", text)]


def test_a_language_without_a_catalogue_is_english() -> None:
    with in_language("xx"):
        assert (worded("The data"), numeral("1,234.5")) == ("The data", "1,234.5")


def test_a_message_is_english_until_it_is_said() -> None:
    """Also after a journey between processes, and within another message; data is never translated."""
    inner = messages("{number} value ({values})", "{number} values ({values})", 1234, values="'rows', '{x}'")
    outer = message("{what}: {counted}", what=message("not numbers"), counted=inner)
    english = "not numbers: 1,234 values ('rows', '{x}')"
    assert (outer, said(outer), said(amount(1234))) == (english, english, "1,234")
    with in_language("de"):
        for one in (outer, pickle.loads(pickle.dumps(outer))):
            assert (one, said(one)) == (english, "keine Zahlen: 1.234 Werte ('rows', '{x}')")
        assert said(message("column '{name}'", name="rows")) == "Spalte 'rows'"
        assert said(pickle.loads(pickle.dumps(amount(1234)))) == "1.234"


def test_what_is_wrong_is_collected_from_the_files_of_the_page() -> None:
    """Written out, in a variable, in one of two branches, in a constant of the file; never glued together."""
    source = """
NEXT = "wait"
def f(n):
    wrong = "one" if n else "two"
    raise InputError.of("here", wrong, NEXT)
def g(n):
    section.complain(f"{n} rows", "less")
"""
    found = [text for _, text in problem_texts(ast.parse(source))]
    assert [each.value for each in found if isinstance(each, ast.Constant)] == [
        "here",
        "one",
        "two",
        "wait",
        "less",
    ]
    assert sum(isinstance(each, ast.JoinedStr) for each in found) == 1


def test_values_are_not_read_as_placeholders() -> None:
    assert worded("Release {id}. {why}", id="{why}", why="{0}") == "Release {why}. {0}"
    assert counted("{number} row", "{number} rows", 2) == "2 rows"
