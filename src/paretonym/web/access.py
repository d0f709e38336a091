"""Who may come in: names of this server, the secret of its address, what every answer says to browsers."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

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
    """Why a request is not let in."""

    status: int
    wrong: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Door:
    """`hosts` are the names, with port, by which browsers reach this server. `token` stands in the printed
    address; who shows it gets the `session` as a cookie."""

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
        """Whether this is the secret of the address; the time it takes says nothing about it."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def set_cookie(self) -> str:
        return f"{self.cookie}={self.session}; HttpOnly; SameSite=Strict; Path=/"

    def refuses(
        self, method: str, headers: Mapping[str, list[str]], arriving: bool = False
    ) -> Refusal | None:
        """Why a request from elsewhere is refused; None if it comes from our own page or a person. Who is
        `arriving` may follow a link from anywhere: the secret is asked for then."""
        if arriving and method in SAFE_METHODS:
            return self._foreign_host(headers)
        return self._foreign_host(headers) or self._foreign_site(method, headers)

    def _foreign_host(self, headers: Mapping[str, list[str]]) -> Refusal | None:
        hosts = headers.get("host", [])
        if len(hosts) == 1 and hosts[0].lower() in self.hosts:
            return None
        return Refusal(
            421,
            "this server is not known by that name",
            "open the address that 'paretonym serve' printed, or give 'paretonym serve' this name too",
        )

    def _foreign_site(self, method: str, headers: Mapping[str, list[str]]) -> Refusal | None:
        sites, origins = headers.get("sec-fetch-site", []), headers.get("origin", [])
        foreign = any(site not in OWN_SITES for site in sites)
        # Browsers name the origin of everything that changes something; who does not name it, is none.
        own = [f"http://{host}" for host in headers["host"]]
        if method in SAFE_METHODS:
            foreign = foreign or any(origin not in own for origin in origins)
        else:
            foreign = foreign or [origin.lower() for origin in origins] != [host.lower() for host in own]
        if not foreign:
            return None
        return Refusal(403, "the request comes from another site", "use the page of this server")

    def knows(self, headers: Mapping[str, list[str]]) -> bool:
        """Whether the request has our cookie."""
        shown = "; ".join(headers.get("cookie", []))
        try:
            morsel = SimpleCookie(shown).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and hmac.compare_digest(morsel.value.encode(), self.session.encode())
