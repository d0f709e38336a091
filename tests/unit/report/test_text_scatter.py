"""A scatter in characters."""

from __future__ import annotations

import pytest

from paretonym.engine.frontier.dominance import Scale
from paretonym.report.text_scatter import scatter


def test_scale() -> None:
    straight = Scale.of([0, 5, 10])
    assert [straight.place(value) for value in (0, 5, 10)] == [0, 0.5, 1]
    logarithmic = Scale.of([1, 100])
    assert logarithmic.logarithmic
    assert logarithmic.place(10) == pytest.approx(0.5)
    assert Scale.of([3, 3]).place(3) == 0.5


def test_every_point_has_a_dot() -> None:
    """The corners of the plot, and nothing else."""
    text = scatter([0, 1, 0, 1], [0, 1, 1, 0], ("loss", "k"), width=10, height=3)
    lines = text.splitlines()
    dots = sum((ord(character) - 0x2800).bit_count() for character in text if "⠀" < character <= "⣿")
    assert dots == 4
    assert lines[0] == "k"
    assert lines[1].startswith("1 ┤⠁")
    assert lines[3].startswith("0 ┤⡀")
    assert lines[-1].strip() == "loss"


def test_logarithmic_axes_say_so() -> None:
    text = scatter([1, 1000], [0.1, 0.2], ("discernibility", "k"))
    assert text.splitlines()[-1].strip() == "discernibility (logarithmic)"
    assert text.splitlines()[0] == "k"


def test_shares_are_written_in_percent_on_a_linear_scale() -> None:
    """Although the losses span a factor of more than a hundred."""
    text = scatter([0.002, 0.5, 1.0], [1, 20, 800], ("loss", "k"))
    assert text.splitlines()[-1].strip() == "loss"
    assert text.splitlines()[-2].endswith("100.0 %")
    assert text.splitlines()[-2].strip().startswith("0.2 %")
    assert text.splitlines()[0] == "k (logarithmic)"


def test_one_point() -> None:
    assert "loss" in scatter([0.5], [3], ("loss", "k"))
