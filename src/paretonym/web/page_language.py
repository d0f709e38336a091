"""The language of the page: a cookie says it, every answer is in it, and the page gets its texts as JSON."""

from __future__ import annotations

import html
import re
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from operator import itemgetter
from typing import Any

from paretonym.language import (
    ENGLISH,
    _,
    current_language,
    decimal_point,
    in_language,
    languages,
    messages_of,
)
from paretonym.web.request_guard import App, Receive, Send

COOKIE = "paretonym-language"
A_YEAR = 365 * 24 * 3600
# Elements of index.html whose text, or whose label, is translated.
TEXTS = re.compile(
    r'(?P<before> data-t>)(?P<text>[^<]+)|(?P<label> data-t-label aria-label=")(?P<name>[^"]+)'
)


class PageLanguage:
    """Wraps an application: what it answers is in the language that the browser's cookie names."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with in_language(_wanted(scope)):
            await self._app(scope, receive, send)


def _wanted(scope: Any) -> str:
    """The language of the cookie, or else the first one that the browser prefers; English if there is none
    such."""
    try:
        morsel = SimpleCookie(_header(scope, b"cookie", "; ")).get(COOKIE)
    except CookieError:
        return ENGLISH
    if morsel is not None and morsel.value in languages():
        return morsel.value
    preferred = preferences(_header(scope, b"accept-language", ","))
    return next((code for code in preferred if code in languages()), ENGLISH)


def _header(scope: Any, name: bytes, between: str) -> str:
    return between.join(v.decode("latin-1") for n, v in scope.get("headers", ()) if n.lower() == name)


def preferences(header: str) -> list[str]:
    """The languages of an Accept-Language header without their regions, the most preferred first.

    >>> preferences("en;q=0.3, de-AT, fr;q=0.5")
    ['de', 'fr', 'en']
    """
    found = []
    for entry in header.split(","):
        code, _, weight = entry.strip().partition(";q=")
        with suppress(ValueError):
            found.append((-float(weight or 1), code.partition("-")[0].strip().lower()))
    return [code for _, code in sorted(found, key=itemgetter(0))]


def remembering(code: str) -> str:
    """The cookie that remembers a language, for every explorer on this machine."""
    return f"{COOKIE}={code}; Max-Age={A_YEAR}; HttpOnly; SameSite=Strict; Path=/"


def page_words() -> dict[str, Any]:
    """The texts of the page in the current language, and which languages there are."""
    code = current_language()
    return {
        "language": code,
        "decimal": decimal_point(),
        "languages": [{"code": each, "name": name} for each, name in languages().items()],
        "messages": messages_of(code),
    }


def page_in_language(page: str) -> str:
    """The page with its own texts in the current language.

    >>> page_in_language('<html lang="en"><b data-t>x</b>')
    '<html lang="en"><b data-t>x</b>'
    """

    def put(found: re.Match[str]) -> str:
        if found["text"]:
            return found["before"] + html.escape(_(html.unescape(found["text"])))
        return found["label"] + html.escape(_(html.unescape(found["name"])))

    return TEXTS.sub(put, page).replace('<html lang="en">', f'<html lang="{current_language()}">', 1)


def page_texts(page: str) -> list[str]:
    """The texts of the page that are to be translated."""
    return [html.unescape(found["text"] or found["name"]) for found in TEXTS.finditer(page)]
