"""Attacks whose outcome is known beforehand."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pytest

import paretonym
from paretonym.base.errors import InputError
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.evidence.attacks.findings import NOTHING, Attack, AttackSucceeded
from paretonym.study.explored_run import Solution
from paretonym.study.study import Study
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


def certain(found: Attack) -> list[tuple[str, int]]:
    """The attacks that found a certain value of illness, and for how many people."""
    return [(each.attack, each.certain) for each in found.findings if each.column and each.certain]


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
    rows, values = found.findings
    assert rows.sentence("people") == "Linkage: Narrowed for 8 people, to 4 candidate rows or more."
    # The four of zip 1x have a for certain, which five of all eight have.
    assert values.sentence("people") == (
        "Certain values of 'illness': Certain for 4 people: 'a' for 4 (63 % of all rows have it)."
    )
    assert found.conclusion == "Found for certain: the value of 'illness' of 4 people."
    assert not found
    with pytest.raises(AttackSucceeded, match="Found for certain: the value of 'illness' of 4 people"):
        found.check()


def test_what_nearly_everybody_has_is_no_surprise(tmp_path: Path) -> None:
    """A class of which everybody has the value that 95 of 100 have: certain, but not counted as broken."""
    rows = [("10", "f", "none")] * 90 + [("20", "f", value) for value in ["none"] * 5 + list("abcde")]
    study = study_of(rows)
    path = released(tmp_path / "r.csv", study, {"zip": 0, "sex": 0}, 2)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert found.certain("illness") == 90
    assert "'none' for 90 (95 % of all rows have it)" in found.findings[1].sentence("people")
    assert found.conclusion == NOTHING
    assert found
    found.check()


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
        found = paretonym.attack(tmp_path / "r.csv", original=study.table, schema=SCHEMA)
        assert (found.reidentified, found.certain("illness"), bool(found)) == (8, 8, False)


def test_a_row_of_nobody_is_no_release_of_this_table(tmp_path: Path) -> None:
    study = study_of(GRID)
    recoding = LatticeRecoding.of({"zip": 1, "sex": 0}, {"k": ">=2"})
    names, rows = released_rows(study, recoding)
    write_table(tmp_path / "r.csv", names, [("9*", *rows[0][1:]), *rows[1:]])
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(tmp_path / "r.csv", roles, {"k": 2}, recoding.as_json())
    found = paretonym.attack(tmp_path / "r.csv", original=study.table, schema=SCHEMA)
    assert (found.strangers, found.matches, bool(found)) == (1, False, False)
    assert found.conclusion.startswith("The files and the original do not belong together")


def test_a_release_joined_with_itself_reveals_nothing_new(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    once = paretonym.attack(path, original=study.table, schema=SCHEMA)
    twice = paretonym.attack(path, path, path, original=study.table, schema=SCHEMA)
    assert (twice.everywhere, twice.partly, twice.smallest) == (8, 0, 2)
    assert twice.findings == once.findings


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
    assert (found.everywhere, found.smallest, found.reidentified) == (8, 1, 4)
    assert certain(found) == [("certain values", 4), ("composition", 4)]


def test_the_difference_of_two_releases_is_the_suppressed_person(tmp_path: Path) -> None:
    """Left out of the finer file, one of nine in the coarser one: what remains is her row. Nobody else has
    to be found for that, and neither file alone shows it."""
    rows = [(f"{zip_code}", sex, "ab"[i % 2]) for zip_code in (10, 20) for i, sex in enumerate("fmfm")]
    study = study_of([*rows, ("30", "f", "b")])
    fine = released(tmp_path / "fine.csv", study, {"zip": 1, "sex": 1}, 2)
    coarse = released(tmp_path / "coarse.csv", study, {"zip": 2, "sex": 1}, 2)
    for path in (fine, coarse):
        assert paretonym.attack(path, original=study.table, schema=SCHEMA)
    found = paretonym.attack(fine, coarse, schema=SCHEMA, original=study.table)
    assert certain(found) == [("composition", 1)]
    assert found.partly == 1
    assert not found


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
    numbers = []
    for number in (1, 2, 3):
        found = paretonym.attack(*files[:number], original=original, schema=SCHEMA)
        numbers.append(found.certain("illness"))
        assert found.matches
        # Buckets hide values, not people: that all are found by their own zip is no re-identification.
        assert (found.alone, found.people, found.reidentified) == (60, 60, found.reidentified)
    assert 0 == numbers[0] < numbers[1] <= numbers[2]
    assert paretonym.attack(files[0], files[0], original=original, schema=SCHEMA)


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
    assert found.conclusion == NOTHING


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
def test_the_man_is_left_over_when_files_are_subtracted(tmp_path: Path, case: str) -> None:
    paths = []
    for place, rows in enumerate(FILES[case]):
        paths.append(tmp_path / f"{place}.csv")
        write_table(paths[-1], ["zip", "sex", "illness"], sorted(rows))
    study = study_of(PEOPLE)
    found = paretonym.attack(*paths, original=study.table, schema=SCHEMA)
    assert ("composition", 1) in certain(found)


def test_what_an_attack_needs(tmp_path: Path) -> None:
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study, {"zip": 1, "sex": 0}, 2)
    other = {"columns": {**SCHEMA["columns"], "illness": {"role": "drop"}}}
    with pytest.raises(InputError, match="not those that the schema releases: 'illness'"):
        paretonym.attack(path, original=study.table, schema=other)
    with pytest.raises(InputError, match="no release is given"):
        paretonym.attack(original=study.table, schema=SCHEMA)
    write_table(tmp_path / "less.csv", ["zip", "illness"], [("1*", "a")])
    with pytest.raises(InputError, match="columns are missing: 'sex'"):
        paretonym.attack(tmp_path / "less.csv", original=study.table, schema=SCHEMA)
    with pytest.raises(InputError, match="1 manifests are named for 2 releases"):
        paretonym.attack(path, path, original=study.table, schema=SCHEMA, manifest="x.json")


@pytest.mark.parametrize("name", ["=zip", "'=zip", "zip"])
@pytest.mark.parametrize("file", ["r.csv", "r.parquet", "r"])
@pytest.mark.parametrize("local", [False, True])
def test_names_that_a_spreadsheet_would_run(name: str, file: str, local: bool, tmp_path: Path) -> None:
    """A CSV file and its manifest have an apostrophe before them, Parquet files have none."""
    cells = dict(zip((name, "sex", "illness"), map(list, zip(*GRID, strict=True)), strict=True))
    columns = {name: SCHEMA["columns"]["zip"], **SCHEMA["columns"]}
    schema = {"columns": {column: columns[column] for column in cells}}
    study, keep = Study(pyarrow.table(cells), schema), parse_keep({"k": ">=4"})
    nodes = ((name, 1), ("sex", 1)), ((name, 2), ("sex", 1))
    recoding = LocalRecoding(nodes, keep) if local else LatticeRecoding(nodes[0], keep)
    study.publish(Solution("", {}, 0, recoding), tmp_path / file)
    found = paretonym.attack(tmp_path / file, original=study.table, schema=schema)
    assert (found.absent, found.smallest, found.strangers, certain(found)) == (
        0, 4, 0, [("certain values", 4)],
    )  # fmt: skip


def test_what_a_published_rule_says_of_suppressed_people_is_not_tried(tmp_path: Path) -> None:
    """Whoever is suppressed in the first file had k and no two illnesses: eleven diagnoses follow, of which
    no attack here knows, and the verdict says so."""
    pairs = [("11", "HIV")] * 5 + [("12", "flu")] * 6
    pairs += [(place, ill) for place in ("21", "22") for ill in "abcde"]
    rows = pyarrow.table({"zip": [place for place, _ in pairs], "ill": [ill for _, ill in pairs]})
    columns = {"zip": {"role": "quasi", "hierarchy": {"mask": 2}}, "ill": {"role": "sensitive"}}
    study = Study(rows, {"columns": columns})
    recodings = (
        LatticeRecoding.of({"zip": 0}, {"k": ">=5", "l-distinct": ">=2"}),
        LatticeRecoding.of({"zip": 1}, {"k": ">=5"}),
    )
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    for recoding, path in zip(recodings, paths, strict=True):
        study.publish(Solution("", {}, 0, recoding), path, allow_second_release=True)
    both = paretonym.attack(*paths, original=rows, schema={"columns": columns})
    assert (both.succeeded, both.rules) == ((), ("l-distinct>=2",))
    assert "What the published rule (l-distinct>=2) says of suppressed people, other knowledge" in both.tried
    assert paretonym.attack(paths[1], original=rows, schema={"columns": columns}).rules == ()


def test_certain_is_what_is_true(tmp_path: Path) -> None:
    """Secrets drawn anew: what the file seems to prove is wrong for most, and said to be."""
    study = study_of(GRID)
    path = released(tmp_path / "r.csv", study_of([(*row[:2], "b") for row in GRID]), {"zip": 0, "sex": 0}, 1)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    assert (found.certain("illness"), found.findings[1].wrong) == (1, 7)
    assert found.findings[1].sentence("people") == (
        "Certain values of 'illness': Certain for 1 person: 'b' for 1 (100 % of all rows have it). Seems "
        "certain for 7 people and is wrong."
    )
    swapped = [*GRID[::-1][:4], *GRID[:4]]
    rows = [(*row[:2], other[2]) for row, other in zip(GRID, swapped, strict=True)]
    path = released(tmp_path / "s.csv", study_of(rows), {"zip": 0, "sex": 0}, 1)
    found = paretonym.attack(path, original=study.table, schema=SCHEMA)
    true = sum(row == other for row, other in zip(GRID, rows, strict=True))
    assert found.conclusion == (
        f"Found for certain: the released row of 8 people and the value of 'illness' of {true} people (such "
        f"guesses are wrong for {8 - true} people)."
    )


@pytest.mark.parametrize("written", ["{}.0", "{} mg", " {}"])
def test_a_value_is_true_however_it_is_written(written: str, tmp_path: Path) -> None:
    rows = [(f"{place}0", "f", str(place)) for place in range(1, 9)]
    study = study_of(rows)
    names, shown = released_rows(study, LatticeRecoding.of({"zip": 0, "sex": 0}, {"k": ">=1"}))
    place = names.index("illness")
    write_table(
        tmp_path / "r.csv",
        names,
        [(*row[:place], written.format(row[place]), *row[place + 1 :]) for row in shown],
    )
    found = paretonym.attack(tmp_path / "r.csv", original=study.table, schema=SCHEMA)
    assert (found.certain("illness"), found.findings[1].wrong) == (8, 0)


@pytest.mark.parametrize("seed", range(6))
def test_no_number_of_people_is_above_those_of_the_table(seed: int, tmp_path: Path) -> None:
    """Persons with several rows, several values, and rows in several classes; two files."""
    draws = Random(seed)
    schema = {"columns": {**SCHEMA["columns"], "who": {"role": "person"}}}
    rows = [
        (f"{draws.randrange(1, 4)}{draws.randrange(2)}", draws.choice("fm"), draws.choice("abcd"), str(who))
        for who in range(12)
        for _ in range(draws.randrange(1, 5))
    ]
    columns = dict(zip(("zip", "sex", "illness", "who"), map(list, zip(*rows, strict=True)), strict=True))
    study = Study(pyarrow.table(columns), schema)
    files = []
    for name, levels in (("r.csv", {"zip": 0, "sex": 0}), ("s.csv", {"zip": 1, "sex": 0})):
        _, shown = released_rows(study, LatticeRecoding.of(levels, {"k": ">=1"}))
        write_table(tmp_path / name, ["zip", "sex", "illness"], [row[:3] for row in shown])
        files.append(tmp_path / name)
    found = paretonym.attack(*files, original=study.table, schema=schema)
    assert found.people == 12
    for finding in found.findings:
        values = [value.people for value in finding.values]
        numbers = (finding.certain, finding.surprising, finding.narrowed, finding.added, finding.wrong)
        assert max(*numbers, *values, 0) <= 12
    assert found.certain("illness") <= 12
    assert sum(each.surprising for each in found.findings if each.column) <= 12
    assert max(found.everywhere, found.partly, found.absent, found.reidentified) <= 12
