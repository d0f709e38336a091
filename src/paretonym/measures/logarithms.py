"""Logarithms as whole numbers, exact where it matters: equal sums of them are equal numbers.

`entropy-loss` is a sum over columns of (a sum of logarithms of counts) / (N·H), and N·H itself is such a sum:
all of them are whole combinations of logarithms of primes. So each column has a whole number for every prime,
near ln p / H in units as small as fit, and ln n is the sum over the primes of n. By that alone ln 4 is twice
ln 2, and sums over the same column are equal numbers wherever they are equal.

Sums over several columns are equal too where one column loses a share of its information and another gains
the same share, since each share is 1 when all is lost. So the numbers of a column's primes are chosen such
that its N·H comes to exactly N units; where the N·H of two columns are multiples of each other, they share
their numbers. Nothing else makes sums equal by the laws of logarithms: if Σ d_j / (N·H_j) = 0 with
combinations d_j, and no two of the N·H_j are multiples of each other, then multiplying by all of them shows
that each N·H_j divides its d_j.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TypeAlias

from paretonym.measures.whole_number_costs import Radix

# The exponent of each prime; N·H of a column is such a combination of logarithms.
Exponents: TypeAlias = Mapping[int, int]

_PRECISION = 60
# The cost of the full loss of one column's cell, if that fits into two digits.
_ENOUGH_BITS = 60
# Columns share their numbers, and the unit is multiplied, only as far as this.
_MOST_TIMES = 1 << 12
# The numbers of primes are changed by at most this share of themselves.
_MOST_MOVED = 2.0**-46


@lru_cache(maxsize=1 << 18)
def prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    """
    >>> prime_factors(360)
    ((2, 3), (3, 2), (5, 1))
    """
    found, divisor = [], 2
    while divisor * divisor <= number:
        power = 0
        while number % divisor == 0:
            number, power = number // divisor, power + 1
        if power:
            found.append((divisor, power))
        divisor += 1 + (divisor > 2)
    return (*found, (number, 1)) if number > 1 else tuple(found)


@lru_cache(maxsize=1 << 16)
def logarithm(number: int) -> Decimal:
    with localcontext() as context:
        context.prec = _PRECISION
        return Decimal(number).ln()


@dataclass(frozen=True, eq=False)
class WholeLogarithm:
    """ln n / H of one column in whole numbers. `primes` holds the numbers of primes that were chosen; those
    of others are the nearest to `scale`·ln p. All count `times`."""

    scale: Decimal
    times: int
    primes: dict[int, int] = field(default_factory=dict)

    def __call__(self, number: int) -> int:
        return self.times * sum(power * self._prime(prime) for prime, power in prime_factors(number))

    def _prime(self, prime: int) -> int:
        if prime not in self.primes:
            self.primes[prime] = nearest(self.scale, prime)
        return self.primes[prime]


@dataclass(frozen=True, eq=False)
class InformationUnits:
    """What the columns of a table make of counts: `columns[j]` is None where a column has one value and so
    no information; a row that loses all of a column costs `unit`; sums are written in `radix`."""

    columns: tuple[WholeLogarithm | None, ...]
    unit: int
    radix: Radix


def information_units(counts: Sequence[Iterable[int]], rows: int) -> InformationUnits:
    """Whole logarithms for columns with these counts of values and this number of rows."""
    found = [information(column, rows) for column in counts]
    families = _families([exponents for exponents in found if exponents])
    times = math.lcm(*(family.content // math.gcd(family.content, rows << 32) for family in families))
    times = times if times <= _MOST_TIMES else 1
    shares = (rows * logarithm(rows) / natural(exponents) for exponents in found if exponents)
    highest = sum(shares, Decimal(0))
    unit, radix = _unit(rows, len(found), highest * times)
    unit *= times
    functions = {key: value for family in families for key, value in family.functions(rows * unit).items()}
    columns = tuple(functions[_key(exponents)] if exponents else None for exponents in found)
    return InformationUnits(columns, unit, radix)


def information(counts: Iterable[int], rows: int) -> Exponents:
    """N·H = N ln N − Σ c ln c of a column, in logarithms of primes. Empty for a column of one value.

    >>> information([2, 2], 4)
    {2: 4}
    """
    result: Counter[int] = Counter()
    for count, sign in [(rows, 1), *((int(count), -1) for count in counts)]:
        for prime, power in prime_factors(count):
            result[prime] += sign * count * power
    return {prime: number for prime, number in sorted(result.items()) if number}


def natural(exponents: Exponents) -> Decimal:
    """A combination of logarithms as a number."""
    with localcontext() as context:
        context.prec = _PRECISION
        return sum((number * logarithm(prime) for prime, number in exponents.items()), Decimal(0))


def nearest(scale: Decimal, prime: int) -> int:
    with localcontext() as context:
        context.prec = _PRECISION
        return int((scale * logarithm(prime)).to_integral_value())


def _unit(rows: int, columns: int, highest: Decimal) -> tuple[int, Radix]:
    """The unit as a power of two, and the digits that sums of all rows then need."""
    for digits in (2, 3):
        radix = Radix.of(digits, rows * max(columns, 1))
        free = int(Decimal(radix.capacity) / (rows * max(highest, Decimal(1)))).bit_length() - 2
        if free >= _ENOUGH_BITS:
            break
    return 1 << max(free, 0), radix


def _key(exponents: Exponents) -> tuple[tuple[int, int], ...]:
    return tuple(exponents.items())


@dataclass(frozen=True, eq=False)
class _Family:
    """Columns whose N·H are multiples of one combination: `base` times each of `multiples`."""

    base: Exponents
    multiples: tuple[int, ...]

    @property
    def content(self) -> int:
        return math.lcm(*self.multiples)

    def functions(self, full: int) -> dict[tuple[tuple[int, int], ...], WholeLogarithm]:
        """The logarithm of each column, such that its N·H comes to `full`."""
        with localcontext() as context:
            context.prec = _PRECISION
            scale = Decimal(full) / self.content / natural(self.base)
        target, over = divmod(full, self.content)
        primes = balanced(self.base, scale, target) if not over else {}
        return {
            _key({prime: number * multiple for prime, number in self.base.items()}): WholeLogarithm(
                scale, self.content // multiple, primes
            )
            for multiple in self.multiples
        }


def _families(columns: Sequence[Exponents]) -> list[_Family]:
    """Columns that share their numbers, together; alone where that would cost too much precision."""
    found: dict[tuple[tuple[int, int], ...], set[int]] = {}
    for exponents in columns:
        content = math.gcd(*exponents.values())
        base = {prime: number // content for prime, number in exponents.items()}
        found.setdefault(_key(base), set()).add(content)
    families = []
    for key, contents in found.items():
        together = _Family(dict(key), tuple(sorted(contents)))
        shared = together.content // min(contents) <= _MOST_TIMES
        families += [together] if shared else [_Family(dict(key), (content,)) for content in contents]
    return families


def balanced(base: Exponents, scale: Decimal, target: int) -> dict[int, int]:
    """Whole numbers near scale·ln p for the primes of a combination, which then comes to exactly `target`.

    Euclid's algorithm gives ever smaller combinations of the exponents; each takes off what it can of what
    is missing. Empty if the numbers would be moved too far.

    >>> numbers = balanced({2: 12, 3: 7}, Decimal(10**24), 16008052187396111000000001)
    >>> 12 * numbers[2] + 7 * numbers[3]
    16008052187396111000000001
    """
    numbers = {prime: nearest(scale, prime) for prime in base}
    missing = target - sum(number * numbers[prime] for prime, number in base.items())
    left = [(abs(n), {prime: 1 if n > 0 else -1}) for prime, n in base.items()]
    while missing:
        left.sort(key=lambda each: -each[0])
        value, step = left[0]
        taken = (2 * missing + value) // (2 * value)
        _move(numbers, step, taken)
        missing -= taken * value
        if len(left) == 1:
            break
        (value, step), (other, by) = left[0], left[1]
        _move(step, by, -(value // other))
        left[0] = (value % other, step)
        left = [each for each in left if each[0]]
    moved = (abs(number / (scale * logarithm(prime)) - 1) for prime, number in numbers.items())
    return numbers if missing == 0 and max(moved) <= _MOST_MOVED else {}


def _move(numbers: dict[int, int], step: Mapping[int, int], times: int) -> None:
    for prime, number in step.items():
        numbers[prime] = numbers.get(prime, 0) + times * number
