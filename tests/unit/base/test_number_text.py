"""Numbers as people and files write them."""

from __future__ import annotations

import json
import math

import pytest

from paretonym.base.errors import InputError
from paretonym.base.number_text import number_to_json, parse_fraction


@pytest.mark.parametrize(
    ("value", "written"),
    [(5.0, "5"), (0.25, "0.25"), (math.inf, '"inf"'), (-math.inf, '"-inf"'), (1e300, "1e+300"), (0.0, "0")],
)
def test_numbers(value: float, written: str) -> None:
    assert json.dumps(number_to_json(value), allow_nan=False) == written
    assert float(number_to_json(value)) == value


def test_the_place_is_named() -> None:
    with pytest.raises(InputError, match=r"^at most loss: 'x' is not a number; "):
        parse_fraction("x", "at most loss")
