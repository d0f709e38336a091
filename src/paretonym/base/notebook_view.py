"""Answers as a notebook shows them: one line in text; in HTML a sentence, warnings and a table."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from paretonym.base.errors import printable

Item = TypeVar("Item")
MOST_ROWS = 20
# A line of text is not longer than this.
LONGEST = 180


@dataclass(frozen=True, slots=True)
class NotebookView:
    """One answer for a notebook: sentences, warnings, and a table of which an even selection is shown."""

    lines: Sequence[str]
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    warnings: Sequence[str] = ()

    def html(self) -> str:
        """HTML in which everything is escaped."""
        parts = [f"<p>{escaped(line)}</p>" for line in self.lines if line]
        parts += [f"<p><b>⚠ {escaped(warning)}</b></p>" for warning in self.warnings]
        if self.rows:
            shown = evenly(self.rows, MOST_ROWS)
            parts.append(f"<table><thead>{_row('th', self.heads)}</thead><tbody>")
            parts += [_row("td", row) for row in shown]
            parts.append("</tbody></table>")
            if len(shown) < len(self.rows):
                parts.append(f"<p>{len(shown)} of {len(self.rows):,} rows, evenly chosen.</p>")
        return "\n".join(parts)


def evenly(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most this many of them, evenly spread from first to last.

    >>> evenly(range(10), 4), evenly("ab", 4)
    ([0, 3, 6, 9], 'ab')
    """
    if len(items) <= most:
        return items
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def one_line(value: object) -> str:
    """An object as one line of text: its kind, and the first line of what it says.

    >>> one_line(ValueError("no\\nmore"))
    '<ValueError: no>'
    """
    first = next(iter(str(value).splitlines()), "").removesuffix(".")
    text = first if len(first) <= LONGEST else f"{first[: LONGEST - 1]}…"
    return f"<{type(value).__name__}: {text}>"


def escaped(text: object) -> str:
    """A text for HTML; control characters are written out."""
    return html.escape(printable(str(text)))


def _row(cell: str, texts: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{cell}>{escaped(text)}</{cell}>" for text in texts) + "</tr>"
