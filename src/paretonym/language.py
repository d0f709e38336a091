"""Languages: sentences in the reader's language, from gettext catalogues in `locale/`.

English is the language of the source: by default, texts are as they are written there.

To add a text in Python, write it as a whole sentence with named placeholders, never glued together:

    worded("Release {id}. {why}", id=solution.id, why=why)
    counted("{number} row is suppressed.", "{number} rows are suppressed.", rows)
    TITLE = marked("The data")          # a constant: only marked here, and worded(TITLE) where it is shown
    numeral(f"{share:.1f}")             # a number in English, as the reader's language writes it

What goes wrong is written before anybody knows in which language it will be read:

    message("column {position} has no name", position=3)

is the English sentence, a text as any other, that can still be said in another language where it is shown.

In the page's scripts, import `t` and `tn` from "./words.js":

    t("Release {id}", { id })
    tn("{number} release", "{number} releases", count)

and in index.html give the element the attribute `data-t` (for its text) or `data-t-label` (for its
`aria-label`). Then run

    python scripts/catalogues.py

It collects every text, adds the new ones to each `locale/*/LC_MESSAGES/paretonym.po` without a translation,
and compiles. Until they are translated, `tests/unit/test_language.py` fails and names them.
"""

from __future__ import annotations

import gettext
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Self

ENGLISH = "en"
DOMAIN = "paretonym"
FOLDER = Path(__file__).parent / "locale"
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


@cache
def languages() -> Mapping[str, str]:
    """Every language that there is a catalogue for, by its code, with its own name for itself.

    >>> languages()["de"]
    'Deutsch'
    """
    codes = sorted(path.parent.parent.name for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return {ENGLISH: "English", **{code: _catalogue(code).gettext(marked("English")) for code in codes}}


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Within this, texts are in a language; in English if there is no catalogue for it.

    >>> with in_language("de"):
    ...     worded("The data"), numeral("1,234.5")
    ('Die Daten', '1.234,5')
    """
    before = _current.set(code)
    try:
        yield
    finally:
        _current.reset(before)


def current_language() -> str:
    return _current.get()


def worded(message: str, /, **values: object) -> str:
    """A text in the current language, with values for its placeholders.

    >>> worded("Release {id}. {why}", id="3f9a2c", why="Picked.")
    'Release 3f9a2c. Picked.'
    """
    text = _catalogue(_current.get()).gettext(message) if message else ""
    return text.format(**values) if values else text


def counted(one: str, many: str, count: int, /, **values: object) -> str:
    """A text about a number of things, which is also the value of its placeholder `number`.

    >>> counted("{number} row", "{number} rows", 1), counted("{number} row", "{number} rows", 12345)
    ('1 row', '12,345 rows')
    """
    text = _catalogue(_current.get()).ngettext(one, many, count)
    return text.format(**{"number": numeral(f"{count:,}"), **values})


def marked(message: str) -> str:
    """The text itself: it is collected for translation here, and translated where it is shown."""
    return message


class Message(str):
    """An English text that keeps its template and its values, so that it can be said in the reader's language
    where it is shown. A value that is a message is said in that language too.

    >>> found = message("column {position} has no name", position=3)
    >>> with in_language("de"):
    ...     found, said(found)
    ('column 3 has no name', 'Spalte 3 hat keinen Namen')
    """

    _template: str
    _values: Mapping[str, object]

    def __new__(cls, template: str, values: Mapping[str, object]) -> Self:
        made = super().__new__(cls, template.format(**values) if values else template)
        made._template, made._values = template, values
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._template, self._values)

    def said(self) -> str:
        return worded(self._template, **_said_values(self._values))


class Plural(Message):
    """A message about a number of things."""

    _many: tuple[str, int]

    def __new__(cls, one: str, values: Mapping[str, object], many: tuple[str, int] = ("", 1)) -> Self:
        made = super().__new__(cls, one if many[1] == 1 else many[0], {"number": f"{many[1]:,}", **values})
        made._template, made._values, made._many = one, values, many
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._template, self._values, self._many)

    def said(self) -> str:
        return counted(self._template, *self._many, **_said_values(self._values))


class Amount(Message):
    """A number, which is written in the reader's language."""

    def said(self) -> str:
        return numeral(self)


def message(template: str, /, **values: object) -> str:
    """A text in English that `said` says in the current language."""
    return Message(template, values)


def messages(one: str, many: str, count: int, /, **values: object) -> str:
    """A message about a number of things, which is also the value of its placeholder `number`.

    >>> print(messages("{number} value", "{number} values", 2))
    2 values
    """
    return Plural(one, values, (many, count))


def amount(number: int) -> str:
    """A whole number as part of a message.

    >>> print(message("{number} more", number=amount(1234)))
    1,234 more
    """
    return Amount(f"{number:,}", {})


def _said_values(values: Mapping[str, object]) -> dict[str, object]:
    return {name: each.said() if isinstance(each, Message) else each for name, each in values.items()}


def said(text: str) -> str:
    """A text in the current language, if it is a message or a text that is translated as it is."""
    return text.said() if isinstance(text, Message) else worded(text)


def numeral(english: str) -> str:
    """A number that is written with English separators, with those of the current language.

    >>> numeral("1,234.5")
    '1,234.5'
    """
    return english.translate(_separators(_current.get()))


def decimal_point() -> str:
    """What separates the decimals of a number."""
    return _separators(_current.get())[ord(".")]


def collated(text: str) -> str:
    """A key by which texts are sorted, in other languages than English without regard to accents."""
    if _current.get() == ENGLISH:
        return text
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


def messages_of(code: str) -> dict[str, str | list[str]]:
    """All translations of a language by their English, for the page; a list where there are plurals."""
    found = _catalogue(code)
    known: dict[object, str] = getattr(found, "_catalog", {})
    result: dict[str, str | list[str]] = {}
    for key, text in known.items():
        if isinstance(key, tuple):
            forms = result.setdefault(str(key[0]), [])
            if isinstance(forms, list):
                forms.insert(int(key[1]), text)
        elif key:
            result[str(key)] = text
    return result


@cache
def _catalogue(code: str) -> gettext.NullTranslations:
    if code == ENGLISH:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, FOLDER, [code], fallback=True)


@cache
def _separators(code: str) -> dict[int, str]:
    """What stands in place of the English comma and point of a number; a catalogue shows it by an example."""
    sample = _catalogue(code).gettext(marked("1,234.5"))
    return {ord(","): sample[1:-5], ord("."): sample[-2]}
