"""Attacks whose outcome is known beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

import paretonym
from paretonym.errors import InputError
from paretonym.recoding.recoding import LatticeRecoding
from paretonym.study import Study
from tests.naive.releases import released_rows, write_manifest, write_release, write_table

SCHEMA: dict[str, Any] = {
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": 2}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}


def study_of(rows: list[tuple[str, str, str]]) -> Study:
    columns = dict(zip(("zip", "sex", "illness"), map(list, zip(*rows, strict=True)), strict=True))
    return Study(pyarrow.table(columns), SCHEMA)


# Each zip has one man and one woman; zips 1x are ill alike.
GRID = [
    (zip_code, sex, "a" if zip_code[0] == "1" else illness)
    for zip_code, pair in (("10", "aa"), ("11", "aa"), ("20", "ab"), ("21", "cd"))
    for sex, illness in zip("fm", pair, strict=True)
]


def released(path: Path, study: Study, levels: dict[str, int], k: int) -> Path:
    write_release(path, study, LatticeRecoding.of(levels, {"k": f">={k}"}))
    return path


def test_everybody_is_linked_with_at_least_k_rows(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 1}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert found.withstood
    assert (found.people, found.absent, found.narrowed, found.smallest, found.strangers) == (8, 0, 0, 4, 0)
    (guess,) = found.guesses
    # In all, a is the best guess: 5 of 8. The four of zip 1x have it for certain; of 2x one in four is right.
    assert guess.blind == 5 / 8
    assert guess.informed == 5 / 8
    assert guess.homogeneous == 4
    assert guess.gain == 1 - 5 / 8
    assert guess.surest == 1


def test_those_who_were_left_out_fit_nothing(tmp_path: Path) -> None:
    study = study_of([*GRID, ("30", "f", "d")])
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.people, found.absent, found.smallest) == (9, 1, 2)
    assert found.withstood


def test_a_release_that_is_not_what_it_claims_is_broken(tmp_path: Path) -> None:
    """A row more specific than the manifest says, a row of nobody, a k that is not reached."""
    study = study_of(GRID)
    recoding = LatticeRecoding.of({"zip": 1, "sex": 0}, {"k": ">=2"})
    path = tmp_path / "r.csv"
    names, rows = released_rows(study, recoding)
    roles = {name: study.schema.column(name).role for name in names}
    write_table(path, names, rows)
    write_manifest(path, roles, {"k": 3}, recoding.as_json())
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.narrowed, found.smallest, found.withstood) == (8, 2, False)
    write_table(path, names, [("9*", *rows[0][1:]), *rows[1:]])
    write_manifest(path, roles, {"k": 2}, recoding.as_json())
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.narrowed, found.strangers, found.withstood) == (2, 1, False)


def test_a_release_joined_with_itself_reveals_nothing_new(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    found = paretonym.attack_pair(path, path, original=study.table, schema=SCHEMA)
    assert found.withstood
    assert (found.both, found.one, found.smallest, found.shared) == (8, 0, 2, 2)
    assert found.pinnings[0].pinned == 0


def test_two_harmless_releases_that_give_people_away_together(tmp_path: Path) -> None:
    """By zip everybody is one of 2, by sex one of 4; together everybody is alone, and three illnesses are
    certain that neither file tells."""
    study = study_of(GRID)
    by_zip = released(tmp_path / "z.csv", study, {"zip": 0, "sex": 1}, 2)
    by_sex = released(tmp_path / "s.csv", study, {"zip": 2, "sex": 0}, 4)
    for path in (by_zip, by_sex):
        assert paretonym.audit(path).passed
        assert paretonym.attack(path, original=study.table, schema=SCHEMA).withstood
    found = paretonym.attack_pair(by_zip, by_sex, original=study.table, schema=SCHEMA)
    assert not found.withstood
    assert (found.k, found.both, found.shared, found.smallest) == (2, 8, 1, 1)
    # Women: a, a, a, c. Men: a, a, b, d. Zip 20 (a, b): for the woman a is left, for the man a and b. Zip 21
    # (c, d): c for her, d for him. Zips 10 and 11 (a, a): two rows are left for each.
    assert found.narrowed == 3
    assert found.pinnings[0].pinned == 3


def test_people_in_one_file_only_are_counted(tmp_path: Path) -> None:
    study = study_of([*GRID, ("30", "f", "d")])
    first = released(tmp_path / "a.csv", study, {"zip": 1, "sex": 1}, 2)
    second = released(tmp_path / "b.csv", study, {"zip": 2, "sex": 1}, 2)
    found = paretonym.attack_pair(first, second, original=study.table, schema=SCHEMA)
    assert (found.both, found.one) == (8, 1)


def test_a_value_missing_has_a_label_of_its_own(tmp_path: Path) -> None:
    rows: list[Any] = [*GRID, (None, "f", "d"), (None, "f", "a")]
    columns = dict(zip(("zip", "sex", "illness"), map(list, zip(*rows, strict=True)), strict=True))
    schema = {"missing": "value", **SCHEMA}
    study = Study(pyarrow.table(columns), schema)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    found = paretonym.attack(path, original=study.table, schema=schema)
    assert (found.absent, found.smallest, found.withstood) == (0, 2, True)


def test_what_an_attack_needs_to_be_told(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    other = {"columns": {**SCHEMA["columns"], "illness": {"role": "drop"}}}
    with pytest.raises(InputError, match="not those that the schema releases: illness"):
        paretonym.attack(path, original=study.table, schema=other)
    (tmp_path / "r.csv.manifest.json").unlink()
    with pytest.raises(InputError, match=r"manifest\.json beside it"):
        paretonym.attack(path, original=study.table, schema=SCHEMA)
