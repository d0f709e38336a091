"""The guard in front of every request: who is admitted (names of this server, the secret of its address), how
much may be sent, and the headers of every answer."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from paretonym.base.errors import Problem
from paretonym.interfaces.web.problem_json import problems_json

SAFE_METHODS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# Nothing but our own files; no code and no style inside the page; nobody may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not admitted."""

    status: int
    wrong: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Door:
    """`hosts` are the names, with port, by which browsers reach this server. `token` is in the printed
    address; a browser that presents it gets the `session` as a cookie."""

    hosts: frozenset[str]
    token: str
    session: str
    cookie: str

    @classmethod
    def of(cls, port: int, names: Iterable[str] = ()) -> Door:
        hosts = frozenset(f"{name.lower()}:{port}" for name in (*LOOPBACK, *names))
        # Cookies do not know ports: the port is in the name, so that two servers do not disturb each other.
        return cls(hosts, secrets.token_urlsafe(32), secrets.token_urlsafe(32), f"paretonym-{port}")

    def opens(self, token: str) -> bool:
        """True if this is the secret of the address, compared in constant time."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def set_cookie(self) -> str:
        return f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"

    def refuses(self, method: str, headers: Mapping[str, list[str]], arriving: bool) -> Refusal | None:
        """Why a request from elsewhere is refused; None if it comes from our own page or a person. Somebody
        who is `arriving` may follow a link from anywhere, because the secret is required then."""
        if arriving and method in SAFE_METHODS:
            return self._foreign_host(headers)
        return self._foreign_host(headers) or self._foreign_site(method, headers)

    def _foreign_host(self, headers: Mapping[str, list[str]]) -> Refusal | None:
        hosts = headers.get("host", [])
        if len(hosts) == 1 and hosts[0].lower() in self.hosts:
            return None
        return Refusal(
            421,
            "this server does not have that name",
            "open the address that 'paretonym serve' printed, or give 'paretonym serve' this name too",
        )

    def _foreign_site(self, method: str, headers: Mapping[str, list[str]]) -> Refusal | None:
        origins, foreign = headers.get("origin", []), self.is_foreign(headers)
        # Browsers name the origin of every request that changes something; one without it is not from a
        # browser.
        ours = [f"http://{host}" for host in headers["host"]]
        if method in SAFE_METHODS:
            foreign = foreign or any(origin not in ours for origin in origins)
        else:
            foreign = foreign or [origin.lower() for origin in origins] != [site.lower() for site in ours]
        if not foreign:
            return None
        return Refusal(403, "the request comes from another site", "use the page of this server")

    def is_foreign(self, headers: Mapping[str, list[str]]) -> bool:
        """True if the browser says that another site led here."""
        return any(site not in OWN_SITES for site in headers.get("sec-fetch-site", []))

    def knows(self, headers: Mapping[str, list[str]]) -> bool:
        """True if the request has our cookie."""
        cookies = "; ".join(headers.get("cookie", []))
        try:
            morsel = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self.session.encode())


def leading_to(address: str) -> str:
    """A page that does nothing but lead to an address.

    >>> leading_to("/")
    '<!doctype html><title>paretonym</title><meta http-equiv="refresh" content="0; url=/">'
    """
    return f'<!doctype html><title>paretonym</title><meta http-equiv="refresh" content="0; url={address}">'


Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Any, Receive, Send], Awaitable[None]]

OPEN_PATH = "/open"
UPLOAD_PATHS = ("/api/upload", "/api/audit")
MOST_BYTES = 4 << 20
MOST_SECONDS = 20.0
LOCKED = Refusal(
    401, "this page is locked", "open the address that 'paretonym serve' printed in the terminal"
)
TOO_MUCH = Refusal(413, "the request is too large or too slow", "send less")


class TooMuch(Exception):
    """More was sent, or more slowly, than is accepted."""


class Guard:
    """Wraps an application; nothing reaches it that the door refuses."""

    def __init__(self, app: App, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        answer = Answer(send)
        headers = _headers(scope)
        refusal = self._door.refuses(scope["method"], headers, arriving=scope["path"] in ("/", OPEN_PATH))
        if refusal is None and scope["path"] == OPEN_PATH:
            await self._open(scope, headers, answer)
        elif refusal is None and not self._door.knows(headers):
            await answer.refuse(LOCKED, page=scope["path"] == "/")
        elif refusal is not None:
            await answer.refuse(refusal, page=scope["path"] in ("/", OPEN_PATH))
        else:
            await self._pass(scope, receive, answer)

    async def _open(self, scope: Any, headers: Mapping[str, list[str]], answer: Answer) -> None:
        """Exchange the token of the address for a cookie, and remove it from the address."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if scope["method"] != "GET" or not self._door.opens(tokens[0]):
            await answer.refuse(LOCKED, page=True)
            return
        cookie = (b"set-cookie", self._door.set_cookie().encode())
        if not self._door.is_foreign(headers):
            await answer.whole(303, [(b"location", b"/"), cookie], b"")
            return
        # A browser that is led here from elsewhere shows the cookie only when our own page sends it on.
        kind = (b"content-type", b"text/html; charset=utf-8")
        await answer.whole(200, [kind, cookie], leading_to("/").encode())

    async def _pass(self, scope: Any, receive: Receive, answer: Answer) -> None:
        try:
            # An upload has bounds of its own.
            bounded = receive if scope["path"] in UPLOAD_PATHS else await _whole(receive)
            await self._app(scope, bounded, answer)
        except TooMuch:
            await answer.refuse(TOO_MUCH, page=False)
        except Exception as error:
            # The application has answered. Of a bug of ours only its kind is reported: its text could
            # hold data.
            sys.stderr.write(f"bug: {type(error).__name__} while answering a request\n")


class Answer:
    """Sends an answer with our headers on it."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            others = [pair for pair in message.get("headers", []) if pair[0].decode().lower() not in HEADERS]
            message = {**message, "headers": [*others, *ours]}
        await self._send(message)

    async def whole(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        length = (b"content-length", str(len(body)).encode())
        await self({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await self({"type": "http.response.body", "body": body})

    async def refuse(self, refusal: Refusal, page: bool) -> None:
        """The refusal in words for a person who opens the page, otherwise as JSON."""
        if page:
            text = f"paretonym: {refusal.wrong}; {refusal.remedy}.\n".encode()
            await self.whole(refusal.status, [(b"content-type", b"text/plain; charset=utf-8")], text)
            return
        problems = problems_json([Problem("the request", refusal.wrong, refusal.remedy)])
        body = json.dumps({"problems": problems}).encode()
        await self.whole(refusal.status, [(b"content-type", b"application/json")], body)


def _headers(scope: Any) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


async def _whole(receive: Receive) -> Receive:
    """The whole body, received before anything is done with it, within a limit of bytes and seconds."""
    body, more = bytearray(), True
    try:
        async with asyncio.timeout(MOST_SECONDS):
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MOST_BYTES:
                    raise TooMuch
    except TimeoutError:
        raise TooMuch from None
    waiting: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def take() -> Message:
        return waiting.pop() if waiting else await receive()

    return take
