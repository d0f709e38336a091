"""Ten releases across the frontier of Adult: written, audited beside the original, attacked."""

from __future__ import annotations

from pathlib import Path

import pytest

import paretonym
from paretonym.study.explored_run import Run
from paretonym.study.study import Study

PLACES = (0, 1, 5, 11, 17, 23, 29, 36, 44, 48)


@pytest.fixture(scope="module")
def study() -> Study:
    return paretonym.example("adult")


@pytest.fixture(scope="module")
def front(study: Study) -> Run:
    return study.explore("k", "loss", suppress=0.01, space="lattice")


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_all_is_true(place: int, study: Study, front: Run, tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    front[place].release(path)
    found = paretonym.audit(path, original=study.table, schema=study.schema)
    assert found.failed == ()
    assert found["k"] == front[place]["k"]
    attacked = paretonym.attack(path, original=study.table, schema=study.schema)
    assert attacked.matches
    assert (attacked.reidentified > 0) is (front[place]["k"] == 1)
    assert attacked.absent == front[place].suppressed
    assert attacked.smallest == front[place]["k"]


@pytest.mark.slow
@pytest.mark.parametrize(("places", "known"), [((29, 44), 18), ((43, 45), 37)])
def test_two_releases_of_adult(
    places: tuple[int, int], known: int, study: Study, front: Run, tmp_path: Path
) -> None:
    """The first two nest, and 7 people who are absent from one stand alone in the difference. In the others
    the classes cross. Each file alone leaves everybody at least five rows."""
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for path, place in zip(paths, places, strict=True):
        front[place].release(path, allow_second_release=True)
    found = paretonym.attack(*paths, original=study.table, schema=study.schema)
    assert found.matches
    assert found.certain("occupation") >= known
    assert not found
