"""The language of the page: a cookie says it, every answer is in it, and the page gets its texts as JSON."""

from __future__ import annotations

import html
import re
from http.cookies import CookieError, SimpleCookie
from typing import Any

from paretonym.language import (
    ENGLISH,
    current_language,
    decimal_point,
    in_language,
    languages,
    messages_of,
    worded,
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
    """The language of the cookie; English if there is none, or none such."""
    shown = "; ".join(v.decode("latin-1") for n, v in scope.get("headers", ()) if n.lower() == b"cookie")
    try:
        morsel = SimpleCookie(shown).get(COOKIE)
    except CookieError:
        return ENGLISH
    return morsel.value if morsel is not None and morsel.value in languages() else ENGLISH


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
            return found["before"] + html.escape(worded(html.unescape(found["text"])))
        return found["label"] + html.escape(worded(html.unescape(found["name"])))

    return TEXTS.sub(put, page).replace('<html lang="en">', f'<html lang="{current_language()}">', 1)


def page_texts(page: str) -> list[str]:
    """The texts of the page that are to be translated."""
    return [html.unescape(found["text"] or found["name"]) for found in TEXTS.finditer(page)]
