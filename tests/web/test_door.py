"""Who is let in, and what every answer says to browsers."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

import pytest
from starlette.testclient import TestClient

from paretonym.interfaces.web.request_guard import Door

API = ["/api/state", "/api/runs/1", "/api/openapi.json", "/static/main.js", "/api/files/abc", "/nowhere"]


def test_the_token_is_exchanged_for_a_cookie(stranger: TestClient, door: Door) -> None:
    answer = stranger.get("/open", params={"token": door.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert door.token not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("path", API)
def test_nothing_is_told_without_a_cookie(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "Frontier" not in answer.text


def test_the_locked_page_says_what_to_do(stranger: TestClient) -> None:
    answer = stranger.get("/")
    assert answer.status_code == 401
    assert "open the address that 'paretonym serve' printed" in answer.text


@pytest.mark.parametrize("guess", ["", "x", "é", "a" * 43, "%00", "../"])
def test_guesses_of_the_token(stranger: TestClient, guess: str) -> None:
    answer = stranger.get("/open", params={"token": guess})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_part_of_the_token_opens_nothing(stranger: TestClient, door: Door) -> None:
    for guess in (door.token[:-1], door.token + "A", door.token.swapcase(), door.session):
        assert stranger.get("/open", params={"token": guess}).status_code == 401


def test_the_secrets_are_long_and_new() -> None:
    doors = [Door.of(1) for _ in range(20)]
    assert len({d.token for d in doors} | {d.session for d in doors}) == 40
    assert min(len(d.token) for d in doors) >= 43


@pytest.mark.parametrize("value", ["", "x", "é", "a" * 43, '"'])
def test_forged_cookies(stranger: TestClient, door: Door, value: str) -> None:
    header = f"{door.cookie}={value}".encode()
    assert stranger.get("/api/state", headers={b"cookie": header}).status_code == 401


@pytest.mark.parametrize("name", ["a,b", "a/b", "a{b"])
def test_a_malformed_cookie_opens_nothing(stranger: TestClient, door: Door, name: str) -> None:
    """Python's parser raises on a name that no cookie may have; the right secret beside it does not help."""
    header = f"{name}=1; {door.cookie}={door.session}"
    with pytest.raises(CookieError):
        SimpleCookie(header)
    assert not door.knows({"cookie": [header]})
    assert stranger.get("/api/state", headers={"cookie": header}).status_code == 401


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:81", "127.0.0.1:8123.evil.example", ""],
)
def test_another_host_name_is_refused(client: TestClient, host: str) -> None:
    """A name of somebody else that leads to this machine (DNS rebinding) is no name of ours."""
    answer = client.get("/api/state", headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["problems"][0]["wrong"] == "this server does not have that name"


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123"])
def test_own_names(stranger: TestClient, host: str) -> None:
    assert stranger.get("/api/state", headers={"host": host, "origin": f"http://{host}"}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8123"},
        {"origin": "http://127.0.0.1:8124"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_other_sites_are_refused(client: TestClient, method: str, headers: dict[str, str]) -> None:
    answer = client.request(method, "/api/job/cancel" if method != "GET" else "/api/state", headers=headers)
    assert answer.status_code == 403
    assert answer.json()["problems"][0]["wrong"] == "the request comes from another site"


def test_a_link_may_lead_here_from_anywhere(stranger: TestClient, door: Door) -> None:
    """From a terminal in the browser, say; the secret is asked for all the same."""
    elsewhere = {"sec-fetch-site": "cross-site", "origin": "null"}
    assert stranger.get("/", headers=elsewhere).status_code == 401
    assert stranger.get("/open", params={"token": "x"}, headers=elsewhere).status_code == 401
    led = stranger.get("/open", params={"token": door.token}, headers=elsewhere)
    # Sent on at once, a browser would not show a cookie that is for our own site alone.
    assert (led.status_code, "location" in led.headers) == (200, False)
    assert 'http-equiv="refresh" content="0; url=/"' in led.text
    assert "SameSite=Strict" in led.headers["set-cookie"]
    assert stranger.post("/open", params={"token": door.token}, headers=elsewhere).status_code == 403


def test_what_changes_something_must_say_where_it_comes_from(client: TestClient) -> None:
    del client.headers["origin"]
    assert client.post("/api/job/cancel").status_code == 403
    assert client.get("/api/state").status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/state", "/nowhere", "/api/runs/99", "/static/main.js", "/open"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_refusals_have_the_headers_too(stranger: TestClient) -> None:
    answers = [stranger.get("/api/state"), stranger.get("/", headers={"host": "evil.example"})]
    assert all("content-security-policy" in answer.headers for answer in answers)
