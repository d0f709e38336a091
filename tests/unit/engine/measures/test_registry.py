"""The cards of all measures: what their functions say of themselves, and that nothing else lists them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import paretonym
from paretonym.engine.measures.card import Measure
from paretonym.engine.measures.registry import ALWAYS, MEASURES, card_of

SOURCE = Path(paretonym.__file__).parent
PARTS = ("Formula: ", "Cost: ", "Misleads ", "Reference: ", ">>> ")
# Who may name measures, and why.
FREE = {
    "engine/measures": "the cards themselves",
    "engine/spaces/cuts/four_problems.py": "what the trade-offs paper asked",
    "research": "what the papers asked, and printed",
    "audit": "the second opinion: sql_formulas.py, and what is found out beside the counts of classes",
    "interfaces/cli/demo_command.py": "the one question of the demo, and its answer in words",
    "evidence/utility/analyst_utility.py": "the three numbers that analysts are shown",
    "evidence/criteria": "what is measured of any table, by the names of the measures of our releases",
    "report/table_comparison.py": "the axis that tables are compared by unless others are named",
    "report/pages/comparison_page.py": "what these figures mean, in words",
    "tables/schema/purposes.py": "the values that tolerances of declared analyses are limits on",
    "research/exams/random_tables.py": "a purpose with its tolerances",
}
# Keys of stored documents, heads of tables and places in sentences that look like names of measures.
KEYS = {
    ("cli/frontier_tables.py", "loss"): "the loss of a column: head of a table",
    ("engine/frontier/proven_bound.py", "k"): "a place in a sentence",
    ("engine/frontier/release_facts.py", "loss"): "the loss of a column: a key of run.json",
    ("engine/frontier/solution.py", "loss"): "the loss of a column: a key of what is printed",
    ("report/pages/public_report.py", "k"): "a place in a sentence",
    ("report/pages/report_sections.py", "loss"): "the loss of a column: head of a table",
    ("report/pages/report_sections.py", "t"): "head of a table",
    ("report/pages/officer_report.py", "purpose"): "a line to fill in",
    ("report/decision_paper.py", "purpose"): "the option that names a purpose",
    (
        "engine/spaces/purpose_search.py",
        "purpose",
    ): "the option that names a purpose, and a key of its answer",
    ("interfaces/cli/options.py", "purpose"): "the option that names a purpose",
    ("evidence/attacks/published_file.py", "k"): "a key of a manifest",
    ("study/class_size_check.py", "k"): "a parameter of a function",
    ("study/python_schema.py", "purpose"): "a key of a schema",
    ("interfaces/web/schema_drafts.py", "purpose"): "a key of a schema",
    ("tables/schema/model.py", "purpose"): "a key of a schema",
    ("tables/schema/schema_file.py", "purpose"): "a key of a schema",
    ("engine/risk/table_risk.py", "k"): "a key of what is printed about a table before any release",
    ("engine/risk/table_risk.py", "uniques"): "a key of what is printed about a table before any release",
    ("study/stored_shape.py", "loss"): "the loss of a column: a key of run.json",
    ("interfaces/web/release_detail.py", "loss"): "the loss of a column: a key of what the page is sent",
}


def function_of(card: Measure) -> object:
    return card.counted.from_classes or card.value


@pytest.mark.parametrize("name", MEASURES)
def test_a_function_says_what_it_promises(name: str) -> None:
    text = function_of(MEASURES[name]).__doc__ or ""
    places = [text.find(part) for part in PARTS]
    assert -1 not in places, f"the docstring of {name} lacks {PARTS[places.index(-1)]}"
    assert places == sorted(places), f"the docstring of {name} has its parts in another order"
    assert re.match(r"[A-Z].*", text.strip())


def literals(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MEASURES:
            yield node.lineno, node.value


def test_no_other_file_names_measures() -> None:
    found = [
        f"{place}:{line} {value!r}"
        for path in sorted(SOURCE.rglob("*.py"))
        for place in [path.relative_to(SOURCE).as_posix()]
        if not any(place == free or place.startswith(f"{free}/") for free in FREE)
        for line, value in literals(path)
        if (place, value) not in KEYS
    ]
    assert not found, f"ask the card instead of a name: {', '.join(found)}"


def test_the_page_names_no_measures() -> None:
    names = "|".join(sorted(map(re.escape, MEASURES), key=len, reverse=True))
    found = [
        f"{path.name}: {match[0]}"
        for path in sorted((SOURCE / "interfaces" / "web" / "static").glob("*.js"))
        for match in re.finditer(rf"""["']({names})["']""", path.read_text(encoding="utf-8"))
    ]
    assert not found, f"the server says what a measure is: {', '.join(found)}"


def test_what_is_declared_fits_together() -> None:
    for card in MEASURES.values():
        if card.algebra.classwise:
            assert card.shortfall, f"{card.name}: why does a class without it go?"
        if card.published.claimed:
            assert card.published.in_file, card.name
        if card.counted.against == "input":
            assert not card.published.in_file, f"{card.name} would reveal suppressed rows"
        if card.algebra.floor in ("all-rows", "staying-rows"):
            assert card.counted.rule, card.name
        assert card.scale.unit != "share" or card.scale.lowest == 0, card.name
    assert [name for name, card in MEASURES.items() if card.is_class_size] == ["k"]
    assert all(name in MEASURES for name in ALWAYS)


def test_what_can_be_required_of_a_part() -> None:
    assert {name for name, card in MEASURES.items() if card.algebra.classwise} == {
        "k", "l", "l-distinct", "l-entropy", "alpha", "t", "t-ordered", "t-tree", "t-js", "privacy-loss",
        "delta", "beta",
    }  # fmt: skip


def test_a_card_is_found_by_what_was_asked_for() -> None:
    assert card_of("l@diagnosis") is MEASURES["l"]
    assert card_of("nothing") is None


def test_every_card_cites_the_bibliography() -> None:
    page = (SOURCE.parents[1] / "docs" / "reference" / "bibliography.md").read_text(encoding="utf-8")
    keys = re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE)[2:]
    missing = [
        card.name
        for card in MEASURES.values()
        if not any(same(key, card.reference) for key in keys) and card.name != "mean-error"
    ]
    assert missing == []


def same(key: str, reference: str) -> bool:
    """True if a reference is to the work with this key, however many authors it names."""
    names, _, year = key.rpartition(" ")
    return key in reference or (names.split(" ")[0] in reference and year in reference)
