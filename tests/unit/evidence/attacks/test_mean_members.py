"""Attacks on releases that show means: members are found by sums, guessed by the nearest mean, and what was
not searched for is said."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.evidence.attacks import mean_members
from paretonym.evidence.attacks.findings import NOTHING
from paretonym.evidence.attacks.mean_members import subsets
from paretonym.release import ReleaseLog, publish_release
from paretonym.research.microaggregation.microaggregation_space import MeansRecoding
from tests.unit.audit.test_published_means import forge, set_cells

NAMES = ("age", "wage", "ill")
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "wage": {"role": "quasi", "hierarchy": {"intervals": [1000]}},
        "ill": {"role": "sensitive"},
    },
}
# Only one way to divide these twelve into fours has the means 22, 1088; 42, 5150; 62, 9300.
TWELVE = [
    ("20", "1000", "flu"), ("21", "1100", "gout"), ("22", "1050", "cold"), ("23", "1200", "flu"),
    ("40", "5000", "gout"), ("41", "5300", "flu"), ("42", "5200", "cold"), ("44", "5100", "flu"),
    ("60", "9000", "HIV"), ("61", "9100", "HIV"), ("63", "9400", "HIV"), ("65", "9700", "HIV"),
]  # fmt: skip


def table(rows: Any) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(list(cells), pa.string()) for n, cells in zip(NAMES, columns, strict=True)})


def released(folder: Path, rows: Any, k: int, partition: Any = "mdav") -> Path:
    path = folder / "release.csv"
    recoding = MeansRecoding.of({"k": k}, partition)
    publish_release(pn.Study(table(rows), SCHEMA), recoding, path, force=True, log=ReleaseLog.of_run(None))
    return path


def test_members_are_found_by_their_sums(tmp_path: Path) -> None:
    found = pn.attack(released(tmp_path, TWELVE, 4), original=table(TWELVE), schema=SCHEMA)
    assert not found
    assert found.conclusion == "Found for certain: the value of 'ill' of 4 people."
    assert found.certain("ill") == 4
    assert found.smallest == 4
    assert found.searched == (3, 3)
    assert "searched for by sums for 3 of 3 classes with means." in found.tried


def test_what_was_not_searched_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the nearest means are a guess: here they are right, and the release is broken by them."""
    monkeypatch.setattr(mean_members, "MOST_SUMS", 20)
    path = released(tmp_path, TWELVE, 4)
    found = pn.attack(path, original=table(TWELVE), schema=SCHEMA)
    assert found.searched == (0, 3)
    assert found.certain("ill") == 0
    assert not found
    assert found.conclusion == "Guessed rightly by the nearest means: the value of 'ill' of 4 people."
    different = [(age, wage, "abcd"[number % 4]) for number, (age, wage, _) in enumerate(TWELVE)]
    found = pn.attack(released(tmp_path, different, 4), original=table(different), schema=SCHEMA)
    assert found
    assert NOTHING not in found.conclusion
    assert "was not searched for by sums for 3 of 3 classes" in found.conclusion


def test_a_guess_that_is_mostly_wrong_breaks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file shows the means of the poorest for the ill: the nearest people do not have the value."""
    monkeypatch.setattr(mean_members, "MOST_SUMS", 20)
    path = released(tmp_path, TWELVE, 4)

    def exchange(rows: list[list[str]]) -> None:
        for row in rows:
            row[:2] = {"9300": ("22", "1088"), "1088": ("62", "9300")}.get(row[1], row[:2])

    forge(path, exchange)
    found = pn.attack(path, original=table(TWELVE), schema=SCHEMA)
    guess = found.findings[-1]
    assert (guess.attack, guess.certain, guess.wrong, guess.surprising) == ("nearest means", 0, 4, 0)
    assert "Guessed for 4 people and is wrong" in guess.sentence("people")


def test_means_that_nobody_gives_do_not_belong_to_the_original(tmp_path: Path) -> None:
    path = released(tmp_path, TWELVE, 4)
    forge(path, set_cells("wage", "9999", "9300"))
    found = pn.attack(path, original=table(TWELVE), schema=SCHEMA)
    assert not found.matches
    assert "do not belong together" in found.conclusion


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("partition", ["mdav", "mondrian"])
def test_everything_certain_is_true(tmp_path: Path, seed: int, partition: Any) -> None:
    """The members that sums leave possible are among others the right ones."""
    generator = Random(f"sums {seed}")
    rows = [
        (
            None if seed % 3 == 0 and generator.random() < 0.1 else str(generator.randint(17, 60)),
            str(generator.randint(0, 9) * generator.choice([1, 100])),
            generator.choice("xyz"),
        )
        for _ in range(generator.randint(8, 24))
    ]
    path = released(tmp_path, rows, 2 + seed % 2, partition)
    found = pn.attack(path, original=table(rows), schema=SCHEMA)
    assert found.matches
    assert not [finding for finding in found.findings if finding.wrong and not finding.guessed]


@pytest.mark.parametrize("seed", range(20))
def test_subsets_beside_all_combinations(seed: int) -> None:
    generator = Random(f"subsets {seed}")
    values = np.array([[generator.randint(0, 6), generator.randint(0, 3)] for _ in range(5)], dtype=float)
    counts = np.array([generator.randint(1, 2) for _ in range(5)])
    rows = generator.randint(1, 4)
    low = np.array([generator.randint(0, 12), 0], dtype=float)
    high = np.add(low, (3, 6))
    expanded = [place for place, number in enumerate(counts) for _ in range(number)]
    wanted = {
        chosen
        for chosen in combinations(expanded, rows)
        if (low <= values[list(chosen)].sum(axis=0)).all()
        and (values[list(chosen)].sum(axis=0) <= high).all()
    }
    found = subsets(values, counts, rows, low, high)
    assert found is not None
    assert sorted(map(tuple, np.sort(found, axis=1).tolist())) == sorted(
        {tuple(sorted(one)) for one in wanted}
    )
