"""Names and values as TOML writes them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable

WIDTH = 110
BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    r"""A text in quotes, on one line.

    >>> print(quoted('5" \\ é\n'))
    "5\" \\ é\n"
    """
    return "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))


def key(name: str) -> str:
    """A key, in quotes only where it needs them."""
    return name if BARE.fullmatch(name) else quoted(name)


def header(name: str, *further: str) -> str:
    return f"[{'.'.join(['columns', key(name), *further])}]"


def listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def comment(text: str) -> list[str]:
    """A comment of as many lines as it needs."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def one_line(text: str) -> str:
    """A text for a comment: characters that would break the line are escaped."""
    return quoted(text)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _escaped(character: str) -> str:
    # JSON leaves these unescaped, but a line of TOML must not contain them, or an editor would break it, or a
    # terminal obey it, or the text be shown in another order than it has.
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 1 << 16 else f"\\U{ord(character):08x}"
