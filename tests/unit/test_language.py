"""Languages: no catalogue lacks a text of reports or page, or has one that nobody uses."""

from __future__ import annotations

import gettext
import re

import pytest

from paretonym.language import _, collated, format_number, in_language, languages, ngettext
from scripts.catalogues import catalogue_path, read, template, written_languages

REMEDY = "run `python scripts/catalogues.py`, translate what it added to {path}, and run it again"


def forms(text: object) -> tuple[str, ...]:
    return tuple(map(str, text)) if isinstance(text, (list, tuple)) else (str(text),)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.fixture(scope="module")
def texts() -> dict[str, set[str]]:
    """Every text that reports and page show, by its English, with the files that it is in."""
    return {forms(each.id)[0]: {name for name, _line in each.locations} for each in template() if each.id}


@pytest.mark.parametrize("language", written_languages())
def test_every_text_of_reports_and_page_has_a_translation(language: str, texts: dict[str, set[str]]) -> None:
    """A measure may be without: its question is shown in English until somebody translates it."""
    translations = {
        forms(each.id)[0]: forms(each.string) for each in read(language) if each.id and not each.fuzzy
    }
    optional = {"measures/registry.py"}
    missing = [
        text for text, files in texts.items() if not all(translations.get(text, [""])) and files != optional
    ]
    assert not missing, f"{language}: {REMEDY.format(path=catalogue_path(language))}: {missing}"
    unused = sorted(text for text in translations if text not in texts)
    assert not unused, f"{language}: nobody uses {unused}; {REMEDY.format(path=catalogue_path(language))}"


@pytest.mark.parametrize("language", written_languages())
def test_translations_have_the_same_placeholders(language: str) -> None:
    for each in read(language):
        if not each.id:
            continue
        asked = set.union(*map(placeholders, forms(each.id)))
        for text in filter(None, forms(each.string)):
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
            assert found == (forms(each.string)[0] or one), f"run `python scripts/catalogues.py`: {each.id!r}"


def test_german() -> None:
    assert languages() == {"en": "English", "de": "Deutsch"}
    with in_language("de"):
        assert format_number("1,234.5") == "1.234,5"
        assert sorted(["Zeile", "Äquivalenzklasse", "Allgemein"], key=collated)[1] == "Äquivalenzklasse"


def test_a_german_probability_is_no_odds() -> None:
    """ "1 zu 5" are odds, one to five: a probability of a sixth."""
    said = [text for each in read("de") if "1 in {" in str(each.id) for text in forms(each.string)]
    assert said
    assert all("höchstens 1 von {" in text for text in said)
    assert not [text for each in read("de") for text in forms(each.string) if re.search(r"1 zu [{\d]", text)]


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
