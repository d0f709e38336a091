"""Reports in another language: every text of theirs is translated, and the facts are the same."""

from __future__ import annotations

import gettext
import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import paretonym as pn
from paretonym import language
from paretonym.errors import InputError
from paretonym.measures import MEASURES
from paretonym.risk.reidentification import THRESHOLDS
from paretonym.schema.hierarchies import LevelWords

TABLES = Path(__file__).parents[3] / "examples" / "tables"
# What is no text of ours: names, digits of versions, fingerprints, what was read from the table.
NAMES = {
    "sha256",
    "paretonym",
    "python",
    "exact",
    "lattice",
    "mondrian",
    "sweep",
    "buckets",
    "s",
    "ℓ",
    "α",
    "t",
    "x",
}


class Bracketed(gettext.NullTranslations):
    """A language in which every text stands in brackets: what is outside them was not translated."""

    def gettext(self, message: str) -> str:
        return message if message == "1,234.5" else f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = language._catalogue
    monkeypatch.setattr(language, "_catalogue", lambda code: Bracketed() if code == "xx" else known(code))
    monkeypatch.setattr(language, "languages", lambda: {"en": "English", "xx": "Bracketed"})
    monkeypatch.setattr("paretonym.run.notebook_tables.languages", language.languages)
    yield
    language._separators.cache_clear()


@pytest.fixture(scope="module")
def fronts() -> dict[str, pn.Run]:
    school = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    hospital = pn.Study(TABLES / "hospital.csv", TABLES / "hospital.toml")
    shop = pn.Study(TABLES / "shop.csv", TABLES / "shop.toml")
    return {
        "two": school.explore("k", "loss", suppress="5%"),
        "three": school.explore("k", "loss", "sl"),
        "buckets": hospital.explore("l", "loss", space="buckets", sweep="l=2"),
        "mondrian": shop.explore("k", "loss", space="mondrian", sweep="k=5,10"),
    }


def outside(page: str) -> str:
    """The words of a page that no brackets enclose, innermost first."""
    text = html.unescape(re.sub(r"<style[^>]*>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL))
    labels = " ".join(re.findall(r'aria-label="([^"]*)"', page))
    text = f"{text} {html.unescape(labels)}"
    while (less := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = less
    return text


def left(page: str, front: pn.Run) -> set[str]:
    """Words that were not translated and do not come from the table."""
    record = front.record
    assert record is not None
    schema = record.schema
    texts = [c.name for c in schema.columns] + [record.path or ""]
    texts += [card.reference for card in MEASURES.values()] + [each.source for each in THRESHOLDS]
    texts += [" ".join(MEASURES)]
    assert front.data is not None
    values = {text for column in front.data.table.columns for text in map(str, column.texts)}
    known = set(re.findall(r"\w+", " ".join(texts).lower())) | NAMES
    known |= set(re.findall(r"\w+", " ".join(values).lower()))
    found = set(re.findall(r"[^\W\d_][\w]+", outside(page.replace(record.fingerprint, ""))))
    return {word for word in found if word.lower() not in known and not re.fullmatch(r"[0-9a-f]+", word)}


@pytest.mark.usefixtures("bracketed")
@pytest.mark.parametrize("name", ["two", "three", "buckets", "mondrian"])
def test_every_text_of_a_report_is_translated(fronts: dict[str, pn.Run], name: str) -> None:
    front = fronts[name]
    pick = front[len(front) // 2].id
    for reader in ("officer", "public"):
        assert left(front.report(pick, reader, language="xx").html, front) == set()


@pytest.mark.parametrize("reader", ["officer", "public"])
def test_numbers_are_the_same_in_every_language(fronts: dict[str, pn.Run], reader: str) -> None:
    """A translation may change the order of words, never a number."""
    front = fronts["two"]
    pick = front[len(front) // 2].id

    def cells(page: str, point: str) -> list[str]:
        found = re.findall(r'<td class="n">([^<]*)</td>', page)
        return [cell.replace(point, "#").replace("," if point == "." else ".", "") for cell in found]

    english = front.report(pick, reader).html
    german = front.report(pick, reader, language="de").html
    assert '<html lang="de">' in german
    assert cells(german, ",") == [cell.replace(" or more", " oder mehr") for cell in cells(english, ".")]


def test_a_stored_run_speaks_german_too(fronts: dict[str, pn.Run], tmp_path: Path) -> None:
    """What a run stores about its releases is English; a report is not."""
    fronts["two"].save(tmp_path / "run")
    front = pn.load(tmp_path / "run")
    pick = front[len(front) // 2].id
    page = front.report(pick, "public", language="de").html
    assert "Wie diese Tabelle für die Veröffentlichung sicherer gemacht wurde" in page
    assert "in Schritten von" in page or "nicht gezeigt" in page
    assert not re.search(r"\b(unchanged|not shown|the)\b", page)


def test_german_sentences(fronts: dict[str, pn.Run]) -> None:
    front = fronts["two"]
    page = front.report(front.best("k", loss="50%").id, language="de").html
    assert "Keine Zahl in diesem Bericht ist ein rechtliches Urteil, dass die Tabelle anonym ist." in page
    assert "Jede Person sieht so aus wie mindestens" in page
    assert "nachweislich vollständig" in page
    assert re.search(r"loss \d+,\d\u00a0%", page)


def test_rows_that_are_no_people(fronts: dict[str, pn.Run]) -> None:
    page = fronts["mondrian"].report(fronts["mondrian"][0].id, language="de").html
    assert "k zählt Zeilen, nicht Personen" in page
    assert "Wie viele Zeilen sehen mindestens gleich aus?" in page


def test_words_of_a_level_in_german() -> None:
    """A number in them is a value, except where it is part of a name."""
    words = LevelWords("unchanged, all below 18 together, in steps of 2,500 or by NUTS 2 region")
    assert str(words) == words.words
    with language.in_language("de"):
        assert str(words) == (
            "unverändert, alle unter 18 zusammen, in Schritten von 2.500 oder nach NUTS-2-Regionen"
        )


def test_an_unknown_language(fronts: dict[str, pn.Run]) -> None:
    with pytest.raises(InputError, match="there is no translation for 'tlh'; choose one of en, de"):
        fronts["two"].report(language="tlh")
