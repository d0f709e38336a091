"""Time for a connection to send a request. Bodies have limits of their own (guard, uploads); without
this module, the server would wait forever for what comes before them or after an answer."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_SECONDS = 10.0
# Connections may wait for a request to come; the server itself takes twice this number.
MOST_IDLE = 32


class Impatient(H11Protocol):
    """Drops a connection that has not sent a whole request within some seconds, and one that continues to
    send the body of a request that is already answered; single bytes in between do not extend the time. If
    too many connections wait, the oldest is dropped for the newest, so that idle ones lock nobody out."""

    most_seconds = MOST_SECONDS
    _since = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._make_room()
        self._watch()

    def _make_room(self) -> None:
        idle = [one for one in self.connections if isinstance(one, Impatient) and not one._answering]
        if len(idle) > MOST_IDLE:
            oldest = min(idle, key=lambda one: one._since)
            # Forgotten at once: a request on the newest connection may be counted before this one is lost.
            self.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self._answering:
            self._forget()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.most_seconds, self._over)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        self._timer = None
        if not self._answering:
            self.transport.abort()
