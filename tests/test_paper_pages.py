"""The papers' numbers in the docs are those of a run: `python scripts/quote_papers.py measure` made them."""

from __future__ import annotations

import json

import pytest

from paretonym.research.papers.reproductions import ALL, chosen, summary
from scripts.quote_papers import facts, pages, quoted, stored

# A second or two each; the others are slow tests.
QUICK = ("poka-figure-4", "poka-figure-5")


def test_pages_quote_what_is_stored() -> None:
    numbers = stored()
    assert len(pages()) >= 4
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert quoted(text, numbers) == text, f"{page}: run scripts/quote_papers.py"


def test_every_reproduction_is_stored_with_its_sentences() -> None:
    numbers = stored()
    assert list(numbers) == [reproduction.name for reproduction in chosen(ALL)]
    assert sum(len(entry["sentences"]) for entry in numbers.values()) >= 40


@pytest.mark.parametrize("name", QUICK)
def test_what_is_stored_is_measured_again(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in chosen(ALL) if entry.name not in QUICK])
def test_what_takes_longer_is_measured_again(name: str) -> None:
    check(name)


def check(name: str) -> None:
    (reproduction,) = chosen(name)
    result = reproduction.run()
    again = json.loads(json.dumps(reproduction.as_json(result)))
    entry = stored()[name]
    assert [(f["row"], f["column"], f["printed"]) for f in again["facts"]] == [
        (f["row"], f["column"], f["printed"]) for f in entry["facts"]
    ]
    for fact, before in zip(again["facts"], entry["facts"], strict=True):
        assert fact["measured"] == pytest.approx(before["measured"], rel=1e-6, abs=1e-12), fact["row"]
    assert again["sentences"] == entry["sentences"]


def test_a_table_of_facts() -> None:
    every = [
        {"row": "a", "column": "share of nodes", "measured": 0.5, "printed": 0.25},
        {"row": "b", "column": "share of nodes", "measured": 0.125, "printed": None},
        {"row": "b", "column": "optima", "measured": 3, "printed": None},
    ]
    assert facts(every, None, None).splitlines() == [
        "| | share of nodes | printed | optima |",
        "| --- | --- | --- | --- |",
        "| a | 50.0 % | 25.0 % |  |",
        "| b | 12.5 % |  | 3 |",
    ]
    assert facts(every, "optima", "^b").splitlines()[2:] == ["| b | 3 |"]
    entry = {"facts": every, "sentences": ['Section 1: "x" yes: 3.', 'Section 2: "y" no: 4.']}
    assert summary([entry]) == (
        "Of 1 printed numbers 0 are met within 5 %, 0 more within 25 %, and 1 are farther off; notes say "
        "why. Of 2 printed sentences 1 hold, 0 differ and 1 do not hold."
    )
