"""A release as a table of a database: whole or not at all, sorted, beside whatever else is there; and an
audit of it that sees whatever is changed."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import paretonym
from paretonym.errors import InputError
from paretonym.release import release_files
from paretonym.release.database_writer import ReleaseTable

KINDS = ("duckdb", "sqlite")
in_both = pytest.mark.parametrize("kind", KINDS)
ROWS = 24
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 40]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive", "missing": "value"},
    **{
        name: {"role": "other", "kept": "yes", "missing": "value"}
        for name in ("visits", "weight", "paid", "day", "insured")
    },
}


def data() -> pa.Table:
    """Rows in no order, with values of every type that releases keep, some of them missing."""
    turned = [n * 7 % ROWS for n in range(ROWS)]
    return pa.table(
        {
            "age": [20 + n % 20 for n in turned],
            "sex": ["fm"[n % 2] for n in turned],
            "ill": [None if n == 5 else ("flu", "gout")[n % 2] for n in turned],
            "visits": [None if n == 3 else n - 4 for n in turned],
            "weight": pa.array([n / 8 - 1 if n % 3 else -0.0 for n in turned]),
            "paid": pa.array([Decimal(n * 55) / 100 for n in turned], pa.decimal128(9, 2)),
            "day": [None if n == 1 else date(2024, 2, 1 + n) for n in turned],
            "insured": [n % 3 == 0 for n in turned],
        }
    )


@pytest.fixture
def solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "state"))
    front = paretonym.Study(data(), {"columns": COLUMNS}).explore("k", "loss", suppress=0)
    return front[-1]


def address(kind: str) -> str:
    return f"{kind}:///out.{kind}"


def run(kind: str, *statements: str) -> list[tuple[Any, ...]]:
    """Execute statements on the database; the rows of the last."""
    connect: Any = duckdb.connect if kind == "duckdb" else sqlite3.connect
    with closing(connect(f"out.{kind}")) as found:
        answer: list[tuple[Any, ...]] = [found.execute(each).fetchall() for each in statements][-1]
        if kind == "sqlite":
            found.commit()
        return answer


def there() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name != "state")


@in_both
def test_the_table_has_the_rows_of_the_file_in_their_order(solution: Any, kind: str) -> None:
    solution.release("out.csv")
    assert solution.release(address(kind), table="people") == address(kind)
    assert {f"out.{kind}", f"out.{kind}.people.manifest.json"} <= set(there())
    rows = run(kind, "select * from people order by rowid")
    lines = Path("out.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [next(csv.reader([line])) for line in lines] == [list(map(_spelled, row)) for row in rows]
    found = paretonym.audit(address(kind), table="people")
    assert found.passed, found.failed
    assert "2 are not applicable" in str(found)
    assert {check.name for check in found.checks if check.why.startswith("not applicable")} == {
        "sha256",
        "bytes of the file",
    }


def _spelled(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def test_both_databases_have_the_digest_of_a_folder(solution: Any) -> None:
    digests = []
    for kind in KINDS:
        solution.release(address(kind), table="people")
        entry = json.loads(Path(f"out.{kind}.people.manifest.json").read_text(encoding="utf-8"))
        assert entry["output"]["sha256"] == entry["output"]["content"]
        digests += [entry["output"]["content"], paretonym.audit(address(kind), table="people").sha256]
    solution.release("parts")
    entry = json.loads(Path("parts.manifest.json").read_text(encoding="utf-8"))
    assert {*digests} == {entry["output"]["content"]}


@in_both
def test_the_rows_of_a_folder_can_be_audited_in_a_database(solution: Any, kind: str) -> None:
    """Its manifest is that of the folder; its bytes are not there."""
    solution.release(address(kind), table="people")
    Path(f"out.{kind}.people.manifest.json").unlink()
    solution.release("parts")
    with pytest.raises(InputError, match="there is no manifest beside it"):
        paretonym.audit(address(kind), table="people")
    assert paretonym.audit(address(kind), table="people", manifest="parts.manifest.json").passed
    solution.release("out.parquet")
    found = paretonym.audit(address(kind), table="people", manifest="out.parquet.manifest.json")
    assert [check.name for check in found.failed] == ["sha256 of the rows"]
    assert "has no digest of its rows" in found.failed[0].why


CHANGES: dict[str, tuple[str, str]] = {
    "update people set ill = 'gout' where rowid = (select min(rowid) from people where ill = 'flu')": (
        "sha256 of the rows",
        "the manifest was written for other rows",
    ),
    "insert into people select * from people limit 1": ("rows", ""),
    "delete from people where rowid = (select max(rowid) from people)": ("rows", ""),
    "alter table people rename column ill to illness": ("columns", ""),
    "alter table people add column note text": ("columns", ""),
    # What the digest does not tell apart.
    "update people set ill = '' where ill is null": ("rows with other spellings", "instead of null"),
}


@in_both
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_fails_the_audit(solution: Any, kind: str, change: str) -> None:
    solution.release(address(kind), table="people")
    run(kind, change)
    name, why = CHANGES[change]
    failed = {check.name: check.why for check in paretonym.audit(address(kind), table="people").failed}
    assert name in failed
    assert why in failed[name]


@in_both
def test_another_order_of_the_same_rows_fails(solution: Any, kind: str) -> None:
    solution.release(address(kind), table="people")
    turned = "create table turned as select * from people order by rowid desc"
    run(kind, turned, "drop table people", "alter table turned rename to people")
    failed = paretonym.audit(address(kind), table="people").failed
    assert [check.name for check in failed] == ["rows sorted"]


def test_numbers_of_rows_are_part_of_the_order_in_sqlite(solution: Any) -> None:
    solution.release(address("sqlite"), table="people")
    run("sqlite", "update people set rowid = rowid + 40 where rowid > 20")
    failed = paretonym.audit(address("sqlite"), table="people").failed
    assert [check.name for check in failed] == ["rows sorted"]
    assert "not stored one behind the other" in failed[0].why


def test_values_of_different_types_are_refused(solution: Any) -> None:
    solution.release(address("sqlite"), table="people")
    run("sqlite", "update people set ill = x'00' where rowid = 2")
    with pytest.raises(InputError, match="the values of the column 'ill' are of different types"):
        paretonym.audit(address("sqlite"), table="people")


def test_a_type_that_lists_values_is_refused(solution: Any) -> None:
    solution.release(address("duckdb"), table="people")
    listed = "alter table people alter ill type enum ('flu', 'gout', 'plague')"
    run("duckdb", listed)
    with pytest.raises(InputError, match="the type of the column 'ill' is not one that releases have"):
        paretonym.audit(address("duckdb"), table="people")


@in_both
def test_other_tables_stay_and_none_is_replaced(solution: Any, kind: str) -> None:
    run(kind, "create table other as select 1 as a", "create view seen as select a from other")
    solution.release(address(kind), table="people")
    before = run(kind, "select * from people"), Path(f"out.{kind}.people.manifest.json").read_bytes()
    for name in ("people", "People", "other", "seen"):
        with pytest.raises(InputError, match=f"the table '{name}' already exists, and a table is never"):
            solution.release(address(kind), table=name, force=True)
    assert (
        run(kind, "select * from people"),
        Path(f"out.{kind}.people.manifest.json").read_bytes(),
    ) == before
    assert run(kind, "select * from other") == [(1,)]
    assert there() == [f"out.{kind}", f"out.{kind}.people.manifest.json"]
    with pytest.raises(InputError, match=r"there is no table 'seen'.*views are not audited"):
        paretonym.audit(address(kind), table="seen", quasi=["a"])


@in_both
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_what_goes_wrong_leaves_nothing(
    solution: Any, kind: str, exists: bool, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    if exists:
        run(kind, "create table other as select 1 as a")
    before = there()

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(release_files, "_write_manifest", fail)
    failed = error if error is KeyboardInterrupt else InputError
    with pytest.raises(failed, match=None if error is KeyboardInterrupt else "writing failed"):
        solution.release(address(kind), table="people")
    assert there() == before
    if exists:
        with pytest.raises((duckdb.Error, sqlite3.Error)):
            run(kind, "select * from people")
    monkeypatch.undo()


@in_both
def test_a_commit_that_fails_takes_the_manifest_back(
    solution: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paretonym.release import database_writer

    run(kind, "create table other as select 1 as a")
    seen = []

    def fail(_: object) -> None:
        seen.append(there())
        raise KeyboardInterrupt

    for name in ("_Duckdb", "_Sqlite"):
        monkeypatch.setattr(getattr(database_writer, name), "commit", fail)
    with pytest.raises(KeyboardInterrupt):
        solution.release(address(kind), table="people")
    # It had its name before the table.
    assert f"out.{kind}.people.manifest.json" in seen[0]
    assert there() == [f"out.{kind}"]


@in_both
def test_a_file_that_is_no_database_is_not_touched(solution: Any, kind: str) -> None:
    Path(f"out.{kind}").write_text("mine")
    with pytest.raises(InputError, match="already exists, and is not"):
        solution.release(address(kind), table="people", force=True)
    assert Path(f"out.{kind}").read_text() == "mine"


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as error:
        call()
    return str(error.value)


def test_names() -> None:
    assert ReleaseTable.of("out.csv", None) is None
    assert "only a database has tables" in refused(lambda: ReleaseTable.of("out.csv", "people"))
    assert "no table is named" in refused(lambda: ReleaseTable.of("duckdb:///x", None))
    for name in ("", "a/b", "../x", "a.b", 'a"b', "sqlite_x", "a\n", "-a", "x" * 64):
        assert "a table of a release has a name of" in refused(partial(ReleaseTable.of, "duckdb:///x", name))
    for name in ("a.b.c", ".b", "a.", "ä" * 32, 'a"b'):
        said = refused(partial(ReleaseTable.of, "postgresql://me:hunter2@host/db", name))
        assert "a table of a release has a name of" in said
    found = ReleaseTable.of("postgresql://me:hunter2@host/db", "clinic.people")
    assert found is not None
    assert found.name == "table clinic.people of postgresql://me@host/db"
    assert found.described.path == Path("clinic.people.manifest.json")
    assert "hunter2" not in f"{found} {found!r}"


def test_columns_that_a_database_takes_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "state"))
    columns = {"Age": {"role": "quasi", "hierarchy": {"flat": True}}, "age": {"role": "other"}}
    study = paretonym.Study(pa.table({"Age": ["1", "1"], "age": ["2", "2"]}), {"columns": columns})
    best = study.explore("k", "loss")[-1]
    said = refused(lambda: best.release("duckdb:///out.duckdb", table="people"))
    assert "these columns would have the same name: 'Age', 'age'" in said
    assert there() == []
