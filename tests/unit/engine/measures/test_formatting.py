"""Numbers as people read them: one way for one number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.base.sentence_parts import percent, percentage
from paretonym.engine.frontier.solution import Solution, left_out
from paretonym.engine.measures.formatting import apart, measured, rounded_out, written
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding


def test_one_number_is_written_one_way() -> None:
    """3.25 % was 3.2 % in one place and 3.3 % in another."""
    assert measured("sl", 0.0325) == percentage(0.0325) == percent(0.0325) == "3.3 %"
    assert percentage(0.0115) == "1.2 %"  # in binary a little less than 1.15 %
    assert (percentage(1), percentage(0), percentage(1 / 3, 0)) == ("100.0 %", "0.0 %", "33 %")


def test_two_values_are_written_apart() -> None:
    assert apart("loss", 0.04414, 0.04438) == ("4.41 %", "4.44 %")
    assert apart("loss", 0.25, 0.3) == ("25.0 %", "30.0 %")
    assert apart("l", 2.00011, 2.00012) == ("2.00011", "2.00012")
    assert apart("k", 5, 5) == ("5", "5")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("k", 12345, "12,345"), ("sl", 0.0843, "8.4 %"), ("t", 0.12345, "0.1235"), ("delta", float("inf"), "∞")],
)
def test_numbers_that_people_can_read(name: str, value: float, text: str) -> None:
    assert measured(name, value) == text


@given(value=st.floats(0, 1), further=st.sampled_from((1e-7, 1e-4, 0.01, 0.3)))
def test_rounded_bounds_let_pass_what_they_should(value: float, further: float) -> None:
    stop = value + further
    assert value <= rounded_out("loss", value, True, stop) < stop
    assert -stop < rounded_out("l", -value, False, -stop) <= -value
    assert written("loss", rounded_out("loss", value, True)).endswith(" %")


def test_what_is_more_than_nothing_is_not_written_as_nothing() -> None:
    """'24 rows are suppressed (0.0 %)'."""
    assert (measured("sl", 24 / 60_000), percentage(1 - 1e-9)) == ("<0.1 %", ">99.9 %")
    assert (percentage(0.004, 0), percentage(0.996, 0), percentage(0.0005)) == ("<1 %", ">99 %", "0.1 %")
    assert apart("loss", 0.0001, 0.0002) == ("0.01 %", "0.02 %")
    left = left_out(Solution("3f9a2c", {"sl": 24 / 60_000}, 24, LatticeRecoding.of({"age": 1}, {"k": ">=5"})))
    assert left == "24 rows are suppressed (<0.1 %): equivalence classes of fewer than 5 rows."


def test_large_values_have_no_exponent() -> None:
    """A weighted k of 27,860 was written 2.786e+04."""
    assert measured("weighted-k", 27860.4) == "27,860"
    assert measured("weighted-k", 1234567.8) == "1,235,000"
    assert (measured("t-js", 0.0000123456), measured("weighted-k", 4.25)) == ("0.00001235", "4.25")
    assert apart("weighted-k", 27860.4, 27861.4) == ("27,860", "27,861")
