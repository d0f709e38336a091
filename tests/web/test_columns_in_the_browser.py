"""All columns in one table: what is seen of them, and roles for many at once."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from random import Random
from typing import Any

import numpy as np
import pytest

from paretonym.interfaces.web.column_values import GLANCE_BARS, GLANCE_LENGTH, GLANCE_VALUES, glance
from paretonym.tables.source import Column
from tests.web.conftest import Server, Tab, column, reviewed, serious, serving

NAMES = ["id", "age", "sex", "place", *(f"q{n}" for n in range(1, 81)), *(f"note_{n}" for n in range(10))]


def column_of(values: list[str]) -> Column:
    texts = tuple(dict.fromkeys(values))
    codes = np.array([texts.index(value) for value in values], dtype=np.int32)
    return Column("x", "text", None, texts, codes)


def test_a_glance_counts_every_row() -> None:
    """The bars of numbers hold all rows; of other values the most frequent are shown, long ones shortened."""
    generator = Random(3)
    numbers = [str(generator.randint(18, 93)) for _ in range(500)]
    assert sum(glance(column_of(numbers))["bars"]) == 500
    assert len(glance(column_of(numbers))["bars"]) == GLANCE_BARS
    assert glance(column_of(["2"] * 5 + ["10"] * 3 + ["1"]))["bars"] == [1, 5, 3]
    names = ["Bern"] * 5 + ["Genf"] * 3 + ["Lyon"] * 2 + ["x" * 90] + ["Rom", "Nice"]
    found = glance(column_of(names))
    assert found["sample"][:3] == ["Bern", "Genf", "Lyon"]
    assert len(found["sample"]) == GLANCE_VALUES
    assert found["sample"][3] == "x" * GLANCE_LENGTH + "…"
    assert found["bars"] == [5, 3, 2, 1, 1, 1]
    assert glance(column_of(["7", "7.0"])) == {"sample": ["7", "7.0"], "bars": [1, 1]}


@pytest.fixture(scope="module")
def drafting(usual: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path, generator = tmp_path_factory.mktemp("wide") / "wide.csv", Random(1)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(NAMES)
        for n in range(300):
            answers = [generator.choice([1, 2, 3, 4, 5]) for _ in NAMES[4:]]
            person = [
                f"P{n:04}",
                generator.randint(18, 90),
                generator.choice("mf"),
                generator.choice("abcde"),
            ]
            rows.writerow([*person, *answers])
    server = serving()
    tab = Tab(usual, server)
    tab.page.set_input_files("#file", path)
    reviewed(tab.page)
    tab.leave()
    yield server
    server.stop()
    server.process.communicate()


@pytest.fixture
def page(tab: Callable[..., Tab], drafting: Server) -> Iterator[Any]:
    opened = tab(drafting)
    opened.page.click("#to-start")
    opened.page.wait_for_selector("tr[data-column=age]")
    yield opened.page
    assert opened.faults == []


def roles(page: Any) -> dict[str, str]:
    return {name: page.input_value(f"#column-{name}") for name in NAMES}


def test_many_columns_are_one_screen_that_scrolls(page: Any) -> None:
    """Ninety-four columns, none of them with an editor before it is opened, on a page of usual height."""
    assert page.locator(".roles tbody tr").count() == len(NAMES) == 94
    assert page.locator(".column").count() == 0
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    line = page.locator("tr[data-column=sex]")
    assert "2 distinct values" in line.inner_text()
    assert set(line.locator(".sample").inner_text().split(" · ")) == {"m", "f"}
    assert line.locator("svg rect").count() == 2
    assert "Guessed: the name suggests sex" in line.locator(".why").inner_text()


def test_a_pattern_selects_and_one_click_sets_the_role(page: Any) -> None:
    page.fill("#pick", "q?, note_*, sex")
    wanted = {name for name in NAMES if any(fnmatch(name, one) for one in ("q?", "note_*", "sex"))}
    ticked = {name for name in NAMES if page.locator(f"tr[data-column={name}] input").is_checked()}
    assert ticked == wanted
    before = roles(page)
    page.select_option("#set-role", "other")
    assert page.inner_text("#set") == f"Set the role of {len(wanted)} columns"
    page.click("#set")
    assert roles(page) == {name: "other" if name in wanted else before[name] for name in NAMES}
    # Ticked by hand, all, none.
    page.fill("#pick", "")
    assert page.locator("#set").is_disabled()
    page.locator("tr[data-column=place] input").check()
    assert page.inner_text("#set") == "Set the role of 1 column"
    page.get_by_label("Select all columns").check()
    assert page.inner_text("#set") == "Set the role of 94 columns"


def test_one_column_is_open_at_a_time(page: Any) -> None:
    page.select_option("#column-place", "quasi")
    column(page, "age").wait_for()
    column(page, "place").wait_for()
    assert page.locator(".column").count() == 1
    assert page.locator("[aria-expanded=true]").all_inner_texts() == ["place"]
    assert page.evaluate("document.activeElement.dataset.column") == "place"
    assert serious(page) == []
    page.click(".column button:has-text('Close')")
    assert page.locator(".column").count() == 0
    assert page.evaluate("document.activeElement.innerText") == "place"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(tab: Callable[..., Tab], drafting: Server, scheme: str) -> None:
    """Nothing wider than the screen, and nothing that keeps people out."""
    opened = tab(drafting, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    opened.page.click("#to-start")
    column(opened.page, "age").wait_for()
    reviewed(opened.page)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(opened.page) == []
