"""The server itself: a socket on loopback, an address with a secret, and an orderly end."""

from __future__ import annotations

import html
import ipaddress
import os
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from paretonym.base.errors import Field, InputError
from paretonym.interfaces.web.app import application
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.request_guard import Door, leading_to

PATIENCE = 3


@dataclass(frozen=True, eq=False)
class Place:
    """A socket that listens, and the names by which it is reached."""

    socket: socket.socket
    host: str
    names: tuple[str, ...]

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])


def check_host(host: str, expose: bool) -> None:
    """Refuse any address but loopback, unless others may explicitly connect."""
    if expose or _is_loopback(host):
        return
    raise InputError.of(
        Field("host", host),
        "others could connect there, and the connection is not encrypted",
        f"omit it and use a tunnel (ssh -L), or add {Field('expose', True)} if you want this",
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int, names: Sequence[str] = ()) -> Place:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Written out in full: only then is every small answer sent at once.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # From here on the socket listens, so the address may be printed.
        listener.listen()
    except OSError as error:
        listener.close()
        reason = error.strerror or "it cannot be used"
        place = f"{Field('host', host)} {Field('port', port)}"
        raise InputError.of(place, reason, "give another port, or none") from None
    written = f"[{host}]" if ":" in host else host
    return Place(listener, written, (written, *names))


def has_display() -> bool:
    """True if a browser with windows can be opened here; one in the terminal would take its place."""
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in wanted)


def open_page(address: str, folder: Path) -> None:
    """Open the address in the person's browser. All users of a machine see with what a program was called, so
    the browser gets a private file that leads there."""
    path = folder / "open.html"
    path.touch(mode=0o600)
    path.write_text(leading_to(html.escape(address)), encoding="utf-8")
    webbrowser.open(path.as_uri())


def serve(explorer: Explorer, place: Place, ready: Callable[[str], None]) -> None:
    """Serve until stopped; `ready` gets the address. In any case, nothing private is left behind."""
    import uvicorn

    from paretonym.interfaces.web.slow_clients import MOST_IDLE, Impatient

    door = Door.of(place.port, place.names)
    config = uvicorn.Config(
        application(explorer, door),
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http=Impatient,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=PATIENCE,
        h11_max_incomplete_event_size=1 << 16,
        limit_concurrency=2 * MOST_IDLE,
    )
    name = place.names[-1] if place.host in ("0.0.0.0", "[::]") else place.host  # noqa: S104
    # Whatever is written for a while, such as a page that is printed, is gone with the rest: a server that is
    # being stopped does not wait for it.
    before, tempfile.tempdir = tempfile.tempdir, str(explorer.folder)
    try:
        explorer.prepare()
        ready(f"http://{name}:{place.port}/open?token={door.token}")
        uvicorn.Server(config).run(sockets=[place.socket])
    finally:
        tempfile.tempdir = before
        explorer.close()
        place.socket.close()
