"""HTML that cannot be broken by what it shows: every text is escaped unless it is HTML already."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of a page."""

    text: str

    def __str__(self) -> str:
        return self.text


Part: TypeAlias = Html | str
VOID = ("br", "hr")
MANY_COLUMNS = 3


def escaped(part: Part) -> str:
    """
    >>> escaped("<b>"), escaped(tag("b", "a & b"))
    ('&lt;b&gt;', '<b>a &amp; b</b>')
    """
    if isinstance(part, Html):
        return part.text
    # Control characters have no place in a page; a number stays with its sign of percent.
    shown = "".join(c if c.isprintable() or c in "\n\t\u00a0" else "�" for c in part)
    return html.escape(shown.replace(" %", "\u00a0%"))


def tag(name: str, *parts: Part, kind: str = "") -> Html:
    """An element around parts; `kind` is its class."""
    start = f'<{name} class="{html.escape(kind)}">' if kind else f"<{name}>"
    return Html(start if name in VOID else f"{start}{''.join(map(escaped, parts))}</{name}>")


def joined(parts: Iterable[Part]) -> Html:
    return Html("\n".join(map(escaped, parts)))


def section(title: str, *parts: Part) -> Html:
    return tag("section", tag("h2", title), "\n", *parts)


def paragraphs(*texts: Part) -> Html:
    return joined(tag("p", text) for text in texts if text)


def bullets(texts: Iterable[Part]) -> Html:
    return tag("ul", *(tag("li", text) for text in texts))


def table(
    head: Sequence[Part], rows: Iterable[Sequence[Part]], numbers: Sequence[int] = (), kind: str = ""
) -> Html:
    """A table; the columns at places `numbers` are set flush right. Wide ones scroll on a narrow screen."""

    def cells(name: str, row: Sequence[Part]) -> Html:
        return tag("tr", *(tag(name, cell, kind="n" if i in numbers else "") for i, cell in enumerate(row)))

    body = (cells("td", row) for row in rows)
    many = "many" if len(head) > MANY_COLUMNS else ""
    inner = tag("table", tag("thead", cells("th", head)), tag("tbody", *body), kind=kind or many)
    return tag("div", inner, kind="wide")


def facts_list(pairs: Iterable[tuple[Part, Part]]) -> Html:
    """Names with what they stand for."""
    return tag("dl", *(Html(f"{tag('dt', name)}{tag('dd', text)}") for name, text in pairs))


def page(title: str, style: str, *parts: Part) -> str:
    """A whole document that needs nothing else and runs nothing."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    head = "\n".join(
        [
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{escaped(title)}</title>",
            f"<style>\n{style}</style>",
        ]
    )
    body = escaped(tag("main", *(Html(f"{escaped(part)}\n") for part in parts)))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'
