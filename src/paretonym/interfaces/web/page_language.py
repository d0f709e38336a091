"""The language of a tab: it stands in the address of the page and of every request that the page makes."""

from __future__ import annotations

import html
import re
from contextlib import suppress
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qs

from paretonym.base.language import (
    ENGLISH,
    _,
    catalogue,
    current_language,
    decimal_point,
    in_language,
    languages,
)
from paretonym.interfaces.web.request_guard import App, Receive, Send

# Elements of index.html whose text, or whose label, is translated.
TEXTS = re.compile(
    r'(?P<before> data-t>)(?P<text>[^<]+)|(?P<label> data-t-label aria-label=")(?P<name>[^"]+)'
)


class PageLanguage:
    """Wraps an application: what it answers is in the language of the request."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with in_language(_wanted(scope)):
            await self._app(scope, receive, send)


def _wanted(scope: Any) -> str:
    """The language that the address names, or else the first one that the browser prefers; English if there
    is none such."""
    named = parse_qs(scope["query_string"].decode("latin-1")).get("language", [])
    headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-language"]
    choices = [*named, *preferences(",".join(headers))]
    return next((code for code in choices if code in languages()), ENGLISH)


def preferences(header: str) -> list[str]:
    """The languages of an Accept-Language header without their regions, the most preferred first.

    >>> preferences("en;q=0.3, de-AT, fr;q=0.5")
    ['de', 'fr', 'en']
    """
    weighted = []
    for entry in header.split(","):
        code, _, weight = entry.strip().partition(";q=")
        with suppress(ValueError):
            weighted.append((-float(weight or 1), code.partition("-")[0].strip().lower()))
    return [code for _, code in sorted(weighted, key=itemgetter(0))]


def page_words() -> dict[str, Any]:
    """The texts of the page in the current language, and which languages there are."""
    code = current_language()
    return {
        "language": code,
        "decimal": decimal_point(),
        "languages": [{"code": other, "name": name} for other, name in languages().items()],
        "messages": dict(catalogue(code)),
    }


def page_in_language(page: str) -> str:
    """The page with its own texts in the current language.

    >>> page_in_language('<html lang="en"><b data-t>x</b>')
    '<html lang="en"><b data-t>x</b>'
    """

    def put(match: re.Match[str]) -> str:
        if match["text"]:
            return match["before"] + html.escape(_(html.unescape(match["text"])))
        return match["label"] + html.escape(_(html.unescape(match["name"])))

    code = current_language()
    whole = TEXTS.sub(put, page).replace('<html lang="en">', f'<html lang="{code}">', 1)
    return whole.replace("?language=en", f"?language={code}")


def page_texts(page: str) -> list[str]:
    """The texts of the page that are to be translated."""
    return [html.unescape(match["text"] or match["name"]) for match in TEXTS.finditer(page)]
