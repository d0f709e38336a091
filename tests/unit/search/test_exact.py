"""Exact search: how many floors are worked out at once changes nothing."""

from __future__ import annotations

import pytest

from paretonym.budget import Limits
from paretonym.search import exact
from paretonym.search.archive import Found
from paretonym.search.exact import search_exact
from paretonym.testing.search_exam import random_problem


def found_with(seed: int, seconds: float | None = None) -> Found:
    return search_exact(random_problem(seed), Limits(threads=1, seconds=seconds))


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("seconds", [None, 0.0])
def test_layers_of_more_nodes_than_are_taken_at_once(
    at_once: int, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a lattice with a layer of more than 131,072 nodes; also where the time is over at once."""
    usual = [found_with(seed, seconds) for seed in range(12)]
    assert exact._AT_ONCE == 131_072
    monkeypatch.setattr(exact, "_AT_ONCE", at_once)
    for seed, one in enumerate(usual):
        other = found_with(seed, seconds)
        assert other.best.values.tolist() == one.best.values.tolist()
        assert other.best.counted.nodes.tolist() == one.best.counted.nodes.tolist()
        assert (other.evaluated, other.complete, other.open) == (one.evaluated, one.complete, one.open)
        assert other.unresolved == one.unresolved
