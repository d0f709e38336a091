"""Values of measures as people write them: counts with thousands separators, shares as percentages."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from paretonym.base.language import format_number
from paretonym.base.number_text import significant
from paretonym.base.sentence_parts import percentage
from paretonym.engine.measures.registry import card_of

MOST_DECIMALS = 9


def is_share(name: str) -> bool:
    """True if a measure is a share, so that its values are written as percentages."""
    card = card_of(name)
    return card is not None and card.scale.unit == "share"


def measured(name: str, value: float) -> str:
    """A value as people write it.

    >>> measured("k", 12345), measured("loss", 0.0843), measured("l", 2.5)
    ('12,345', '8.4 %', '2.5')
    >>> measured("weighted-k", 27860.4)
    '27,860'
    """
    if is_share(name):
        return percentage(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format_number(significant(value))


def apart(name: str, one: float, other: float) -> tuple[str, str]:
    """Two different values, with as many digits as it takes to distinguish them.

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
    return percentage(value, digits) if is_share(name) else format_number(significant(value, digits + 3))


def written(name: str, value: float) -> str:
    """A bound as people write it: all significant digits, no trailing zeros.

    >>> written("loss", 0.25), written("loss", 0.2505), written("k", 5)
    ('25 %', '25.05 %', '5')
    """
    if math.isinf(value):
        return measured(name, value)
    scaled = Decimal(repr(value)) * (100 if is_share(name) else 1)
    text = format_number(f"{scaled.normalize():,f}")
    return f"{text} %" if is_share(name) else text


def rounded_out(name: str, value: float, upward: bool, stop: float | None = None) -> float:
    """A bound with few digits that admits `value`, but not `stop` beyond it.

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
