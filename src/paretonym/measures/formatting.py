"""Values of measures as people write them: counts with thousands, shares as percentages."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from paretonym.measures.registry import card_of

MOST_DECIMALS = 9


def is_share(name: str) -> bool:
    """Whether a measure is a share, so that its values are written as percentages."""
    card = card_of(name)
    return card is not None and card.unit == "share"


def measured(name: str, value: float) -> str:
    """A value as people write it.

    >>> measured("k", 12345), measured("loss", 0.0843), measured("l", 2.5)
    ('12,345', '8.4 %', '2.5')
    """
    if is_share(name):
        return percentage(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"


def percentage(share: float, decimals: int = 1) -> str:
    """A share in percent. Halves go up by the digits that people see: one number is written one way.

    >>> percentage(0.0325), percentage(0.0115), percentage(0.5, 0)
    ('3.3 %', '1.2 %', '50 %')
    """
    return f"{_half_up(100 * Decimal(f'{share:.12g}'), decimals):f} %"


def _half_up(number: Decimal, decimals: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def apart(name: str, one: float, other: float) -> tuple[str, str]:
    """Two different values, with as many digits as it takes to tell them apart.

    >>> apart("loss", 0.0441, 0.0438), apart("loss", 0.04414, 0.04411), apart("k", 5, 7)
    (('4.41 %', '4.38 %'), ('4.414 %', '4.411 %'), ('5', '7'))
    """
    texts = measured(name, one), measured(name, other)
    for digits in range(2, MOST_DECIMALS + 1):
        if texts[0] != texts[1] or one == other:
            break
        texts = _with_digits(name, one, digits), _with_digits(name, other, digits)
    return texts


def _with_digits(name: str, value: float, digits: int) -> str:
    return percentage(value, digits) if is_share(name) else f"{value:,.{digits + 3}g}"


def written(name: str, value: float) -> str:
    """A bound as people write it: all its digits, none that say nothing.

    >>> written("loss", 0.25), written("loss", 0.2505), written("k", 5)
    ('25 %', '25.05 %', '5')
    """
    if math.isinf(value):
        return measured(name, value)
    scaled = Decimal(repr(value)) * (100 if is_share(name) else 1)
    text = f"{scaled.normalize():,f}"
    return f"{text} %" if is_share(name) else text


def rounded_out(name: str, value: float, upward: bool, stop: float | None = None) -> float:
    """A bound with few digits that lets `value` pass, but not `stop` behind it.

    >>> rounded_out("loss", 0.312345, True), rounded_out("loss", 0.312345, True, stop=0.3125)
    (0.313, 0.3124)
    >>> rounded_out("k", 14, False)
    14.0
    """
    if math.isinf(value):
        return value
    exact = Decimal(repr(value)) * (100 if is_share(name) else 1)
    fewest = 1 if is_share(name) else 0 if value == int(value) else 2
    for decimals in range(fewest, MOST_DECIMALS):
        step = Decimal(1).scaleb(-decimals)
        bound = float(exact.quantize(step, ROUND_CEILING if upward else ROUND_FLOOR).scaleb(_shift(name)))
        if stop is None or (bound < stop if upward else bound > stop):
            return bound
    return value


def _shift(name: str) -> int:
    return -2 if is_share(name) else 0


def percent(share: float) -> str:
    """A risk with two digits that say something.

    >>> percent(1), percent(1 / 14), percent(0.0086)
    ('100 %', '7.1 %', '0.86 %')
    """
    if share >= 0.1 or share == 0:
        return percentage(share, 0)
    written = percentage(share, 1 - math.floor(math.log10(100 * share)))
    return f"{written[:-2].rstrip('0').rstrip('.')} %"


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
