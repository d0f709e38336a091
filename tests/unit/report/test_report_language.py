"""Reports in German: the facts are the same, and the main sentences are translated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.base import language
from paretonym.base.errors import InputError
from paretonym.tables.schema.hierarchies import LevelWords

TABLES = Path(__file__).parents[3] / "examples" / "tables"


@pytest.fixture(scope="module")
def fronts() -> dict[str, pn.Run]:
    school = pn.Study(TABLES / "school.csv", TABLES / "school.toml")
    hospital = pn.Study(TABLES / "hospital.csv", TABLES / "hospital.toml")
    shop = pn.Study(TABLES / "shop.csv", TABLES / "shop.toml")
    return {
        "two": school.explore("k", "loss", suppress="5%", space="lattice"),
        "three": school.explore("k", "loss", "sl", space="lattice"),
        "buckets": hospital.explore("l", "loss", space="buckets", sweep="l=2"),
        "mondrian": shop.explore("k", "loss", space="mondrian", sweep="k=5,10"),
    }


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
    """A number in them is a value, written as the language writes it."""
    words = LevelWords("unchanged, all below 18 together, in steps of 2,500 or by month")
    assert str(words) == words.words
    with language.in_language("de"):
        assert str(words) == ("unverändert, alle unter 18 zusammen, in Schritten von 2.500 oder nach Monaten")


def test_an_unknown_language(fronts: dict[str, pn.Run]) -> None:
    with pytest.raises(InputError, match="there is no translation for 'tlh'; choose one of en, de"):
        fronts["two"].report(language="tlh")
