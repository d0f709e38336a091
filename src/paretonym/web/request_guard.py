"""The guard before every request: it asks the door, bounds what is sent, and puts headers on every answer."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from paretonym.web.access import HEADERS, Door, Refusal

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Any, Receive, Send], Awaitable[None]]

OPEN_PATH = "/open"
UPLOAD_PATH = "/api/upload"
MOST_BYTES = 4 << 20
MOST_SECONDS = 20.0
LOCKED = Refusal(
    401, "this page is locked", "open the address that 'paretonym serve' printed in the terminal"
)
TOO_MUCH = Refusal(413, "the request is too large or too slow", "send less")


class TooMuch(Exception):
    """More was sent, or more slowly, than is taken."""


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
            await self._open(scope, answer)
        elif refusal is None and not self._door.knows(headers):
            await answer.refuse(LOCKED, page=scope["path"] == "/")
        elif refusal is not None:
            await answer.refuse(refusal, page=scope["path"] in ("/", OPEN_PATH))
        else:
            await self._pass(scope, receive, answer)

    async def _open(self, scope: Any, answer: Answer) -> None:
        """The token of the address is exchanged for a cookie, and leaves the address."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if scope["method"] != "GET" or not self._door.opens(tokens[0]):
            await answer.refuse(LOCKED, page=True)
            return
        cookie = self._door.set_cookie().encode()
        await answer.whole(303, [(b"location", b"/"), (b"set-cookie", cookie)], b"")

    async def _pass(self, scope: Any, receive: Receive, answer: Answer) -> None:
        try:
            # An upload has bounds of its own.
            bounded = receive if scope["path"] == UPLOAD_PATH else await _whole(receive)
            await self._app(scope, bounded, answer)
        except TooMuch:
            await answer.refuse(TOO_MUCH, page=False)
        except Exception as error:
            # The application has answered. Of a mistake of ours nothing but its kind is told: its text could
            # hold data.
            sys.stderr.write(f"bug: {type(error).__name__} while answering a request\n")


class Answer:
    """Sends an answer with our headers on it."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            own = [pair for pair in message.get("headers", []) if pair[0].decode().lower() not in HEADERS]
            message = {**message, "headers": [*own, *ours]}
        await self._send(message)

    async def whole(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        length = (b"content-length", str(len(body)).encode())
        await self({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await self({"type": "http.response.body", "body": body})

    async def refuse(self, refusal: Refusal, page: bool) -> None:
        """In words for people who opened the page, else as JSON."""
        if page:
            text = f"paretonym: {refusal.wrong}; {refusal.remedy}.\n".encode()
            await self.whole(refusal.status, [(b"content-type", b"text/plain; charset=utf-8")], text)
            return
        problem = {"place": "the request", "wrong": refusal.wrong, "remedy": refusal.remedy}
        body = json.dumps({"problems": [problem]}).encode()
        await self.whole(refusal.status, [(b"content-type", b"application/json")], body)


def _headers(scope: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


async def _whole(receive: Receive) -> Receive:
    """The whole body, taken before anything is done with it: no more than so many bytes, and none that takes
    longer than so many seconds."""
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
