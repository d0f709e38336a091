"""The command: its address, its end, and what it leaves behind: nothing."""

from __future__ import annotations

import signal
import socket
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.interfaces.web.server import check_host, has_display, listen, open_page
from tests.web.conftest import TABLES, Server


def opened(server: Server) -> urllib.request.OpenerDirector:
    """Somebody who has opened the printed address."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.addheaders = [("Origin", server.origin)]
    with opener.open(server.url, timeout=60) as page:
        assert b"<title>paretonym</title>" in page.read()
    return opener


def status(opener: urllib.request.OpenerDirector, request: urllib.request.Request | str) -> int:
    """The status of the answer, which is read to its end."""
    with opener.open(request, timeout=60) as answer:
        answer.read()
        return int(answer.status)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_orderly_end_with_a_job_under_way(
    start: Callable[..., Server], made_run: Path, tmp_path: Path, how: signal.Signals
) -> None:
    server = start(str(made_run), folder=tmp_path)
    opener = opened(server)
    data = (TABLES / "survey.csv").read_bytes()
    put = urllib.request.Request(f"{server.origin}/api/upload?name=x.csv", data=data, method="PUT")
    assert status(opener, put) == 202
    assert list(tmp_path.glob("paretonym-serve-*/*/x.csv"))
    children = _children(server.process.pid)
    assert children
    assert server.stop(how) == (0 if how is signal.SIGINT else -signal.SIGTERM)
    assert list(tmp_path.iterdir()) == []
    assert _gone(children)


def test_no_worker_outlives_a_server_that_was_killed(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start(folder=tmp_path)
    opener = opened(server)
    assert status(opener, urllib.request.Request(f"{server.origin}/api/example", data=b"{}")) == 202
    children = _children(server.process.pid)
    server.stop(signal.SIGKILL)
    assert children
    assert _gone(children)


def _children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    if not path.exists():
        pytest.skip("this system does not list the children of a process")
    found = {
        int(child) for task in path.parents[1].iterdir() for child in (task / "children").read_text().split()
    }
    return sorted(found)


def _gone(children: list[int]) -> bool:
    """Whether all of them end within a while: the last one notices that the server is gone."""
    end = time.monotonic() + 60
    while any(map(_alive, children)) and time.monotonic() < end:
        time.sleep(0.1)
    return not any(map(_alive, children))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_only_this_machine_can_connect(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    port = int(server.origin.rpartition(":")[2])
    found = Path("/proc/net/tcp")
    if found.exists():
        listening = [line.split() for line in found.read_text().splitlines()[1:]]
        places = [entry[1].split(":")[0] for entry in listening if int(entry[1].split(":")[1], 16) == port]
        assert set(places) == {"0100007F"}


def test_without_the_secret_there_is_nothing(server: Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="401") as refused:
        urllib.request.urlopen(server.origin, timeout=60)
    refused.value.close()


def test_a_body_that_never_comes_keeps_nobody_waiting(server: Server) -> None:
    port = int(server.origin.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"POST /api/review HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n")
        assert status(opened(server), f"{server.origin}/api/state") == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_other_machines_need_a_word(host: str) -> None:
    with pytest.raises(InputError, match="add expose=True if you want this"):
        check_host(host, expose=False)
    check_host(host, expose=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.9.1"])
def test_loopback_needs_none(host: str) -> None:
    check_host(host, expose=False)


def test_a_port_that_is_taken() -> None:
    with listen("127.0.0.1", 0).socket as first:
        first.listen()
        with pytest.raises(InputError, match="give another port, or none"):
            listen("127.0.0.1", first.getsockname()[1])


def test_the_browser_gets_a_private_file_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what a program was called is seen by all users of a machine."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    open_page("http://127.0.0.1:8123/open?token=SECRET", tmp_path)
    (page,) = tmp_path.iterdir()
    assert addresses == [page.as_uri()]
    assert "SECRET" not in addresses[0]
    assert page.stat().st_mode & 0o077 == 0
    assert "url=http://127.0.0.1:8123/open?token=SECRET" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", None])
def test_a_browser_needs_a_screen(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for each in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(each, raising=False)
    if name is not None:
        monkeypatch.setenv(name, ":0")
    assert has_display() == (name is not None)


def test_a_file_that_leads_here_opens_the_page(
    chromium: Any, start: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser shows our cookie only when our own page sends it on."""
    server = start()
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    open_page(server.url, tmp_path)
    page = chromium.new_page()
    page.goto((tmp_path / "open.html").as_uri())
    page.wait_for_selector("#file")
    assert page.url.rstrip("/#") == server.origin
    page.close()
