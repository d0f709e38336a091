"""Seeds: whole numbers of a range, refused before a search begins."""

from __future__ import annotations

from typing import Any

import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.base.random_seed import LARGEST_SEED, checked_seed

ROWS = {"age": ["1", "2"] * 4, "ill": list("abababab")}


def test_seeds_of_32_bits() -> None:
    assert checked_seed(LARGEST_SEED) == LARGEST_SEED
    assert checked_seed("0") == 0


@pytest.mark.parametrize("seed", [-1, LARGEST_SEED + 1, 10**20, 1.5, "one", None, 1e300, float("nan"), "-3"])
def test_others_are_refused_with_the_range(seed: Any) -> None:
    with pytest.raises(InputError, match=r"is not a seed; give a whole number from 0 to 4294967295"):
        checked_seed(seed)


@pytest.mark.parametrize("settings", [{"seed": 10**20}, {"settings": {"query-error": {"seed": 1e30}}}])
def test_python_refuses_them_too(settings: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    schema = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": {"role": "sensitive"}}
    }
    with pytest.raises(InputError, match="is not a seed"):
        pn.Study(pa.table(ROWS), schema=schema).explore("k", "loss", **settings)
    with pytest.raises(InputError, match="is not a seed"):
        pn.compare({"one": pa.table(ROWS)}, original=pa.table(ROWS), control=pa.table(ROWS), seed=10**20)
