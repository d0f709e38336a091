"""Every example in a docstring runs and shows what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import paretonym


def test_the_first_example() -> None:
    """It explores the whole of Adult."""
    assert doctest.testmod(paretonym).failed == 0


def test_examples() -> None:
    names = [info.name for info in pkgutil.walk_packages(paretonym.__path__, "paretonym.")]
    # The compiled kernels look like a module, but are none.
    modules = [importlib.import_module(name) for name in names if not name.endswith("._kernels")]
    assert [module.__name__ for module in modules if doctest.testmod(module).failed] == []
