"""Numbers read from many texts at once are those that each text alone gives."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.tables.schema.hierarchies.number_line import SAFE, parse_number, read_numbers

WRITTEN = st.from_regex(r"-?[0-9]{1,17}(\.[0-9]{1,17})?", fullmatch=True) | st.sampled_from(
    ["7.50", "-0.0", " 3", "1e2", "+4", ".5", "5.", "x", "٣", "12345678901234567890", ""]
)


@given(st.lists(WRITTEN, max_size=6), st.lists(st.decimals(-10, 10, places=3), max_size=2))
def test_each_number_is_that_of_its_text(texts: list[str], settings: list[Decimal]) -> None:
    numbers = read_numbers(texts, settings)
    expected = [parse_number(text) for text in texts]
    assert numbers.readable.tolist() == [number is not None for number in expected]
    for scaled, number in zip(numbers.scaled.tolist(), expected, strict=True):
        assert number is None or Fraction(scaled, 10**numbers.decimals) == Fraction(number)
    written = [*(number for number in expected if number is not None), *settings]
    places = [-int(number.as_tuple().exponent) for number in written]
    assert numbers.decimals == max([0, *places])


@pytest.mark.parametrize("texts", [["1", "99999999999999999.5"], ["1" * 17 + ".1", "0." + "1" * 17]])
def test_numbers_beyond_64_bits_stay_exact(texts: list[str]) -> None:
    numbers = read_numbers(texts)
    assert [Decimal(n).scaleb(-numbers.decimals) for n in numbers.scaled.tolist()] == list(
        map(Decimal, texts)
    )
    assert (numbers.scaled.dtype == object) == (max(numbers.scaled.tolist()) >= SAFE)
