"""A schema and a question edited in a real browser: every field, and what is wrong beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.web.conftest import TABLES, Server, Tab, column, drawn, serious, serving

Opened = Callable[..., Tab]


def field(page: Any, name: str, key: str) -> Any:
    """The boxes of one field of a column."""
    return column(page, name).locator(f"[data-field={key}]")


def more(page: Any, name: str) -> None:
    """Opened, unless it is: a draft that says more of a column shows it at once."""
    details = column(page, name).locator("details.more")
    if details.get_attribute("open") is None:
        details.locator("summary").click()


@pytest.fixture(scope="module")
def drafting(usual: Any) -> Iterator[Server]:
    """A server to which the survey was uploaded."""
    server = serving()
    tab = Tab(usual, server)
    tab.page.set_input_files("#file", TABLES / "survey.csv")
    tab.page.wait_for_selector("#verdict:has-text('undecided')")
    tab.leave()
    yield server
    server.stop()
    server.process.communicate()


@pytest.fixture
def drafted(tab: Opened, drafting: Server) -> Any:
    """Its draft as it was made, with everything decided."""
    opened = tab(drafting)
    page = opened.page
    page.click("#to-start")
    page.select_option("#column-interview_mode", "drop")
    page.select_option("#whole-missing", "value")
    page.click("tr[data-column=household_income] button:has-text('Publish exact numbers')")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    yield page
    expected = "the server responded with a status of 409"
    assert [fault for fault in opened.faults if expected not in fault] == []


def test_more_about_a_column(drafted: Any) -> None:
    """Every field that can be edited: wrong, with the reason beside it, then right."""
    page = drafted
    more(page, "age")
    wrong = {"top": "old", "bottom": "?", "importance": "-1"}
    for key, text in wrong.items():
        field(page, "age", key).locator("input").fill(text)
        page.wait_for_selector(f".column[data-column=age] [data-field={key}] .wrong:has-text('{key} is')")
        assert page.locator("#run").is_disabled()
    assert field(page, "age", "top").locator("input").get_attribute("aria-invalid") == "true"
    for key, text in {"top": "80", "bottom": "25", "importance": "2.5"}.items():
        field(page, "age", key).locator("input").fill(text)
    page.wait_for_selector(".column[data-column=age] td:has-text('<25')")
    lowest, highest = field(page, "age", "levels").locator("input").all()
    highest.fill("9")
    page.wait_for_selector("[data-field=levels] .wrong:has-text('levels goes up to 9')")
    highest.fill("")
    lowest.fill("2")
    page.wait_for_selector(".column[data-column=age] tr.lit-not:has-text('(not used)')")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    assert page.locator(".column[data-column=age] tr.lit-not").count() == 2
    assert serious(page) == []


def test_values_without_a_place(drafted: Any) -> None:
    """The draft lets them be the top set; otherwise they are wrong, unless they mean that there is none."""
    page = drafted
    more(page, "age")
    assert page.input_value("#whole-null") == "NA"
    field(page, "age", "unknown").locator("input").uncheck()
    # With a top of 90 it has a place.
    field(page, "age", "top").locator("input").fill("")
    page.wait_for_selector("tr[data-column=age] .wrong:has-text(\"not numbers: 1 value ('95+')\")")
    page.fill("#whole-null", "NA, 95+")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")


def test_an_order_begins_with_the_values(drafted: Any) -> None:
    page = drafted
    more(page, "education")
    page.click(".column[data-column=education] [data-field=order] button")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    box = field(page, "education", "order").locator("textarea")
    values = box.input_value().split("\n")
    assert "master" in values
    box.fill("\n".join(values[1:]))
    page.wait_for_selector("[data-field=order] .wrong:has-text('not in order')")
    box.fill("\n".join([*values[1:], values[0]]))
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    # Of a column with more values than may be shown none is offered, and of a sensitive one neither.
    for name in ("religion", "household_income"):
        assert field(page, name, "order").count() == 1
        assert field(page, name, "order").locator("button").count() == 0


def test_nothing_is_lost_by_looking_elsewhere(drafted: Any) -> None:
    page = drafted
    more(page, "age")
    field(page, "age", "importance").locator("input").fill("7")
    page.evaluate("location.hash = '#explore'")
    page.wait_for_function("document.querySelector('h1')")
    page.click("#to-start")
    page.wait_for_selector("#column-age")
    assert field(page, "age", "importance").locator("input").input_value() == "7"


def test_a_role_that_comes_back_brings_its_fields(drafted: Any) -> None:
    page = drafted
    more(page, "age")
    field(page, "age", "importance").locator("input").fill("3")
    page.select_option("#column-age", "sensitive")
    field(page, "age", "level").locator("input").fill("1")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    assert field(page, "age", "importance").is_hidden()
    page.select_option("#column-age", "quasi")
    page.wait_for_selector("#verdict:has-text('The schema fits the table')")
    assert field(page, "age", "importance").locator("input").input_value() == "3"
    assert field(page, "age", "level").is_hidden()


def test_a_warning_says_what_is_published_exactly_and_a_field_publishes_intervals(drafted: Any) -> None:
    page = drafted
    income = "household_income"
    more(page, income)
    page.wait_for_selector(f"#verdict:has-text(\"Warning: Column '{income}' is published exactly\")")
    verdict = page.inner_text("#verdict")
    assert "The schema fits the table; read the 2 warnings above." in verdict
    assert "No problem found" not in verdict
    field(page, income, "release_level").locator("input").fill("1")
    page.wait_for_selector(f"#verdict:not(:has-text(\"Column '{income}' is published exactly\"))")
    # Some intervals hold one row only.
    page.wait_for_selector(
        f"#verdict:has-text(\"Warning: Column '{income}' is published at a level of its\")"
    )
    assert "read the 2 warnings above." in page.inner_text("#verdict")
    field(page, income, "kept").locator("input").check()
    page.wait_for_selector("#verdict:has-text('The schema fits the table; read the warning above.')")
    field(page, income, "release_level").locator("input").fill("9")
    page.wait_for_selector("[data-field=release_level] .wrong:has-text('level 9')")


def test_requirements_and_time(drafted: Any) -> None:
    """Asked as the command does, with its words for what is wrong; then a search that is stopped at once."""
    page = drafted
    page.click("#require")
    page.locator(".requirement input").fill("five")
    page.fill("#time", "soon")
    page.click("#run")
    page.wait_for_selector("#wrong-time:has-text(\"'soon' is not a length of time\")")
    assert "'k=five' is not a number" in page.inner_text("#wrong-required")
    page.locator(".requirement input").fill("5")
    page.fill("#time", "1ms")
    page.click("#run")
    drawn(page)
    said = page.inner_text("main")
    assert "Every release here has k at least 5." in said
    # Every method is searched: what a stopped search of one of them left is in the first sentence.
    assert re.search(r"one level per column \(not proven, [\d,]+ nodes left\)", said), said
    assert "Not proven complete: these methods do not prove their frontiers: one level per column" in said
    page.locator("#shortlist button").first.click()
    page.wait_for_selector("#point pre", state="attached")
    assert "--at-least k=5" in page.locator("pre").first.text_content()
    assert serious(page) == []


def test_more_is_required_than_there_is(drafted: Any) -> None:
    page = drafted
    page.click("#require")
    page.locator(".requirement input").fill("801")
    page.click("#run")
    page.wait_for_selector(".trouble:has-text('No release of this table has k>=801')")


def test_what_is_decided_is_no_longer_asked(drafted: Any) -> None:
    page = drafted
    assert page.locator(".undecided:visible").count() == 0
    page.select_option("#column-interview_mode", "undecided")
    page.wait_for_selector("div.undecided li:has-text('interview_mode')")
    assert page.locator("div.undecided li").count() == 1
