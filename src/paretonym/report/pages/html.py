"""HTML that cannot be broken by what it shows: every text is escaped unless it is HTML already."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paretonym.base.language import current_language


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
    # Control characters are replaced; a number stays on one line with its percent sign.
    text = "".join(c if c.isprintable() or c in "\n\t\u00a0" else "�" for c in part)
    return html.escape(text.replace(" %", "\u00a0%"))


def tag(name: str, *parts: Part, kind: str = "") -> Html:
    """An element around parts; `kind` is its class."""
    start = f'<{name} class="{html.escape(kind)}">' if kind else f"<{name}>"
    return Html(start if name in VOID else f"{start}{''.join(map(escaped, parts))}</{name}>")


def link(address: str, text: str) -> Html:
    """A text that leads to an address."""
    return Html(f'<a href="{html.escape(address)}">{escaped(text)}</a>')


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
    """Names with their meanings."""
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
    start = f'<!DOCTYPE html>\n<html lang="{html.escape(current_language())}">\n'
    return f"{start}<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


STYLE = """\
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #222; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", Verdana, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .3rem 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid #b8b8b8; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; }
ul { padding-left: 1.3rem; }
.banner { border: 2px solid #a33b00; color: #a33b00; font-weight: bold; padding: .4rem .7rem; }
.warning { border: 2px solid #a33b00; background: #fdf3ee; padding: .4rem .7rem; }
.answer { border-left: 4px solid #0072b2; padding: .2rem .8rem; font-size: 1.05rem; }
.quiet { color: #555; font-size: .9rem; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ddd; }
table.narrow { width: auto; } .narrow th, .narrow td { padding-right: 1.5rem; }
th { border-bottom: 1px solid #222; }
a { color: #0072b2; overflow-wrap: anywhere; } .no { font-weight: bold; color: #a33b00; }
td { overflow-wrap: anywhere; } td p { margin: 0 0 .25rem; }
.n { text-align: right; overflow-wrap: normal; } td.n { white-space: nowrap; }
tr.chosen td { background: #eef6fb; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .6rem 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
.sign td:first-child { width: 30%; } .sign td:nth-child(3) { width: 30%; }
.sign td { border-bottom: 1px solid #222; height: 2.6rem; vertical-align: bottom; color: #555; }
code { font-size: .9em; overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  table.many { min-width: 40rem; } .many td:last-child:not(.n) { min-width: 16rem; }
  figure { overflow-x: auto; } figure svg { min-width: 34rem; }
}
@media print {
  body { font-size: 10pt; } main { max-width: none; padding: 0; }
  .wide, figure { overflow: visible; } td { hyphens: auto; min-width: 5em; }
  td:first-child { min-width: 8.5em; } td.n { min-width: 0; }
  h2, h3, h2 + p, h3 + p { break-after: avoid; } figure, tr, .answer, .sign { break-inside: avoid; }
  section:has(.sign), table:not(:has(tr:nth-child(9))) { break-inside: avoid; }
  @page { margin: 18mm 16mm; }
}
"""
