"""What is remembered of releases that show the same is what would be computed again."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.engine.measures.estimates import populations as module
from paretonym.engine.measures.estimates.populations import populations
from paretonym.engine.measures.estimates.reader_estimates import mean_divergence
from paretonym.engine.measures.estimates.released_regions import regions
from paretonym.research.exams.random_tables import random_table


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [0, 10_000])
def test_losses_are_remembered(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LOSSES", most)
    study = random_table(Random(seed), rows=(12, 40), sensitive=2).study()
    front = study.explore("k", "loss", suppress=0, space="lattice")
    columns = [margin.name for margin in study.cube.sensitive]
    widths = [len(margin.labels) for margin in study.cube.sensitive]
    known = populations(study.cube, 0.05, columns)
    for solution in [*front.solutions, *front.solutions]:
        realized = study.realized(solution.recoding)
        guess = known.estimates(regions(realized, columns))
        ends = [0, widths[0], sum(widths)]
        parts = [mean_divergence(known.truth, guess, ends[n], ends[n + 1]) for n in range(2)]
        assert known.loss(regions(realized, columns), widths) == (parts[0] + parts[1]) / 2
    assert bool(known.losses) == bool(most)


def test_digests_tell_regions_apart() -> None:
    study = random_table(Random(3), rows=(12, 40), sensitive=1).study()
    columns = [study.cube.sensitive[0].name]
    (last, *_, first) = study.explore("k", "loss", suppress=0, space="lattice").solutions
    one, other = (regions(study.realized(each.recoding), columns) for each in (last, first))
    assert one.digest == one._replace(low=one.low.copy()).digest
    changed = one._replace(cells=one.cells + 1)
    assert len({one.digest, other.digest, changed.digest, one._replace(high=one.high + 1).digest}) == 4
