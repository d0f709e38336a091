"""A small run, an explorer over it in this process, a real server in another one, and a browser."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from starlette.testclient import TestClient

import paretonym as pn
import paretonym.interfaces.cli.commands
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.web import worker
from paretonym.interfaces.web.app import application
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.request_guard import Door
from paretonym.interfaces.web.uploads import Bounds

TABLES = Path(__file__).parents[2] / "examples" / "tables"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
HOST = "127.0.0.1:8123"
# Tests wait for what they want to see; only what never comes takes this long, in milliseconds.
PATIENCE = 240_000


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the school table: two objectives."""
    folder = tmp_path_factory.mktemp("school") / "run"
    pn.Study(TABLES / "school.csv", TABLES / "school.toml").explore(
        "k", "loss", suppress="5%", space="lattice"
    ).save(folder)
    return folder


@pytest.fixture
def school_run(made_run: Path, tmp_path: Path) -> Path:
    """The same for one test alone: releases are written down in it."""
    return Path(shutil.copytree(made_run, tmp_path / "run"))


@pytest.fixture
def explorer(school_run: Path) -> Iterator[Explorer]:
    made = Explorer(in_shell, Bounds(bytes=1 << 20, seconds=60.0, waiting=60.0))
    made.runs.open(school_run)
    yield made
    made.close()


@pytest.fixture
def door() -> Door:
    return Door.of(8123)


@pytest.fixture
def stranger(explorer: Explorer, door: Door) -> TestClient:
    """Somebody at the right address without any secret."""
    base = f"http://{HOST}"
    return TestClient(
        application(explorer, door), base_url=base, headers={"origin": base}, follow_redirects=False
    )


@pytest.fixture
def client(stranger: TestClient, door: Door) -> TestClient:
    """The publisher's browser, which has opened the printed address."""
    assert stranger.get("/open", params={"token": door.token}).status_code == 303
    return stranger


def upload(client: TestClient, content: bytes | Any, name: str = "table.csv") -> Any:
    return client.put("/api/upload", params={"name": name}, content=content)


Drafted: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture
def drafted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drafted:
    """What the worker makes of an upload, in this process, whose memory stays as it is."""
    monkeypatch.setattr(worker, "_bound_memory", lambda: None)

    def made(content: bytes, name: str, **asked: str) -> dict[str, Any]:
        path = tmp_path / name
        path.write_bytes(content)
        return worker.draft(lambda *_: None, str(path), asked)

    return made


@dataclass(frozen=True)
class Server:
    """`paretonym serve` in a process of its own."""

    process: subprocess.Popen[str]
    url: str

    @property
    def origin(self) -> str:
        return self.url.partition("/open")[0]

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(60)


def serving(*arguments: str, folder: Path | None = None) -> Server:
    command = [
        sys.executable,
        "-c",
        "from paretonym.interfaces.cli.main import main; main()",
        "serve",
        *arguments,
    ]
    extra = {} if folder is None else {"TMPDIR": str(folder)}
    process = subprocess.Popen(
        [*command, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **extra},
    )
    said = ""
    while process.stdout is not None and not said.rstrip().endswith("}"):
        line = process.stdout.readline()
        assert line, "the server ended before it said its address"
        said += line
    document = json.loads(said)
    assert document == {"format": "paretonym.serve/1", "url": document["url"], "runs": document["runs"]}
    assert len(document["runs"]) == sum(not argument.startswith("-") for argument in arguments)
    return Server(process, document["url"])


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers, and ends whatever a test leaves behind."""
    servers: list[Server] = []

    def begin(*arguments: str, folder: Path | None = None) -> Server:
        servers.append(serving(*arguments, folder=folder))
        return servers[-1]

    yield begin
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


@pytest.fixture(scope="session")
def server(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that leave it as it was but for uploads and releases."""
    run = shutil.copytree(made_run, tmp_path_factory.mktemp("served") / "run")
    begun = serving(str(run))
    yield begun
    begun.stop()
    begun.process.communicate()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


class Tab:
    """A page in the browser that remembers whatever went wrong or went elsewhere."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page = page
        self.page.set_default_timeout(PATIENCE)
        self.faults: list[str] = []
        self.requests: list[str] = []
        self._listeners: dict[str, Callable[[Any], None]] = {
            "pageerror": lambda error: self.faults.append(str(error)),
            "console": lambda said: self.faults.append(said.text) if said.type == "error" else None,
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self._listeners.items():
            self.page.on(event, listener)
        self.page.goto(server.url)

    def leave(self) -> None:
        """Keep nothing for whoever uses the page next; what a page remembers is in cookies."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.context.clear_cookies()

    def elsewhere(self, server: Server) -> list[str]:
        own = (server.origin, "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]


def drawn(page: Any) -> Any:
    """The page of a run, drawn to the end: what comes later would move what a test is about to click."""
    page.wait_for_selector("#shortlist")
    return page


def reviewed(page: Any) -> Any:
    """The page once the server has said what it thinks of the schema, and nothing moves any more."""
    page.wait_for_selector("#verdict[aria-busy=false]")
    return page


def column(page: Any, name: str) -> Any:
    """The settings of a column, opened unless they are."""
    box = page.locator(f".column[data-column='{name}']")
    if not box.count():
        page.click(f"tr[data-column='{name}'] th button")
    return box


@pytest.fixture(scope="session")
def usual(chromium: Any) -> Iterator[Any]:
    """A page of usual size, for one test after the other: a process of Chromium for each takes a second."""
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    yield page
    page.close()


@pytest.fixture
def tab(chromium: Any, usual: Any) -> Iterator[Callable[..., Tab]]:
    """Opens a server's address: on the usual page, or on a page as it is described."""
    tabs: list[Tab] = []

    def opened(server: Server, **described: Any) -> Tab:
        page = chromium.new_page(**described) if described else usual
        assert page not in [one.page for one in tabs], "a test has one page of usual size"
        tabs.append(Tab(page, server))
        return tabs[-1]

    yield opened
    for one in tabs:
        if one.page is usual:
            one.leave()
        else:
            one.page.close()


def serious(page: Any) -> list[str]:
    """What axe finds on a page that keeps people out."""
    from axe_playwright_python.sync_playwright import Axe

    found = json.loads(json.dumps(Axe().run(page).response))
    return [
        f"{v['id']}: {[n['target'] for n in v['nodes']][:5]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]
