"""The language of a tab: in its address, for texts of the page and for what the server says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from paretonym.interfaces.web.app import static_files
from tests.web.conftest import PATIENCE, Server, Tab, drawn

SCRIPTS = {name: text.decode() for name, (text, _) in static_files().items() if name.endswith(".js")}
# Where a script puts a text on the page, without `t`.
BARE = re.compile(
    r'(?:\b(?:text|title|placeholder|label|hint|wrong|remedy)|"aria-label"|textContent =):? '
    r'(?:"[^"]*[A-Za-z]{2}|`[^`]*[A-Za-z]{3,} [^`]*`)[^,;\n]*'
)
ENGLISH = re.compile(r"\b(the|this|is|are|with|which|of|and|release|rows?|at least|people)\b")


GERMAN = {"language": "de"}


def test_english_unless_another_one_is_chosen(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/").text
    found = client.get("/api/words").json()
    assert (found["language"], found["decimal"], found["messages"]) == ("en", ".", {})
    assert {"code": "de", "name": "Deutsch"} in found["languages"]


def test_the_language_stands_in_the_address(client: TestClient) -> None:
    """Nothing is remembered for other tabs of the same browser."""
    answer = client.get("/", params=GERMAN)
    assert '<html lang="de">' in answer.text
    assert "data-t>Veröffentlichung wählen</a>" in answer.text
    assert 'href="/api/words?language=de"' in answer.text
    assert "set-cookie" not in answer.headers
    assert client.get("/api/words", params=GERMAN).json()["messages"]["Language"] == "Sprache"
    assert '<html lang="en">' in client.get("/").text


def test_an_unknown_language_is_ignored(client: TestClient) -> None:
    for code in ("../de", "../../etc", "", "tlh"):
        assert client.get("/api/words", params={"language": code}).json()["language"] == "en"


def test_the_first_language_is_that_of_the_browser(client: TestClient) -> None:
    """Until somebody chooses one."""
    asked = {"accept-language": "fr-FR, de-CH;q=0.8, en;q=0.5"}
    assert client.get("/api/words", headers=asked).json()["language"] == "de"
    strange = {"accept-language": "de;q=much, *, xx"}
    assert client.get("/api/words", headers=strange).json()["language"] == "en"
    chosen = client.get("/api/words", headers=asked, params={"language": "en"})
    assert chosen.json()["language"] == "en"


def test_what_was_said_once_is_said_again_in_another_language(client: TestClient) -> None:
    """Answers that the server keeps are kept for each language."""
    name = client.get("/api/runs/1").json()["ids"][0]
    english = client.get(f"/api/runs/1/points/{name}").json()
    german = client.get(f"/api/runs/1/points/{name}", params=GERMAN).json()
    assert german["id"] == english["id"]
    assert english["left_out"] == "No row is suppressed."
    assert german["left_out"] == "Keine Zeile ist unterdrückt."
    assert client.get(f"/api/runs/1/points/{name}").json() == english


def test_a_report_that_is_downloaded_is_in_the_language_of_the_page(client: TestClient) -> None:
    name = client.get("/api/runs/1").json()["ids"][0]
    path = f"/api/runs/1/points/{name}/report"
    made = client.post(path, params=GERMAN, json={"reader": "public"}).json()
    assert '<html lang="de">' in client.get(made["files"][0]["href"]).text


def test_a_refusal_is_english_throughout(client: TestClient) -> None:
    """Its limits, numbers and doubts too; the answer to the same question is German."""
    limits = [{"measure": "k", "sense": "at-least", "bound": 100}]
    path = "/api/runs/1/ask"
    asked = client.post(path, params=GERMAN, json={"limits": limits, "best": "loss"})
    assert "nachgewiesen unter den Veröffentlichungen mit einer Stufe je Spalte" in asked.json()["text"]
    limits.append({"measure": "loss", "sense": "at-most", "bound": 0.125})
    refused = client.post(path, params=GERMAN, json={"limits": limits, "best": "loss"})
    assert refused.json()["answer"] is None
    assert "No release of this run has k at least 100 and loss at most 12.5 %." in refused.json()["text"]


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_every_text_of_a_script_is_translated(name: str) -> None:
    found = [re.sub(r"\$\{[^}]*\}", "", each) for each in BARE.findall(SCRIPTS[name])]
    bare = [each for each in found if re.search(r"[A-Za-z]{3}", each.partition(" ")[2])]
    assert bare == [], 'write it as t("…"): see src/paretonym/base/language.py'


def test_the_page_in_german(tab: Callable[..., Tab], server: Server) -> None:
    page = drawn(tab(server).page)
    page.select_option("#language", "de")
    page.wait_for_selector("h1:has-text('Welche möchten Sie?')")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.click("#shortlist button")
    page.wait_for_selector("#words")
    shown = page.evaluate("""() => {
      const labels = [...document.querySelectorAll("[aria-label], [title], [placeholder]")]
        .flatMap((one) => ["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? ""));
      return [document.body.innerText, ...labels].join("\\n");
    }""")
    # Names of columns and values, and the lines to copy, are as they are.
    lines = [
        line for line in shown.splitlines() if not re.search(r"school|class|paretonym |import |front", line)
    ]
    assert [line for line in lines if ENGLISH.search(line)] == []
    assert re.search(r"\d,\d\u00a0%", shown)
    page.reload()
    page.wait_for_selector("h1:has-text('Welche möchten Sie?')")


def test_another_tab_keeps_its_language(chromium: Any, server: Server) -> None:
    """Both tabs share their cookies."""
    browser = chromium.new_context()
    browser.set_default_timeout(PATIENCE)
    german, english = browser.new_page(), browser.new_page()
    german.goto(server.url)
    drawn(german).select_option("#language", "de")
    german.wait_for_selector("h1:has-text('Welche möchten Sie?')")
    english.goto(server.origin)
    drawn(english)
    for page in (german, english):
        page.click("#shortlist button")
        page.wait_for_selector("#words")
    assert german.evaluate("document.documentElement.lang") == "de"
    assert "Zeile ist unterdrückt" in german.inner_text("#words")
    assert "row is suppressed" in english.inner_text("#words")
    browser.close()
