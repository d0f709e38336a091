"""Shares, counts and lists in sentences: what needs to know of no measure."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

from paretonym.base.language import format_number


def percentage(share: float, decimals: int = 1) -> str:
    """A share in percent. Halves go up by the digits that people see: one number is written one way. What is
    more than nothing and less than everything is not written as either.

    >>> percentage(0.0325), percentage(0.0115), percentage(0.5, 0)
    ('3.3 %', '1.2 %', '50 %')
    >>> percentage(0.0004), percentage(0.9999), percentage(1)
    ('<0.1 %', '>99.9 %', '100.0 %')
    """
    step = 10.0**-decimals
    number = float(_in_percent(share, decimals))
    if number == 0 < share:
        return f"<{format_number(f'{step:.{decimals}f}')} %"
    if number == 100 and share < 1:
        return f">{format_number(f'{100 - step:.{decimals}f}')} %"
    return f"{format_number(_in_percent(share, decimals))} %"


def _in_percent(share: float, decimals: int) -> str:
    number = 100 * Decimal(f"{share:.12g}")
    return f"{number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


def percent(share: float) -> str:
    """A risk with two digits that say something.

    >>> percent(1), percent(1 / 14), percent(0.0086)
    ('100 %', '7.1 %', '0.86 %')
    """
    if share >= 0.1 or share == 0:
        return percentage(share, 0)
    written = _in_percent(share, 1 - math.floor(math.log10(100 * share)))
    return f"{format_number(written.rstrip('0').rstrip('.'))} %"


def upper_first(text: str) -> str:
    """A text that begins a sentence: its other letters stay as they are.

    >>> upper_first("jede Person")
    'Jede Person'
    """
    return text[:1].upper() + text[1:]


def several(number: int, one: str, many: str) -> str:
    """
    >>> several(1, "row", "rows"), several(12345, "row", "rows")
    ('1 row', '12,345 rows')
    """
    return f"{number:,} {one if number == 1 else many}"


def listed(words: list[str], link: str = "and") -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return f" {link} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
