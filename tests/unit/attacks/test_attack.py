"""Attacks whose outcome is known beforehand."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pytest

import paretonym
from paretonym.attacks.findings import Attack, Rules
from paretonym.errors import InputError
from paretonym.run.study import Study
from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding
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


def outcomes(found: Attack) -> list[str]:
    return [verdict.outcome for verdict in found.verdicts]


def test_everybody_is_linked_with_the_rows_of_their_class(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 1}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.people, found.absent, found.reidentified, found.smallest, found.strangers) == (
        8,
        0,
        0,
        4,
        0,
    )
    (values,) = found.disclosures
    # In all, a is the best guess: 5 of 8. The four of zip 1x have it for certain; of 2x one in four is right.
    assert (values.blind, values.informed, values.known) == (5 / 8, 5 / 8, 4)
    assert (values.gain, values.surest) == (1 - 5 / 8, 1)
    assert outcomes(found) == ["resisted", "broken"]
    assert not found.withstood


def test_those_who_were_left_out_fit_nothing(tmp_path: Path) -> None:
    study = study_of([*GRID, ("30", "f", "d")])
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.people, found.absent, found.smallest) == (9, 1, 2)


def test_what_a_manifest_claims_decides_nothing(tmp_path: Path) -> None:
    """A raw table that claims k = 1 is broken, and so is one that claims k = 9."""
    study = study_of(GRID)
    recoding = LatticeRecoding.of({"zip": 0, "sex": 0}, {"k": ">=1"})
    names, rows = released_rows(study, recoding)
    write_table(tmp_path / "r.csv", names, rows)
    for k in (1, 9):
        roles = {name: study.schema.column(name).role for name in names}
        write_manifest(tmp_path / "r.csv", roles, {"k": k}, recoding.as_json())
        several: list[dict[str, Any]] = [{"original": study.table, "schema": SCHEMA}, {}]
        for options in several:
            found = paretonym.attack(tmp_path / "r.csv", **options)
            assert (found.reidentified, found.disclosures[0].known) == (8, 8)
            assert outcomes(found) == ["broken", "broken"]


def test_a_row_of_nobody_is_no_release_of_this_table(tmp_path: Path) -> None:
    study = study_of(GRID)
    recoding = LatticeRecoding.of({"zip": 1, "sex": 0}, {"k": ">=2"})
    names, rows = released_rows(study, recoding)
    write_table(tmp_path / "r.csv", names, [("9*", *rows[0][1:]), *rows[1:]])
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(tmp_path / "r.csv", roles, {"k": 2}, recoding.as_json())
    found = paretonym.attack(tmp_path / "r.csv", original=study.table, schema=SCHEMA)
    assert (found.strangers, found.matches, found.withstood) == (1, False, False)
    assert "resisted" not in outcomes(found)


def test_a_release_joined_with_itself_reveals_nothing_new(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    once = paretonym.attack(path, original=study.table, schema=SCHEMA)
    twice = paretonym.attack(path, path, path, original=study.table, schema=SCHEMA)
    assert (twice.everywhere, twice.partly, twice.smallest, twice.shared) == (8, 0, 2, 2)
    assert twice.disclosures[0].pinned == 0
    assert [each.known for each in twice.disclosures] == [each.known for each in once.disclosures]


def test_two_harmless_releases_that_give_people_away_together(tmp_path: Path) -> None:
    """By zip everybody is one of 2, by sex one of 4. Women: a, a, a, c. Men: a, a, b, d. Zip 21 (c, d): c is
    hers, d his; zip 20 (a, b): b is his, for no other man has it, so a is hers."""
    study = study_of(GRID)
    by_zip = released(tmp_path / "z.csv", study, {"zip": 0, "sex": 1}, 2)
    by_sex = released(tmp_path / "s.csv", study, {"zip": 2, "sex": 0}, 4)
    for path in (by_zip, by_sex):
        assert paretonym.audit(path).passed
        assert paretonym.attack(path, original=study.table, schema=SCHEMA).reidentified == 0
    found = paretonym.attack(by_zip, by_sex, original=study.table, schema=SCHEMA)
    assert (found.everywhere, found.shared, found.smallest, found.reidentified) == (8, 1, 1, 4)
    assert (found.disclosures[0].known, found.disclosures[0].pinned) == (8, 4)


def test_the_difference_of_two_releases_is_the_suppressed_person(tmp_path: Path) -> None:
    """Left out of the finer file, one of nine in the coarser one: what remains is her row. Nobody else has
    to be found for that, and neither file alone shows it; somebody without the original can subtract too."""
    rows = [(f"{zip_code}", sex, "ab"[i % 2]) for zip_code in (10, 20) for i, sex in enumerate("fmfm")]
    study = study_of([*rows, ("30", "f", "b")])
    fine = released(tmp_path / "fine.csv", study, {"zip": 1, "sex": 1}, 2)
    coarse = released(tmp_path / "coarse.csv", study, {"zip": 2, "sex": 1}, 2)
    for path in (fine, coarse):
        assert paretonym.attack(path, original=study.table, schema=SCHEMA).withstood
    for original in (study.table, None):
        found = paretonym.attack(fine, coarse, schema=SCHEMA, original=original)
        assert (found.reidentified, found.disclosures[0].known, found.disclosures[0].pinned) == (1, 1, 1)
        assert outcomes(found) == ["broken", "broken"]
    assert found.matchings[0].difference == (0, 1)


def test_two_releases_of_buckets_drawn_apart(tmp_path: Path) -> None:
    """Anatomy's buckets intersected: the more files, the more is known; a file twice shows nothing new."""
    generator = Random(9)
    values = ("flu", "cold", "asthma", "cancer", "none", "ulcer")
    rows = [(f"{i:02d}", "f", generator.choice(values)) for i in range(60)]
    original = pyarrow.table(dict(zip(SCHEMA["columns"], map(list, zip(*rows, strict=True)), strict=True)))
    # Two draws for one table: here the order of rows decides which of a value's rows go where.
    files = []
    for place in range(3):
        files.append(tmp_path / f"{place}.csv")
        write_buckets(files[-1], generator.sample(rows, len(rows)))
    known = []
    for number in (1, 2, 3):
        for options in ({"original": original, "schema": SCHEMA}, {}):
            found = paretonym.attack(*files[:number], **options)
            known.append(found.disclosures[0].known)
            assert found.matches
            # Buckets hide values, not people: that all are found by their own zip is no re-identification.
            assert found.alone == found.people == 60
    assert known[0] == known[1] == 0
    assert 0 < known[2] == known[3] <= known[4] == known[5]
    assert paretonym.attack(files[0], files[0], original=original, schema=SCHEMA).withstood


def write_buckets(path: Path, rows: list[tuple[str, str, str]]) -> None:
    """Buckets of three different values, as they come."""
    buckets: list[list[tuple[str, str, str]]] = []
    for row in rows:
        free = [b for b in buckets if len(b) < 3 and row[2] not in [other[2] for other in b]]
        if not free:
            buckets.append([])
        (free or buckets[-1:])[0].append(row)
    mixed = [(*row[:2], row[2], str(n)) for n, bucket in enumerate(buckets) for row in bucket]
    write_table(path, ["zip", "sex", "illness", "bucket"], mixed)
    roles = {"zip": "quasi", "sex": "quasi", "illness": "sensitive", "bucket": "bucket"}
    write_manifest(path, roles, {"k": 1}, {"buckets": "anatomy", "column": "bucket"})


def test_a_value_that_is_likely_counts_above_the_given_share(tmp_path: Path) -> None:
    """Eleven of twelve have one value: above 90 %, not above 95 %."""
    study = study_of([("10", "f", "a")] * 11 + [("10", "f", "b")])
    path = released(tmp_path / "r.csv", study, {"zip": 0, "sex": 0}, 2)
    for certain, likely in ((0.9, 12), (0.95, 0)):
        found = paretonym.attack(path, rules=Rules(certain=certain))
        assert (found.disclosures[0].known, found.disclosures[0].likely) == (0, likely)
        assert found.withstood is (likely == 0)


def test_a_value_missing_has_a_label_of_its_own(tmp_path: Path) -> None:
    rows: list[Any] = [*GRID, (None, "f", "d"), (None, "f", "a")]
    columns = dict(zip(("zip", "sex", "illness"), map(list, zip(*rows, strict=True)), strict=True))
    schema = {"missing": "value", **SCHEMA}
    study = Study(pyarrow.table(columns), schema)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    found = paretonym.attack(path, original=study.table, schema=schema)
    assert (found.absent, found.smallest, found.matches) == (0, 2, True)


def test_a_sample_leaves_more_open_than_its_classes_show(tmp_path: Path) -> None:
    """A file of another program with one of three people who look alike: none is known to be in it."""
    study = study_of([("10", "f", "a"), ("10", "f", "b"), ("10", "f", "c"), ("20", "m", "a")])
    write_table(tmp_path / "r.csv", ["zip", "sex", "illness"], [("1*", "f", "a")])
    found = paretonym.attack(tmp_path / "r.csv", original=study.table, schema=SCHEMA)
    assert outcomes(found) == ["resisted", "resisted"]
    # By itself the file shows one row with these quasi-identifiers.
    assert outcomes(paretonym.attack(tmp_path / "r.csv", schema=SCHEMA)) == ["broken", "broken"]


PEOPLE = [("10", "f", "a"), ("11", "f", "b"), ("20", "f", "c"), ("21", "f", "a"), ("10", "m", "c")]
FILES: dict[str, list[list[tuple[str, str, str]]]] = {
    # All, less those of zip 1x who are women, less those of zip 2x: the man is left.
    "three files": [
        [("**", "*", illness) for _, _, illness in PEOPLE],
        [("1*", "f", illness) for zip_code, sex, illness in PEOPLE if (zip_code[0], sex) == ("1", "f")],
        [("2*", "f", illness) for zip_code, _, illness in PEOPLE if zip_code[0] == "2"],
    ],
    # Both zips less all women; no class lies inside another.
    "crosswise": [
        [(f"{zip_code[0]}*", "*", illness) for zip_code, _, illness in PEOPLE],
        [("**", "f", illness) for _, sex, illness in PEOPLE if sex == "f"],
    ],
}


@pytest.mark.parametrize("case", FILES)
def test_a_difference_that_is_not_looked_for_is_not_resisted(tmp_path: Path, case: str) -> None:
    """The man is left over when files are subtracted. The original shows it; nobody says that without the
    original it could not be seen."""
    paths = []
    for place, rows in enumerate(FILES[case]):
        paths.append(tmp_path / f"{place}.csv")
        write_table(paths[-1], ["zip", "sex", "illness"], sorted(rows))
    study = study_of(PEOPLE)
    assert outcomes(paretonym.attack(*paths, original=study.table, schema=SCHEMA)) == ["broken", "broken"]
    found = paretonym.attack(*paths, schema=SCHEMA)
    assert outcomes(found) == ["undecided", "undecided"]
    assert found.undecided == len(PEOPLE)


def test_what_an_attack_needs(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    other = {"columns": {**SCHEMA["columns"], "illness": {"role": "drop"}}}
    with pytest.raises(InputError, match="not those that the schema releases: 'illness'"):
        paretonym.attack(path, original=study.table, schema=other)
    with pytest.raises(InputError, match="which labels of two releases overlap"):
        paretonym.attack(path, path)
    write_table(tmp_path / "less.csv", ["zip", "illness"], [("1*", "a")])
    with pytest.raises(InputError, match="not those that the schema releases: 'sex'"):
        paretonym.attack(tmp_path / "less.csv", original=study.table, schema=SCHEMA)
    (tmp_path / "r.csv.manifest.json").unlink()
    with pytest.raises(InputError, match=r"manifest\.json beside it, and no schema is given"):
        paretonym.attack(path)


def test_estimates_stand_beside_what_is_reached_without_them(tmp_path: Path) -> None:
    """Each says what it assumes, whose attack it is, and its baseline; none decides a verdict."""
    rows = [
        (zip_code, sex, "a" if sex == "f" else "b") for zip_code in ("10", "11", "20", "21") for sex in "fm"
    ]
    study = study_of([*rows, *rows[:4], ("10", "f", "c"), ("20", "m", "c"), *[("10", "f", "a")] * 2])
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 1}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert {each.name for each in found.estimates} == {"partial knowledge", "deFinetti"}
    assert all(each.assumption and each.reference for each in found.estimates)
    learned = next(each for each in found.estimates if each.name == "deFinetti")
    assert learned.value >= learned.baseline
    excluded = [each for each in found.estimates if "can exclude" in each.what]
    # Three values in either class: whoever can exclude two knows the third.
    assert [each.value for each in excluded] == [0, found.people]
    assert outcomes(found) == ["resisted", "resisted"]


def test_minimality_by_hand(tmp_path: Path) -> None:
    """Of six people two have HIV, and at most half of a class may have one value. By sex alone there are two
    women and four men: only if both women have HIV does the finer release fail. So they do."""
    study = study_of([("10", "f", "HIV")] * 2 + [("10", "m", value) for value in "wxyz"])
    path = tmp_path / "r.csv"
    write_release(path, study, LatticeRecoding.of({"zip": 0, "sex": 1}, {"l": ">=2"}))
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert outcomes(found) == ["resisted", "resisted"]
    (guess,) = [each for each in found.estimates if each.name == "minimality"]
    assert (guess.value, guess.baseline) == (2, 0)


def test_rules_are_given_as_python_gives_them() -> None:
    assert Rules.of({"rows": 3, "certain": "80%"}) == Rules(3, 0.8)
    assert Rules.of(None) == Rules()
    with pytest.raises(InputError, match="unknown rule 'certian'; use, for example"):
        Rules.of({"certian": "80%"})
    with pytest.raises(InputError, match="certain: it is 8; give a share above 0, up to 100%"):
        Rules.of({"certain": "800%"})
