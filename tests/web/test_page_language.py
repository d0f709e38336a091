"""The language of the page: remembered in a cookie, for texts of the page and for what the server says."""

from __future__ import annotations

from starlette.testclient import TestClient

from paretonym.web.page_language import COOKIE


def test_english_unless_another_one_is_chosen(client: TestClient) -> None:
    assert '<html lang="en">' in client.get("/").text
    found = client.get("/api/words").json()
    assert (found["language"], found["decimal"], found["messages"]) == ("en", ".", {})
    assert {"code": "de", "name": "Deutsch"} in found["languages"]


def test_a_chosen_language_is_remembered(client: TestClient) -> None:
    chosen = client.post("/api/language", json={"language": "de"})
    assert chosen.json() == {"language": "de"}
    kept = chosen.headers["set-cookie"]
    assert kept == f"{COOKIE}=de; Max-Age=31536000; HttpOnly; SameSite=Strict; Path=/"
    page = client.get("/").text
    assert '<html lang="de">' in page
    assert "data-t>Veröffentlichung wählen</a>" in page
    assert client.get("/api/words").json()["messages"]["Language"] == "Sprache"


def test_an_unknown_language_is_refused_and_a_strange_cookie_ignored(client: TestClient) -> None:
    refused = client.post("/api/language", json={"language": "../de"})
    assert refused.status_code == 409
    assert refused.json()["problems"][0]["text"] == (
        "the language: there is no catalogue of it; choose one of en, de"
    )
    client.cookies.set(COOKIE, "../../etc")
    assert client.get("/api/words").json()["language"] == "en"


def test_what_was_said_once_is_said_again_in_another_language(client: TestClient) -> None:
    """Answers that the server keeps are kept for each language."""
    name = client.get("/api/runs/1").json()["ids"][0]
    english = client.get(f"/api/runs/1/points/{name}").json()
    client.post("/api/language", json={"language": "de"})
    german = client.get(f"/api/runs/1/points/{name}").json()
    assert german["id"] == english["id"]
