"""Ten releases across the frontier of Adult: written, audited beside the original, attacked."""

from __future__ import annotations

from pathlib import Path

import pytest

import paretonym
from paretonym.frontier.frontier import Frontier
from paretonym.study import Study

PLACES = (0, 1, 5, 11, 17, 23, 29, 36, 44, 48)


@pytest.fixture(scope="module")
def study() -> Study:
    return paretonym.example("adult")


@pytest.fixture(scope="module")
def front(study: Study) -> Frontier:
    return study.explore("k", "loss", suppress=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_all_is_true(place: int, study: Study, front: Frontier, tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    front[place].release(path)
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert found.failed == ()
    assert found["k"] == front[place]["k"]
    attacked = paretonym.attack(path, original=study.table, schema=study.schema)
    assert attacked.withstood
    assert attacked.absent == front[place].suppressed
    assert attacked.smallest == front[place]["k"]


@pytest.mark.slow
@pytest.mark.parametrize(("places", "broken"), [((29, 44), False), ((43, 45), True)])
def test_two_releases_of_adult(
    places: tuple[int, int], broken: bool, study: Study, front: Frontier, tmp_path: Path
) -> None:
    """The first two nest: the coarser one adds nothing to the finer. The others do not: k = 7 beside k = 5
    narrows people to fewer than 5."""
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for path, place in zip(paths, places, strict=True):
        front[place].release(path, also=True)
    found = paretonym.attack_pair(*paths, original=study.table, schema=study.schema)
    assert (found.narrowed > 0) is broken
    assert (found.smallest < found.k) is broken
    assert found.shared <= found.smallest
