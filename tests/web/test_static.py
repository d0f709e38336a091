"""Our own files of the page: all there, nothing from elsewhere, nothing that the policy would stop."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from paretonym.interfaces.web.app import static_files

FILES = {name: content.decode() for name, (content, _) in static_files().items()}
SCRIPTS = sorted(name for name in FILES if name.endswith(".js"))


def test_the_page_names_every_file(client: TestClient) -> None:
    """Scripts too, so that a browser fetches all of them at once."""
    named = re.findall(r"/static/([\w.]+)", client.get("/").text)
    assert sorted(named) == sorted(set(FILES) - {"index.html"})


@pytest.mark.parametrize("name", SCRIPTS)
def test_imports_lead_somewhere(name: str) -> None:
    for other in re.findall(r'from "\./([\w.]+)"', FILES[name]):
        assert other in FILES


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_comes_from_elsewhere(name: str) -> None:
    addresses = re.findall(r"https?://[^\s\"']+", FILES[name])
    assert [a for a in addresses if a != "http://www.w3.org/2000/svg"] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_data_never_become_markup_or_code(name: str) -> None:
    forbidden = r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|DOMParser|cssText"
    assert re.findall(forbidden, FILES[name]) == []
    assert "Storage" not in FILES[name], "nothing is kept in the browser"


def test_no_style_and_no_code_inside_the_page() -> None:
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", FILES["index.html"])


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_are_short(name: str) -> None:
    assert len(FILES[name].splitlines()) <= 300
