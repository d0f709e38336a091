"""Every example in a docstring runs and shows what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import paretonym

# Explores the whole of Adult.
SLOW = ("paretonym",)


def modules() -> list[str]:
    found = [info.name for info in pkgutil.walk_packages(paretonym.__path__, "paretonym.")]
    # The compiled kernels look like a module, but are none.
    return ["paretonym", *sorted(name for name in found if not name.endswith("._kernels"))]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in modules()]
)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
