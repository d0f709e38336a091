"""The frontier of every method in the browser: its floor, what is shaded, and who stands alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import paretonym as pn
from tests.web.conftest import TABLES, Server, Tab, drawn, serving

Opened = Callable[..., Tab]


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of every method, some of which cut between values."""
    folder = tmp_path_factory.mktemp("joint") / "run"
    pn.Study(TABLES / "school.csv", TABLES / "school.toml").explore("k", "loss").save(folder)
    return folder


@pytest.fixture(scope="module")
def showing(joint: Path) -> Iterator[Server]:
    server = serving(str(joint))
    yield server
    server.stop()
    server.process.communicate()


def corners(page: Any, selector: str) -> list[tuple[float, ...]]:
    path = page.locator(selector).get_attribute("d")
    return [tuple(map(float, pair.split())) for pair in path.strip("MZ").split("L")]


def test_the_floor_is_drawn_where_it_is(tab: Opened, showing: Server, joint: Path) -> None:
    """No release by the hierarchies lies on its far side; the line is also there with the axes exchanged."""
    page = drawn(tab(showing).page)
    front = pn.load(joint)
    facts = page.evaluate("fetch('/api/runs/1').then((answer) => answer.json())")
    assert facts["floor"]["steps"] == [[k, front.floor(k)] for k, _ in facts["floor"]["steps"]]
    bound = [front.method_of(solution).by_hierarchies for solution in front]
    assert facts["floor"]["binds"] == all(bound)
    assert not all(bound)
    edge = corners(page, "path.floor[class*=run]")
    # From the lower left upwards: k grows, and so does what is lost at least.
    assert all(a[0] <= b[0] + 0.01 and a[1] >= b[1] - 0.01 for a, b in pairwise(edge))
    page.select_option("#up", "loss")
    page.select_option("#across", "k")
    assert len(corners(page, "path.floor[class*=run]")) == len(edge)
    page.select_option("#across", "gl")
    assert page.locator("path.floor[class*=run]").count() == 0


@pytest.mark.parametrize("binds", [True, False])
def test_it_is_shaded_only_where_nothing_drawn_can_lie(tab: Opened, showing: Server, binds: bool) -> None:
    """Releases that cut between values may lie beyond the floor of the hierarchies."""
    opened = tab(showing, viewport={"width": 1440, "height": 900})

    def answer(route: Any) -> None:
        facts = route.fetch().json()
        route.fulfill(json={**facts, "floor": {**facts["floor"], "binds": binds}})

    opened.page.route("**/api/runs/1?*", answer)
    opened.page.reload()
    drawn(opened.page)
    assert opened.page.locator("path.floor[class*=run]").count() == 1
    assert opened.page.locator("path.beyond").count() == int(binds)


def test_who_stands_alone_is_seen_before_a_click(tab: Opened, showing: Server, joint: Path) -> None:
    page = drawn(tab(showing).page)
    alone = [solution.id for solution in pn.load(joint) if solution["k"] == 1]
    assert alone
    page.click("th button:has-text('(k) ↓')")
    marked = page.locator("tr:has(.alone) button[data-release]").all_inner_texts()
    assert marked == alone
    assert page.locator(".legend li:has-text('hollow: a group of one (k = 1)')").count() == 1


def test_three_sentences_come_first_and_are_copied(tab: Opened, showing: Server, joint: Path) -> None:
    page = drawn(tab(showing).page)
    solution = next(one for one in pn.load(joint) if one["k"] > 2)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(f"button[data-release='{solution.id}']")
    page.wait_for_selector("#point #verdict p")
    sentences = page.locator("#point #verdict p").all_inner_texts()
    assert len(sentences) == 3
    assert page.evaluate("document.querySelector('#point h2').nextElementSibling.id") == "verdict"
    page.click("#point #verdict button")
    page.wait_for_selector("#point #verdict button:has-text('Copied')")
    expected = f"Release {solution.id}. {' '.join(sentences)}".replace("\u00a0", " ")
    assert page.evaluate("window.copied").replace("\u00a0", " ") == expected
    assert "kept" not in json.dumps(page.inner_text("#point"))


def test_downloads_stay_listed(tab: Opened, showing: Server, joint: Path) -> None:
    page = drawn(tab(showing).page)
    names = []
    for solution in pn.load(joint)[3:5]:
        page.click(f"button[data-release='{solution.id}']")
        page.wait_for_selector(f"#point-title:has-text('{solution.id}')")
        page.wait_for_selector("#take-report")
        page.click("button:has-text('Page for the public')")
        names.append(f"school-{solution.id}-public.html")
        page.wait_for_selector(f"#made a:has-text('{names[-1]}')")
    assert page.locator("#made a").all_inner_texts() == names[::-1]
