"""Nested widths of intervals for the numbers of a column."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

AGES = (Decimal(5), Decimal(10), Decimal(20), Decimal(40))
OLDEST = 130
FIRST_GROUPS = 25
MOST_WIDTHS = 4
# What follows a width that begins with this digit: 1, 5, 10, 50 and 2, 10, 50 and 5, 10, 50.
FACTORS = {"1": 5, "2": 5, "5": 2}


def nested_widths(numbers: Sequence[Decimal], spread: Decimal, whole: bool) -> tuple[Decimal, ...]:
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
        width = width * FACTORS[str(width.normalize().as_tuple().digits[0])]
    return tuple(widths)


def age_widths(numbers: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Widths of 5, 10, 20 and 40 years, as far as there are people that old; none if the values are not
    years."""
    if not numbers or numbers[0] < 0 or numbers[-1] > OLDEST:
        return ()
    return tuple(width for width in AGES if width < numbers[-1] - numbers[0])


def joining(widths: Sequence[Decimal], numbers: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """The widths whose intervals combine any two of the numbers; the other levels would hide nothing."""
    places = {
        width: {(number / width).to_integral_value(ROUND_FLOOR) for number in numbers} for width in widths
    }
    return tuple(width for width in widths if len(places[width]) < len(numbers))


def round_up(number: Decimal) -> Decimal:
    """The next number that begins with 1, 2 or 5.

    >>> [str(round_up(Decimal(text))) for text in ("0.3", "3200", "5", "51")]
    ['0.5', '5000', '5', '100']
    """
    unit = Decimal(1).scaleb(number.adjusted())
    following = next(unit * step for step in (1, 2, 5, 10) if unit * step >= number)
    return Decimal(format(following.normalize(), "f"))
