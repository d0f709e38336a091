"""Languages: a catalogue has the placeholders of the English texts, and a text without one stays English."""

from __future__ import annotations

import re

import pytest

from paretonym.base.language import _, catalogue, collated, format_number, in_language, languages, ngettext
from scripts.catalogues import texts


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", [code for code in languages() if code != "en"])
def test_translations_have_the_same_placeholders(language: str) -> None:
    for english, translation in catalogue(language).items():
        for text in translation if isinstance(translation, list) else [translation]:
            # A singular may do without its number: "one row".
            assert placeholders(text) | {"number"} == placeholders(english) | {"number"}, english
            assert text[:1].isspace() >= english[:1].isspace(), english
            assert text[-1:].isspace() == english[-1:].isspace(), english


@pytest.mark.parametrize("language", [code for code in languages() if code != "en"])
def test_a_catalogue_has_no_text_that_nobody_uses(language: str) -> None:
    unused = set(catalogue(language)) - {text for text, _ in texts()}
    assert not unused, "run python scripts/catalogues.py"


def test_german() -> None:
    assert languages() == {"en": "English", "de": "Deutsch"}
    with in_language("de"):
        assert format_number("1,234.5") == "1.234,5"
        assert sorted(["Zeile", "Äquivalenzklasse", "Allgemein"], key=collated)[1] == "Äquivalenzklasse"


def test_a_german_probability_is_no_odds() -> None:
    """ "1 zu 5" are odds, one to five: a probability of a sixth."""
    german = catalogue("de")
    chances = [str(german[text]) for text in german if "1 in {" in text]
    assert chances
    assert all("höchstens 1 von {" in text for text in chances)
    assert not [text for text in german.values() if re.search(r"1 zu [{\d]", str(text))]


def test_a_text_without_a_translation_is_english() -> None:
    with in_language("de"):
        assert _("How strange is a new measure?") == "How strange is a new measure?"
        assert ngettext("{number} gnu", "{number} gnus", 1234) == "1.234 gnus"


def test_a_language_without_a_catalogue_is_english() -> None:
    with in_language("xx"):
        assert (_("The data"), format_number("1,234.5")) == ("The data", "1,234.5")


def test_values_are_not_read_as_placeholders() -> None:
    assert _("Release {id}. {why}", id="{why}", why="{0}") == "Release {why}. {0}"
    assert ngettext("{number} row", "{number} rows", 2) == "2 rows"
