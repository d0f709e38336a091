"""What was changed in a release is found and named, though file and manifest were made to agree again."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym
from tests.naive.tampering import (
    BUCKETS,
    ORIGINAL,
    SCHEMA,
    SPACES,
    Change,
    Release,
    beside,
    bucket_files,
    digest,
    forge,
    make_releases,
    sign,
    taken_apart,
    verdict,
    write,
)

KINDS = ("csv", "parquet")


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_releases(tmp_path_factory.mktemp("releases"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", [*SPACES, *BUCKETS])
def test_a_release_as_it_is(releases: Path, space: str, kind: str) -> None:
    found = paretonym.audit(releases / f"{space}.{kind}", original=ORIGINAL, schema=SCHEMA)
    assert found.failed == ()
    assert found.warnings == ()


def set_cell(name: str, text: str) -> Change:
    def change(release: Release) -> None:
        row = list(release.rows[0])
        row[release.column(name)] = text
        release.rows[0] = tuple(row)

    return change


def without_a_row(release: Release) -> None:
    release.rows.pop()


def without_a_class(release: Release) -> None:
    """One whose labels others have too: what no label of a release of cuts holds cannot be judged."""
    looks = {release.look(row) for row in release.rows}
    gone = next(
        look
        for look in sorted(looks)
        if all(any(other[j] == label for other in looks - {look}) for j, label in enumerate(look))
    )
    release.rows = [row for row in release.rows if release.look(row) != gone]


def without_half_of_the_classes(release: Release) -> None:
    looks = sorted({release.look(row) for row in release.rows})
    release.rows = [row for row in release.rows if release.look(row) in looks[1::2]]
    release.manifest["recoding"]["keep"] = {}
    if "labels" in release.manifest["recoding"]:
        for name in release.manifest["recoding"]["labels"]:
            cells = {row[release.column(name)] for row in release.rows}
            release.manifest["recoding"]["labels"][name] = sorted(cells)


def swap_values(release: Release) -> None:
    """Two people of different classes change their diagnoses."""
    place, first = release.column("diag"), release.rows[0]
    for number, row in enumerate(release.rows):
        if release.look(row) != release.look(first) and row[place] != first[place]:
            release.rows[0] = (*first[:place], row[place], *first[place + 1 :])
            release.rows[number] = (*row[:place], first[place], *row[place + 1 :])
            return


def manifest(change: Callable[[dict[str, Any]], Any]) -> Change:
    return lambda release: (change(release.manifest), None)[1]


def drop(*path: str) -> Callable[[dict[str, Any]], Any]:
    def change(document: dict[str, Any]) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


def put(value: Any, *path: str) -> Callable[[dict[str, Any]], Any]:
    def change(document: dict[str, Any]) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


# What is done, and what the audit names.
CELLS: dict[str, tuple[Change, str]] = {
    "another diagnosis": (set_cell("diag", "Kuru"), "rows not from the original"),
    "an exact age": (set_cell("age", "23"), "rows"),
    "a trailing blank": (set_cell("diag", "flu "), "rows not from the original"),
    "a zero-width mark": (set_cell("diag", "flu\u200b"), "rows not from the original"),
    "a number spelled otherwise": (set_cell("visits", "01"), "rows not from the original"),
    "an empty cell": (set_cell("diag", ""), "rows not from the original"),
    "two diagnoses swapped": (swap_values, "rows not from the original"),
    "a row twice": (lambda release: release.rows.append(release.rows[0]), "rows not from the original"),
    "a row removed": (without_a_row, "rows missing"),
    "half of the classes removed, nothing kept": (
        without_half_of_the_classes,
        "rows of the original missing",
    ),
    "keep emptied": (manifest(put({}, "recoding", "keep")), "rows of the original missing"),
    "another role": (manifest(put("other", "roles", "zip")), "roles"),
    "no claim k": (manifest(drop("claims", "k")), "k"),
    "only claim k": (
        lambda release: release.manifest.update(claims={"k": release.manifest["claims"]["k"]}),
        "l-distinct",
    ),
    "no statements": (manifest(put({}, "statements")), "loss"),
    "a distance stated": (manifest(put(0.25, "statements", "t")), "t"),
    "a note": (manifest(put("P017 has Kuru", "note")), "manifest"),
    "a note in the output": (manifest(put("P017 has Kuru", "output", "by")), "manifest"),
    "a note among the files": (
        manifest(put({"P017 has Kuru": "0" * 64}, "output", "files")),
        "sha256 of P017 has Kuru",
    ),
    "a note in the recoding": (manifest(put("P017 has Kuru", "recoding", "by")), "manifest"),
    "another version": (manifest(put("P017 has Kuru", "version")), "manifest"),
    "a rule about the input": (manifest(put("<=0.3", "recoding", "keep", "t")), "manifest"),
    "a rule that nobody can read": (manifest(put("P017", "recoding", "keep", "k")), "manifest"),
    "an unknown claim": (manifest(put(1, "claims", "gdpr")), "gdpr"),
    "k higher": (manifest(put(99, "claims", "k")), "k"),
}
# Of Mondrian's parts nothing is kept by a rule. Sets of local recoding overlap, so that a removed row looks
# like a suppressed one.
OPEN = (("keep emptied", "mondrian"), ("a row removed", "local"))
CHANGES = [(n, s) for n in CELLS for s in SPACES if (n, s) not in OPEN]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "space"), CHANGES)
def test_cells_and_manifests(releases: Path, tmp_path: Path, name: str, space: str, kind: str) -> None:
    change, named = CELLS[name]
    release = taken_apart(releases / f"{space}.csv")
    change(release)
    path = tmp_path / f"x.{kind}"
    write(release, path)
    if name not in ("k higher",):
        forge(path, release.manifest)
    found = verdict(path)
    assert found, f"{name} passes"
    assert any(named in check for check in found) or "refused" in found or "rows of the original" in found


@pytest.mark.parametrize("space", SPACES)
def test_a_whole_class_removed(releases: Path, tmp_path: Path, space: str) -> None:
    release = taken_apart(releases / f"{space}.csv")
    without_a_class(release)
    write(release, tmp_path / "x.csv")
    forge(tmp_path / "x.csv", release.manifest)
    if space in ("cuts", "local"):
        # Values that nobody has who stays may have been in groups of their own.
        found = paretonym.audit(tmp_path / "x.csv", original=ORIGINAL, schema=SCHEMA)
        assert "suppressed rows of unknown classes" in [check.name for check in found.undecided]
        return
    expected = "rows of the original missing" if space == "mondrian" else "classes kept against the rule"
    assert expected in verdict(tmp_path / "x.csv")


def test_a_row_removed_from_a_local_release_is_not_decided(releases: Path, tmp_path: Path) -> None:
    release, path = taken_apart(releases / "local.csv"), tmp_path / "x.csv"
    without_a_row(release)
    write(release, path)
    forge(path, release.manifest)
    undecided = paretonym.audit(path, original=ORIGINAL, schema=SCHEMA).undecided
    assert "suppressed rows of unknown classes" in [check.name for check in undecided]


@pytest.mark.parametrize("rule", [{"further": "closeness"}, {"keep": {"k": ">=6"}}, {"keep": {"l": ">=1"}}])
def test_parts_have_no_rule_that_could_excuse_a_missing_one(
    releases: Path, tmp_path: Path, rule: dict[str, Any]
) -> None:
    """A class is removed, and a rule is made up that it misses: parts all stay."""
    release = taken_apart(releases / "mondrian.csv")
    sizes = Counter(map(release.look, release.rows))
    release.rows = [row for row in release.rows if sizes[release.look(row)] > min(sizes.values())]
    release.manifest["recoding"] |= rule
    for name, labels in release.manifest["recoding"]["labels"].items():
        labels[:] = sorted({row[release.column(name)] for row in release.rows})
    write(release, tmp_path / "x.csv")
    forge(tmp_path / "x.csv", release.manifest)
    assert "all parts stay" in verdict(tmp_path / "x.csv")["manifest"]


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
def test_labels_in_another_order(releases: Path, tmp_path: Path, space: str) -> None:
    release = taken_apart(releases / f"{space}.csv")
    release.manifest["recoding"]["labels"]["age"].reverse()
    write(release, tmp_path / "x.csv")
    assert verdict(tmp_path / "x.csv") == {"labels": "the listed labels are not those of the file: 'age'"}


@pytest.mark.parametrize("space", SPACES)
def test_columns_in_another_order(releases: Path, tmp_path: Path, space: str) -> None:
    """In file and manifest alike, rows sorted by them as they stand now."""
    release = taken_apart(releases / f"{space}.csv")
    release.names.reverse()
    release.rows = [row[::-1] for row in release.rows]
    release.manifest["roles"] = dict(reversed(release.manifest["roles"].items()))
    write(release, tmp_path / "x.csv")
    why = "the columns are not in the order of the original"
    assert verdict(tmp_path / "x.csv") == {"order of the columns": why}


def test_statements_with_more_digits(releases: Path, tmp_path: Path) -> None:
    """Within what rounding allows: the digits themselves are too many."""
    release = taken_apart(releases / "lattice.csv")
    stated = release.manifest["statements"]
    right = round(stated["gl"] + 0.0001, 4), round(stated["loss"] + 0.0001, 4)
    stated["gl"], stated["loss"] = right
    write(release, tmp_path / "x.csv")
    assert "more than 3 decimals" in verdict(tmp_path / "x.csv")["gl"]


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
@pytest.mark.parametrize("labels", [["93 (Kuru, P017)"], None])
def test_labels_that_the_file_does_not_have(
    releases: Path, tmp_path: Path, space: str, labels: list[str] | None
) -> None:
    release = taken_apart(releases / f"{space}.csv")
    own = release.manifest["recoding"]["labels"]
    own["age"] = [] if labels is None else own["age"] + labels
    write(release, tmp_path / "x.csv")
    assert verdict(tmp_path / "x.csv") == {"labels": "the listed labels are not those of the file: 'age'"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", SPACES)
def test_rows_in_the_order_of_the_input(releases: Path, tmp_path: Path, space: str, kind: str) -> None:
    release = taken_apart(releases / f"{space}.csv")
    release.rows = release.rows[7:] + release.rows[:7]
    write(release, tmp_path / f"x.{kind}", sort=False)
    found = verdict(tmp_path / f"x.{kind}")
    assert found["rows sorted"].startswith("rows are not sorted by all columns")


def in_metadata(table: pa.Table, path: Path) -> None:
    parquet.write_table(table.replace_schema_metadata({"x": ORIGINAL.read_text()}), path)


def in_a_field(table: pa.Table, path: Path) -> None:
    fields = [field.with_metadata({"who": "P017=Kuru"}) for field in table.schema]
    parquet.write_table(table.cast(pa.schema(fields)), path)


def in_a_dictionary(table: pa.Table, path: Path) -> None:
    place = table.column_names.index("diag")
    cells = table.column("diag").combine_chunks()
    values = cells.unique().to_pylist()
    codes = pa.array([values.index(cell) for cell in cells.to_pylist()], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array([*values, "P017-Kuru"]))
    parquet.write_table(table.set_column(place, "diag", column), path, store_schema=False)


HIDDEN = (in_metadata, in_a_field, in_a_dictionary)


@pytest.mark.parametrize("hide", HIDDEN, ids=lambda hide: hide.__name__)
def test_bytes_of_a_parquet_file(
    releases: Path, tmp_path: Path, hide: Callable[[pa.Table, Path], None]
) -> None:
    release, path = taken_apart(releases / "lattice.csv"), tmp_path / "x.parquet"
    hide(parquet.read_table(releases / "lattice.parquet"), path)
    sign(path, release.manifest)
    found = verdict(path)
    assert "nothing beside the cells" in found


@pytest.mark.parametrize("space", ["lattice", "local", "cuts"])
def test_suppressed_rows_without_a_rule(releases: Path, tmp_path: Path, space: str) -> None:
    """The manifest alone contradicts itself."""
    release = taken_apart(releases / f"{space}.csv")
    release.manifest["recoding"]["keep"] = {}
    write(release, tmp_path / "x.csv")
    failed = {check.name: check.why for check in paretonym.audit(tmp_path / "x.csv").failed}
    assert failed == {"manifest": "it states suppressed rows, but no condition that classes had to meet"}


@pytest.mark.parametrize("places", [1, 2])
def test_a_key_that_occurs_twice(releases: Path, tmp_path: Path, places: int) -> None:
    path = tmp_path / "x.csv"
    shutil.copy(releases / "lattice.csv", path)
    text = beside(releases / "lattice.csv").read_text()
    once = '"claims": {' if places == 1 else '"k": '
    other = '"claims": {"k": 50},\n "claims": {' if places == 1 else '"k": 50, "k": '
    beside(path).write_text(text.replace(once, other, 1))
    assert verdict(path)["manifest"] == f"the key '{'claims' if places == 1 else 'k'}' occurs twice"


def write_buckets(
    releases: Path, space: str, rows: list[tuple[str, ...]], path: Path, sort: bool = True
) -> None:
    """A mixed table with other cells beside its two others."""
    release = taken_apart(releases / f"{space}.csv")
    for source, target in zip(bucket_files(releases / f"{space}.csv"), bucket_files(path), strict=True):
        shutil.copy(source, target)
    release.rows = rows
    write(release, path, sort)
    document = release.manifest
    document["output"]["files"] = {each.name: digest(each) for each in bucket_files(path)}
    sign(path, document)


@pytest.mark.parametrize("space", BUCKETS)
def test_buckets_that_were_not_mixed(releases: Path, tmp_path: Path, space: str) -> None:
    """Everybody beside their own diagnosis: every other check holds."""
    release = taken_apart(releases / f"{space}.csv")
    with ORIGINAL.open(newline="") as file:
        people = [row for row in csv.DictReader(file) if row["diag"]]
    own = defaultdict(list)
    looks = [name for name in release.names if name not in ("diag", "bucket")]
    for person in people:
        own[tuple(person[name] for name in looks)].append(person["diag"])
    rows, place = [], release.column("diag")
    for row in release.rows:
        look = tuple(row[release.column(name)] for name in looks)
        rows.append((*row[:place], own[look].pop(), *row[place + 1 :]))
    path = tmp_path / f"{space}.csv"
    write_buckets(releases, space, rows, path)
    found = verdict(path)
    assert "they were not shuffled" in found["people beside their own value"]


@pytest.mark.parametrize("space", BUCKETS)
def test_buckets_in_another_order(releases: Path, tmp_path: Path, space: str) -> None:
    release = taken_apart(releases / f"{space}.csv")
    path = tmp_path / f"{space}.csv"
    write_buckets(releases, space, release.rows[3:] + release.rows[:3], path, sort=False)
    assert f"rows sorted of {path.name}" in verdict(path)


@pytest.mark.parametrize("space", BUCKETS)
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (put("magic", "recoding", "buckets"), "manifest"),
        (put("P017", "recoding", "keep"), "manifest"),
        (put({"k": 1}, "claims"), "l-distinct"),
        (put(1000, "statements", "k-map"), "k-map"),
        (put(1000, "statements", "k-household"), "k-household"),
        (put({"beside": 10**6, "k": 1000}, "applied"), "manifest"),
        (put({"unit": "household"}, "suppress"), "manifest"),
        (put({"weights": True, "assumes": ["P017"], "values": {"P017": 1}}, "estimates"), "manifest"),
        (put("0" * 64, "output", "files", "P017"), "files"),
    ],
    ids=["way", "keep", "claims", "k-map", "k-household", "applied", "suppress", "estimates", "files"],
)
def test_manifests_of_buckets(
    releases: Path, tmp_path: Path, space: str, change: Callable[[dict[str, Any]], Any], named: str
) -> None:
    path = tmp_path / f"{space}.csv"
    for source in bucket_files(releases / f"{space}.csv"):
        shutil.copy(source, tmp_path)
    document = json.loads(beside(releases / f"{space}.csv").read_text())
    change(document)
    sign(path, document)
    assert named in verdict(path)


@pytest.mark.parametrize("space", BUCKETS)
def test_the_digest_of_buckets(releases: Path, tmp_path: Path, space: str) -> None:
    for source in (*bucket_files(releases / f"{space}.csv"), beside(releases / f"{space}.csv")):
        shutil.copy(source, tmp_path)
    path = tmp_path / f"{space}.csv"
    assert verdict(path) == {}
    document = json.loads(beside(path).read_text())
    document["output"]["sha256"] = "0" * 64
    beside(path).write_text(json.dumps(document))
    assert verdict(path) == {"sha256": "the manifest was written for another file"}


def test_columns_of_the_tables_of_buckets(releases: Path, tmp_path: Path) -> None:
    """The table without sensitive values is the mixed one."""
    for source in (*bucket_files(releases / "anatomy.csv"), beside(releases / "anatomy.csv")):
        shutil.copy(source, tmp_path)
    path = tmp_path / "anatomy.csv"
    shutil.copy(path, tmp_path / "anatomy.qit.csv")
    document = json.loads(beside(path).read_text())
    document["output"]["files"]["anatomy.qit.csv"] = digest(path)
    beside(path).write_text(json.dumps(document))
    assert list(verdict(path)) == ["columns of anatomy.qit.csv"]
