"""Hierarchies without writing: a tree by keyboard and by dragging, breaks over a histogram, ready codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from paretonym.interfaces.web.column_values import MOST_VALUES
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.schema_drafts import Upload
from tests.web.conftest import Server, Tab, column, reviewed, serious, serving

PLACES = ("Bern", "Genf", "Lyon", "Nice", "Rom")
LANDS = ("DE", "FR", "IT", "US")
ROWS = [
    f"p{n:03},{20 + n % 60},{PLACES[n % 5]},{LANDS[n % 4]},{'yes' if n % 3 else '?'},{n / 8:.1f}".replace(
        ",?,", ",,"
    )
    for n in range(120)
]
TABLE = "\n".join(["id,age,place,visits,ill,dose", *ROWS]) + "\n"
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"flat": True}},
        "place": {"role": "quasi", "hierarchy": {"flat": True}},
        "visits": {"role": "quasi", "hierarchy": {"flat": True}},
        "ill": {"role": "sensitive"},
        "dose": {"role": "drop"},
    },
}


@pytest.fixture
def values(client: TestClient, explorer: Explorer, tmp_path: Path) -> Callable[..., Any]:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    explorer.upload = Upload(path, "people.csv")

    def asked(column: str, schema: Any = SCHEMA) -> Any:
        return client.post("/api/values", json={"column": column, "description": schema})

    return asked


def test_values_with_their_rows(values: Callable[..., Any]) -> None:
    found = values("place").json()
    assert found == {"values": [{"text": text, "rows": 24} for text in PLACES], "numbers": None, "tree": None}
    age = values("age").json()["numbers"]
    assert (age["low"], age["high"], age["step"], sum(age["bins"])) == (20.0, 79.0, 1.0, 120)
    # What is missing is not a value.
    assert values("ill").json()["values"] == [{"text": "yes", "rows": 80}]


def test_values_are_of_columns_with_a_hierarchy(values: Callable[..., Any]) -> None:
    """Identifiers and what is dropped are shown in no editor; nor is a column that is not there."""
    for name, wrong in (("id", "its role has no hierarchy"), ("dose", "its role"), ("x", "no column")):
        answer = values(name)
        assert answer.status_code == 409
        assert wrong in answer.json()["problems"][0]["wrong"]
        assert "p001" not in answer.text
    many = {"columns": {**SCHEMA["columns"], "id": {"role": "quasi", "hierarchy": {"flat": True}}}}
    assert len(values("id", many).json()["values"]) == 120 <= MOST_VALUES
    # What else is wrong with a schema does not prevent editing.
    broken = {"columns": {**SCHEMA["columns"], "age": {"role": "quasi", "hierarchy": {"breaks": []}}}}
    assert values("age", broken).json()["numbers"]["high"] == 79.0


@pytest.fixture(scope="module")
def drafting(usual: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("editors") / "people.csv"
    path.write_text(TABLE)
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
    opened.page.select_option("#whole-missing", "value")
    opened.page.select_option("#column-ill", "sensitive")
    opened.page.select_option("#column-dose", "drop")
    opened.page.select_option("#column-visits", "quasi")
    yield opened.page
    assert opened.faults == []


def edited(page: Any, name: str, kind: str) -> Any:
    page.select_option(f"#column-{name}", "quasi")
    box = column(page, name)
    page.get_by_label(f"Kind of hierarchy of {name}", exact=True).select_option(kind)
    box.locator("[role=tree], .breaks").wait_for()
    return box


def outline(box: Any) -> list[str]:
    """The tree as it is shown, with the depth of each line."""
    return [
        f"{item.get_attribute('aria-level')} {item.locator('.line').first.locator('span').first.inner_text()}"
        for item in box.locator("[role=treeitem]").all()
    ]


def test_a_tree_by_the_keyboard_alone(page: Any) -> None:
    box = edited(page, "place", "tree")
    assert outline(box) == [f"1 {name}" for name in PLACES]
    box.locator("[role=treeitem]").first.focus()
    press, write = page.keyboard.press, page.keyboard.type
    for key in ("Space", "ArrowDown", "Space", "g"):
        press(key)
    write("Swiss")
    press("Enter")
    assert outline(box) == ["1 Swiss", "2 Bern", "2 Genf", "1 Lyon", "1 Nice", "1 Rom"]
    # Two more into a group of their own, and both groups into one: a tree of two levels, one value beside it.
    for key in ("End", "ArrowUp", "ArrowUp", "Space", "Shift+ArrowDown", "g"):
        press(key)
    write("French")
    press("Enter")
    for key in ("Space", "Home", "Space", "g"):
        press(key)
    write("Alps")
    press("Enter")
    expected = ["1 Alps", "2 Swiss", "3 Bern", "3 Genf", "2 French", "3 Lyon", "3 Nice", "1 Rom"]
    assert outline(box) == expected
    levels = box.locator("table tbody tr")
    page.wait_for_function(
        "box => box.querySelectorAll('table tbody tr').length === 4", arg=box.element_handle()
    )
    assert [row.locator("td").nth(1).inner_text() for row in levels.all()] == ["5", "3", "2", "1"]
    # Reordered, moved in and out, and taken back.
    press("End")
    press("Alt+ArrowUp")
    assert outline(box)[0] == "1 Rom"
    press("Alt+ArrowDown")
    press("Alt+ArrowRight")
    assert outline(box)[-1] == "2 Rom"
    press("Alt+ArrowLeft")
    for _ in range(3):
        press("Control+z")
    assert outline(box) == ["1 Rom", *expected[:-1]]
    press("Control+y")
    assert outline(box) == expected
    assert serious(page) == []


FILE_SCHEMA = """missing = "value"
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy.intervals = [10, 20]
[columns.place]
role = "quasi"
hierarchy.file = "trees/places.csv"
[columns.visits]
role = "drop"
[columns.ill]
role = "sensitive"
[columns.dose]
role = "drop"
"""


def test_a_hierarchy_file_by_the_keyboard(page: Any, tmp_path: Path) -> None:
    """It is shown as a tree, kept as a file until the first change, and explored either way."""
    (tmp_path / "schema.toml").write_text(FILE_SCHEMA)
    lands = ("Swiss", "Swiss", "French", "French", "Rom")
    lines = (f"{place};{land};*\n" for place, land in zip(PLACES, lands, strict=True))
    (tmp_path / "places.csv").write_text("".join(lines))
    page.set_input_files("#load-schema", [tmp_path / "schema.toml", tmp_path / "places.csv"])
    box = column(page, "place")
    box.locator("[role=tree]").wait_for()
    kind = page.get_by_label("Kind of hierarchy of place", exact=True)
    assert kind.input_value() == "file"
    assert kind.locator("option:checked").inner_text() == "the hierarchy file places.csv"
    expected = ["1 Swiss", "2 Bern", "2 Genf", "1 French", "2 Lyon", "2 Nice", "1 Rom"]
    assert outline(box) == expected
    page.locator("#run:enabled").wait_for()
    assert saved(page) == ["places.csv", "schema.toml"]
    assert serious(page) == []
    # The first change makes a tree of it, in the same editor, which can take it back.
    box.locator("[role=treeitem]").last.focus()
    page.keyboard.press("Alt+ArrowRight")
    assert kind.input_value() == "tree"
    assert outline(box) == [*expected[:-1], "2 Rom"]
    page.locator("#run:enabled").wait_for()
    assert saved(page) == ["schema.toml"]
    page.keyboard.press("Control+z")
    # Back to the file itself, and on to a frontier with it.
    kind.select_option("file")
    box.locator("[role=tree]").wait_for()
    page.locator("#run:enabled").click()
    page.wait_for_url("**#explore")


def saved(page: Any) -> list[str]:
    page.evaluate("document.querySelector('#saved').replaceChildren()")
    page.click("#save-schema")
    page.wait_for_selector("#saved a")
    return [link.inner_text() for link in page.locator("#saved a").all()]


def test_a_tree_by_dragging_and_buttons(page: Any) -> None:
    box = edited(page, "place", "tree")
    line = "[role=treeitem] > .line:has-text('{}')"
    box.locator(line.format("Lyon")).click()
    box.locator("[data-act=group]").click()
    page.keyboard.type("France")
    page.keyboard.press("Enter")
    box.locator(line.format("Nice")).drag_to(box.locator(line.format("France")))
    assert outline(box) == ["1 Bern", "1 Genf", "1 France", "2 Lyon", "2 Nice", "1 Rom"]
    assert "2 values, 48 rows" in box.locator(line.format("France")).inner_text()
    # A group does not go into itself.
    box.locator(line.format("France")).drag_to(box.locator(line.format("Lyon")))
    assert len(outline(box)) == 6
    box.locator(line.format("France")).click()
    box.locator("[data-act=dissolve]").click()
    assert outline(box) == ["1 Bern", "1 Genf", "1 Lyon", "1 Nice", "1 Rom"]
    box.locator("[data-act=undo]").click()
    assert "1 France" in outline(box)
    # The same names as the schema's own rules refuse them.
    box.locator(line.format("France")).click()
    box.locator("[data-act=group]").click()
    page.keyboard.type("France")
    page.keyboard.press("Enter")
    box.locator(".wrong:has-text('France')").wait_for()


def test_breaks_by_keys_and_by_dragging(page: Any) -> None:
    box = edited(page, "age", "breaks")
    sliders = box.locator("[role=slider]")

    def said() -> list[str]:
        return [one.get_attribute("aria-valuetext") for one in sliders.all()]

    assert said() == [
        "35, divides up to level 1",
        "50, divides up to level 2",
        "65, divides up to level 1",
    ]
    sliders.first.focus()
    for key in ("ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert said()[0] == "43, divides up to level 2"
    # It stops before the next one.
    page.keyboard.press("End")
    assert said()[0].startswith("49,")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".column[data-column=age] td:has-text('[43, 50)')")
    place = reviewed(page).locator(".breaks [role=slider]").last.bounding_box()
    middle = place["x"] + place["width"] / 2
    page.mouse.move(middle, place["y"] + place["height"] - 16)
    page.mouse.down()
    page.mouse.move(middle + 60, place["y"] + 40, steps=4)
    page.mouse.up()
    assert 66 <= int(said()[-1].split(",")[0]) <= 78
    sliders.last.focus()
    page.keyboard.press("Delete")
    assert len(said()) == 2
    box.get_by_role("button", name="Add a break").click()
    assert len(said()) == 3
    assert serious(page) == []


def test_ready_codes_are_offered_where_they_match(page: Any) -> None:
    column(page, "visits").get_by_role("button", name="Use the ready hierarchy countries").click()
    page.wait_for_selector(".column[data-column=visits] td:has-text('Antarctica')")
    assert page.get_by_role("button", name="Use the ready hierarchy countries").count() == 0


def test_ready_codes_are_offered_in_the_language_of_the_tab(page: Any) -> None:
    page.select_option("#language", "de")
    page.wait_for_selector("html[lang=de] #column-visits")
    page.select_option("#column-visits", "quasi")
    words = "nach Teilen eines Kontinents, dann nach Kontinenten"
    column(page, "visits").get_by_role(
        "button", name=f"Fertige Hierarchie countries verwenden: {words}"
    ).wait_for()
