"""How the abstract values of random tables are written, so that one table can be had in two spellings."""

from __future__ import annotations

from dataclasses import dataclass

_MOST = 99


@dataclass(frozen=True, slots=True)
class Spelling:
    """Values are numbered; a spelling turns numbers into texts, in an order of its own.

    >>> PLAIN.text(3), RENAMED.text(3), PLAIN.number(3), RENAMED.number(3)
    ('v03', 'w96', 3, 1021)
    >>> PLAIN.word((0, 2)), RENAMED.word((0, 2))
    ('ac', 'zx')
    """

    prefix: str
    backwards: bool
    factor: int
    offset: int
    alphabet: str

    def text(self, number: int) -> str:
        return f"{self.prefix}{_MOST - number if self.backwards else number:02d}"

    def number(self, number: int) -> int:
        return number * self.factor + self.offset

    def word(self, letters: tuple[int, ...]) -> str:
        return "".join(self.alphabet[letter] for letter in letters)


PLAIN = Spelling("v", False, 1, 0, "abcd")
RENAMED = Spelling("w", True, 7, 1000, "zyxw")
