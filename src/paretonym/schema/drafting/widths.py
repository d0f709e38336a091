"""Nested widths for numbers: round, each a multiple of the one before, about twenty-five groups at first."""

from __future__ import annotations

from decimal import Decimal

AGES = (Decimal(5), Decimal(10), Decimal(20), Decimal(40))
OLDEST = 130
FIRST_GROUPS = 25
MOST_WIDTHS = 4
# What follows a width that begins with this digit: 1, 5, 10, 50 and 2, 10, 50 and 5, 10, 50.
FACTORS = {"1": 5, "2": 5, "5": 2}


def nested_widths(numbers: list[Decimal], spread: Decimal, whole: bool) -> tuple[Decimal, ...]:
    """Widths for these rising numbers, most of which lie within `spread`; none if there is nothing to widen.

    >>> [str(width) for width in nested_widths([Decimal(0), Decimal(90000)], Decimal(60000), True)]
    ['5000', '10000', '50000']
    """
    reach = numbers[-1] - numbers[0]
    if whole and reach <= 20:
        return tuple(width for width in map(Decimal, (2, 4, 8)) if width < reach)
    width = round_up((spread or reach) / FIRST_GROUPS) if reach else Decimal(0)
    if whole:
        width = max(width, Decimal(2))
    widths: list[Decimal] = []
    while 0 < width < reach and len(widths) < MOST_WIDTHS:
        widths.append(width)
        width = width * FACTORS[leading_digit(width)]
    return tuple(widths)


def age_widths(numbers: list[Decimal]) -> tuple[Decimal, ...]:
    """Five years, ten, twenty, forty, as far as there are people that old; none if these are no years."""
    if not numbers or numbers[0] < 0 or numbers[-1] > OLDEST:
        return ()
    return tuple(width for width in AGES if width < numbers[-1] - numbers[0])


def round_up(number: Decimal) -> Decimal:
    """The next number that begins with 1, 2 or 5.

    >>> [str(round_up(Decimal(text))) for text in ("0.3", "3200", "5", "51")]
    ['0.5', '5000', '5', '100']
    """
    unit = Decimal(1).scaleb(number.adjusted())
    return plain(next(unit * step for step in (1, 2, 5, 10) if unit * step >= number))


def leading_digit(number: Decimal) -> str:
    return str(number.normalize().as_tuple().digits[0])


def plain(number: Decimal) -> Decimal:
    """The same number without an exponent."""
    return Decimal(format(number.normalize(), "f"))
