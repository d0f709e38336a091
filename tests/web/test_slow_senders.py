"""Who sends slowly, on a real socket: dropped or refused within its bounds, and nobody else waits for it."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from paretonym.interfaces.web.slow_clients import MOST_SECONDS
from tests.web.conftest import Server
from tests.web.test_serving import opened, status

# Long enough for others to be served in between, short enough for a test.
WAITING, SECONDS, HEADERS = 0.6, 1.5, 1.0
PATIENCE = 60.0
PROGRAM = f"""
import json, sys
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.server import listen, serve
from paretonym.interfaces.web.uploads import Bounds
from paretonym.interfaces.web.slow_clients import Impatient
Impatient.most_seconds = {HEADERS}
ready = lambda url: print(json.dumps({{"url": url}}), flush=True)
bounds = Bounds(bytes=1 << 20, seconds={SECONDS}, waiting={WAITING})
serve(Explorer(in_shell, bounds), listen("127.0.0.1", 0), ready)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The server with short bounds, in a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    begun = Server(process, json.loads(process.stdout.readline())["url"])
    yield begun
    begun.stop()
    process.communicate()


def connected(server: Server) -> socket.socket:
    slow = socket.create_connection(("127.0.0.1", int(server.origin.rpartition(":")[2])), timeout=PATIENCE)
    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return slow


def head(server: Server, cookie: str, length: int, path: str = "/api/upload") -> bytes:
    lines = [
        f"PUT {path} HTTP/1.1", f"Host: {server.origin.removeprefix('http://')}", f"Origin: {server.origin}",
        f"Cookie: {cookie}", f"Content-Length: {length}", "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode()


def cookie_of(server: Server) -> str:
    with connected(server) as asking:
        token = server.url.partition("?")[2]
        host = server.origin.removeprefix("http://")
        asking.sendall(f"GET /open?{token} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = everything(asking).decode()
    line = next(line for line in answer.split("\r\n") if line.lower().startswith("set-cookie"))
    return line.partition(": ")[2].partition(";")[0]


def everything(waiting: socket.socket) -> bytes:
    """What comes until the other side hangs up; a test fails if it does not within a while."""
    parts = []
    try:
        while part := waiting.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def dripped(slow: socket.socket, pause: float) -> float:
    """Send a byte now and then until the other side has hung up; how many seconds that took."""
    begun = time.monotonic()
    slow.settimeout(pause)
    while time.monotonic() - begun < PATIENCE:
        try:
            slow.sendall(b"x")
            if not slow.recv(1 << 16):
                return time.monotonic() - begun
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - begun
    raise AssertionError("the server still listens to who sends a byte now and then")


def served(server: Server) -> None:
    """Another person is answered meanwhile."""
    assert status(opened(server), f"{server.origin}/api/state") == 200


def test_an_upload_that_stalls(server: Server) -> None:
    with connected(server) as slow:
        slow.sendall(head(server, cookie_of(server), 1000) + b"a,b\n1,2\n")
        served(server)
        answer = slow.recv(1 << 16)
        while not answer.endswith(b"}"):
            answer += slow.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 409")
    assert b"the upload is too slow" in answer


def test_an_upload_that_drips(server: Server) -> None:
    """No pause is long; all of it together is. A busy machine makes long pauses itself: then once more."""

    def tried() -> float:
        with connected(server) as slow:
            slow.sendall(head(server, cookie_of(server), 1000) + b"a,b\n")
            return dripped(slow, 0.2)

    assert any(tried() >= SECONDS * 0.9 for _ in range(3))


def test_headers_that_never_end(server: Server) -> None:
    with connected(server) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert dripped(slow, 0.2) >= HEADERS * 0.9


def test_a_connection_that_says_nothing(server: Server) -> None:
    with connected(server) as slow:
        assert everything(slow) == b""


def test_a_body_after_the_refusal(server: Server) -> None:
    """Without the cookie it is refused at once; what is sent on is not listened to for long."""
    with connected(server) as slow:
        slow.sendall(head(server, "none=1", 10**6))
        slow.settimeout(PATIENCE)
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 401")
        dripped(slow, 0.2)


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nX-Slow: "])
def test_many_at_once_keep_nobody_out(begun: bytes) -> None:
    """More idle connections than the server takes: whoever comes next is answered at once, with the long
    bounds of a real server."""
    real = PROGRAM.replace(f"Impatient.most_seconds = {HEADERS}\n", "")
    process = subprocess.Popen([sys.executable, "-c", real], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    server = Server(process, json.loads(process.stdout.readline())["url"])
    slow = [connected(server) for _ in range(200)]
    try:
        for one in slow:
            with contextlib.suppress(OSError):  # the oldest are gone already
                one.sendall(begun)
        before = time.monotonic()
        for _ in range(5):
            served(server)
        assert time.monotonic() - before < MOST_SECONDS / 2
    finally:
        for one in slow:
            one.close()
        server.stop()
        process.communicate()
