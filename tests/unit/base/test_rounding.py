"""Rounding: the order of a sum is gone, and whole numbers stay."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from paretonym.base.rounding import rounded


def test_rounding_removes_the_order_of_sums() -> None:
    generator = Random(0)
    for _ in range(200):
        parts = [generator.random() for _ in range(50)]
        sums = [sum(generator.sample(parts, 50)) for _ in range(5)]
        assert len(set(rounded(np.array(sums)).tolist())) == 1


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 123456789012.0, 2.0**53, np.inf, -np.inf])
def test_rounding_leaves_whole_numbers_and_infinities(value: float) -> None:
    assert rounded(np.array([value])).tolist() == [value]


@pytest.mark.parametrize("value", [1 / 3, 2 / 3, 0.07 / 3, 12345.678901234567, 0.1 + 0.2, -1 / 7, 7e7 / 3])
def test_rounding_to_ten_digits(value: float) -> None:
    assert rounded(np.array([value])).tolist() == [float(f"{value:.9e}")]
    assert rounded(rounded(np.array([value]))).tolist() == rounded(np.array([value])).tolist()


@pytest.mark.parametrize("value", [1 / 300, -1e-7 / 3, 1.23456e-10, 4e-13])
def test_nothing_is_finer_than_twelve_decimals(value: float) -> None:
    assert rounded(np.array([value])).tolist() == [round(value, 12)]


def test_halves_go_up_even_if_a_sum_is_a_little_less() -> None:
    half = 205 / 2048
    near = np.array([half, np.nextafter(half, 0), np.nextafter(half, 1), half * (1 - 1e-15)])
    assert rounded(near).tolist() == [0.1000976563] * 4
    assert rounded(-near).tolist() == [-0.1000976563] * 4
