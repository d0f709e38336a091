"""Languages: sentences of reports and page in the reader's language, from the catalogues `locale/*.json`.

English is the language of the source: by default, texts are as they are written there.

To add a text in Python, write it as a whole sentence with named placeholders, never glued together:

    _("Release {id}. {why}", id=solution.id, why=why)
    ngettext("{number} row is suppressed.", "{number} rows are suppressed.", rows)
    TITLE = N_("The data")              # a constant: only marked here, and _(TITLE) where it is shown
    format_number(f"{share:.1f}")       # a number in English, as the reader's language writes it

Only what reports and page show is translated. Errors, and what the command line alone prints, are English.

In the page's scripts, import `t` and `tn` from "./words.js":

    t("Release {id}", { id })
    tn("{number} release", "{number} releases", count)

and in index.html give the element the attribute `data-t` (for its text) or `data-t-label` (for its
`aria-label`). A text without a translation is shown in English; `python scripts/catalogues.py` lists those.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

ENGLISH = "en"
FOLDER = Path(__file__).parent / "locale"
# Translations by their English: a text, or the singular and the plural.
Catalogue: TypeAlias = Mapping[str, str | list[str]]
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


@cache
def languages() -> Mapping[str, str]:
    """Every language that there is a catalogue for, by its code, with its own name for itself.

    >>> languages()["de"]
    'Deutsch'
    """
    return {ENGLISH: "English", **{code: str(catalogue(code).get(N_("English"), code)) for code in _codes()}}


@cache
def _codes() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Within this, texts are in a language; in English if there is no catalogue for it.

    >>> with in_language("de"):
    ...     _("The data"), format_number("1,234.5")
    ('Die Daten', '1.234,5')
    """
    before = _current.set(code)
    try:
        yield
    finally:
        _current.reset(before)


def current_language() -> str:
    return _current.get()


def _(message: str, /, **values: object) -> str:
    """A text in the current language, with values for its placeholders.

    >>> _("Release {id}. {why}", id="3f9a2c", why="Picked.")
    'Release 3f9a2c. Picked.'
    """
    text = str(catalogue(_current.get()).get(message, message))
    return text.format(**values) if values else text


def ngettext(one: str, many: str, count: int, /, **values: object) -> str:
    """A text about a number of things, which is also the value of its placeholder `number`.

    >>> ngettext("{number} row", "{number} rows", 1), ngettext("{number} row", "{number} rows", 12345)
    ('1 row', '12,345 rows')
    """
    text = catalogue(_current.get()).get(one, (one, many))[count != 1]
    return text.format(**{"number": format_number(count), **values})


def N_(message: str) -> str:  # noqa: N802 - the name that gettext gives it
    """The text itself: it is collected for translation here, and translated where it is shown."""
    return message


def format_number(number: int | str) -> str:
    """A whole number, or one that is written with English separators, as the current language writes it.

    >>> format_number("1,234.5"), format_number(1234)
    ('1,234.5', '1,234')
    """
    english = number if isinstance(number, str) else f"{number:,}"
    return english.translate(_separators(_current.get()))


def decimal_point() -> str:
    """The character before the decimals of a number."""
    return _separators(_current.get())[ord(".")]


def collated(text: str) -> str:
    """A key by which texts are sorted, in other languages than English without regard to accents."""
    if _current.get() == ENGLISH:
        return text
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


@cache
def catalogue(code: str) -> Catalogue:
    """All translations of a language; none for English, or if there is no such language."""
    path = FOLDER / f"{code}.json"
    return cast(Catalogue, json.loads(path.read_text("utf-8"))) if code in _codes() else {}


@cache
def _separators(code: str) -> dict[int, str]:
    """The signs in place of the English comma and point of a number; a catalogue shows them by an example."""
    sample = str(catalogue(code).get(N_("1,234.5"), "1,234.5"))
    return {ord(","): sample[1:-5], ord("."): sample[-2]}
