"""What a person does while an answer of the server is on its way is not lost, and no older answer replaces a
newer one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import Server, Tab, column, drawn, reviewed, serving

Opened = Callable[..., Tab]

TABLE = "age,place\n" + "".join(f"{20 + n % 40},{('Bern', 'Genf', 'Rom')[n % 3]}\n" for n in range(120))
SCHEMA = """[columns.age]
role = "quasi"
hierarchy.intervals = [10]
[columns.place]
role = "quasi"
hierarchy.tree = [{ Swiss = ["Bern", "Genf"] }, "Rom"]
"""


class Held:
    """Requests of a page that are answered when a test says so."""

    def __init__(self, page: Any, pattern: str) -> None:
        self._page, self._pattern = page, pattern
        self._routes: list[Any] = []
        page.route(pattern, lambda route: self._routes.append(route))

    def arrived(self, number: int) -> None:
        """Wait until so many requests are held."""
        while len(self._routes) < number:
            self._page.evaluate("new Promise(requestAnimationFrame)")

    def answer(self, place: int = 0) -> None:
        """Answer one of them, and wait until the page has made of it what it does."""
        with self._page.expect_response(self._pattern) as answered:
            self._routes.pop(place).continue_()
        answered.value.finished()
        self._page.evaluate("fetch('/api/words').then((answer) => answer.text())")


@pytest.fixture
def held(tab: Opened) -> Iterator[Callable[[Any, str], Held]]:
    made: list[tuple[Any, str]] = []

    def hold(page: Any, pattern: str) -> Held:
        made.append((page, pattern))
        return Held(page, pattern)

    yield hold
    for page, pattern in made:
        page.unroute(pattern)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slow")
    (folder / "schema.toml").write_text(SCHEMA)
    (folder / "people.csv").write_text(TABLE)
    return folder / "people.csv"


@pytest.fixture(scope="module")
def prepared(usual: Any, made_run: Path, table: Path) -> Iterator[Server]:
    """A server with a run and with a draft."""
    server = serving(str(shutil.copytree(made_run, table.with_name("run"))))
    tab = Tab(usual, server)
    tab.page.click("#to-start")
    tab.page.set_input_files("#file", table)
    tab.page.wait_for_selector("#schema-title")
    tab.leave()
    yield server
    server.stop()
    server.process.communicate()


@pytest.fixture
def page(tab: Opened, prepared: Server) -> Iterator[Any]:
    opened = tab(prepared)
    yield drawn(opened.page)
    expected = "the server responded with a status of 409"
    assert [fault for fault in opened.faults if expected not in fault] == []


@pytest.fixture
def editor(page: Any) -> Any:
    page.click("#to-start")
    page.locator("#run:enabled").wait_for()
    return page


def press(page: Any, selector: str) -> None:
    """Press the mouse where something is, whether it takes it or not."""
    page.locator(selector).scroll_into_view_if_needed()
    place = page.locator(selector).bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()


def test_nothing_is_edited_that_a_loaded_schema_replaces(
    editor: Any, table: Path, held: Callable[[Any, str], Held]
) -> None:
    waiting = held(editor, "**/api/schema?*")
    editor.set_input_files("#load-schema", table.with_name("schema.toml"))
    waiting.arrived(1)
    press(editor, "tr[data-column=place] th button")
    editor.mouse.up()
    assert editor.locator(".column").count() == 0
    waiting.answer()
    column(editor, "place").locator("[role=tree]").wait_for()
    assert editor.locator("[role=treeitem]").count() == 4


def test_a_schema_that_is_refused_leaves_the_editor_as_it_was(editor: Any, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("[columns.age]\nrole = 'boss'\n")
    with editor.expect_response("**/api/schema?*"):
        editor.set_input_files("#load-schema", tmp_path / "wrong.toml")
    editor.wait_for_selector("#saved .trouble:has-text('boss')")
    column(editor, "age").wait_for()


def test_an_older_view_does_not_replace_the_one_that_was_chosen(
    page: Any, held: Callable[[Any, str], Held]
) -> None:
    waiting = held(page, "**/api/runs/*")
    page.reload()
    waiting.arrived(1)
    page.click("#to-start")
    page.wait_for_selector("#file")
    waiting.answer()
    assert page.locator("#file").count() == 1
    assert page.locator("#shortlist").count() == 0


def test_what_is_edited_stays_where_it_is(editor: Any, held: Callable[[Any, str], Held]) -> None:
    """Its view is asked for twice; a click on what is drawn anew meanwhile would be lost."""
    waiting = held(editor, "**/api/state?*")
    editor.evaluate("document.querySelector('#file').id = 'the-same'")
    editor.evaluate("window.dispatchEvent(new Event('hashchange'))")
    waiting.arrived(1)
    waiting.answer()
    assert editor.locator("#the-same").count() == 1


def test_a_draft_is_on_the_view_that_is_seen(
    page: Any, table: Path, held: Callable[[Any, str], Held]
) -> None:
    """An older view hears later that the file was read."""
    other = table.with_name("others.csv")
    other.write_text(TABLE)
    jobs = held(page, "**/api/job?*")
    page.click("#to-start")
    page.set_input_files("#file", other)
    jobs.arrived(1)
    while page.evaluate("fetch('/api/state').then((answer) => answer.json())")["job"]["state"] == "running":
        pass
    page.click("#to-explore")
    drawn(page)
    page.click("#to-start")
    page.wait_for_selector("#schema-title:has-text('others.csv')")
    jobs.answer()
    assert page.locator("#schema-title").is_visible()


def test_what_is_pressed_is_not_replaced(editor: Any, held: Callable[[Any, str], Held]) -> None:
    """The buttons of the list are drawn anew with each review: not between press and release."""
    waiting = held(editor, "**/api/review?*")
    editor.select_option("#column-place", "undecided")
    waiting.arrived(1)
    press(editor, "tr[data-column=age] th button")
    waiting.answer()
    assert editor.locator("#verdict").get_attribute("aria-busy") == "true"
    editor.mouse.up()
    reviewed(editor)
    assert editor.locator(".column[data-column=age]").count() == 1


def test_a_change_takes_back_what_was_said(editor: Any) -> None:
    """At once: no search begins, or not, by chance with a schema that was not reviewed."""
    before, after = editor.evaluate(
        """() => {
          const run = document.querySelector("#run");
          const role = document.querySelector("#column-place");
          const before = run.disabled;
          role.value = "drop";
          role.dispatchEvent(new Event("change"));
          return [before, run.disabled];
        }"""
    )
    assert (before, after) == (False, True)
    editor.locator("#run:enabled").wait_for()
