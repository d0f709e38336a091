"""A project in one file: what is in it, what never is, and what is refused instead of being unpacked."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import paretonym as pn
from paretonym.errors import InputError
from paretonym.run.project_file import MOST_BYTES, Project
from paretonym.schema import read_schema

MARK = "Marker-4711"
KEY = "4711beef" * 8
SCHEMA = """
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy.intervals = [10, 20]
[columns.job]
role = "quasi"
hierarchy.file = "jobs.csv"
[columns.ill]
role = "sensitive"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a table with a mark in its identifier, its sensitive column and its path."""
    folder = tmp_path_factory.mktemp("project")
    table = folder / MARK / "people.csv"
    table.parent.mkdir()
    rows = [f"{MARK}-{n},{20 + n % 40},{'ab'[n % 2]},{MARK}-ill-{n % 3}" for n in range(60)]
    table.write_text("\n".join(["name,age,job,ill", *rows]) + "\n")
    (folder / MARK / "jobs.csv").write_text("a;A\nb;B\n")
    (folder / MARK / "schema.toml").write_text(SCHEMA)
    front = pn.Study(table, folder / MARK / "schema.toml").explore("k", "loss", suppress="10%")
    front.save(folder / "run")
    front.pick(front.solutions[0].id).release(folder / f"{MARK}-released.csv")
    (folder / "run" / "key").write_text(KEY)
    return folder / "run"


@pytest.fixture(scope="module")
def packed(run: Path) -> bytes:
    return Project.of_run(run).packed()


def test_no_row_no_path_no_key_and_no_log(run: Path, packed: bytes) -> None:
    """The run has all of them; the project has none, packed or unpacked."""
    assert MARK in (run / "run.json").read_text()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        contents = [packed, *(archive.read(name) for name in archive.namelist())]
        names = archive.namelist()
    secrets = (MARK.encode(), KEY.encode(), bytes.fromhex(KEY))
    assert not [content for content in contents if any(secret in content for secret in secrets)]
    assert sorted(names) == ["jobs.csv", "project.json", "run/frontier.json", "run/run.json", "schema.toml"]
    made = json.loads(contents[1 + names.index("run/run.json")])
    assert (made["data"]["path"], made["releases"]) == (None, [])


def test_there_and_back(run: Path, packed: bytes, tmp_path: Path) -> None:
    Project.read(packed, Path("x.paretonym")).unpack(tmp_path / "opened")
    assert sorted(p.name for p in (tmp_path / "opened" / "run").iterdir()) == [
        "frontier.json", "jobs.csv", "run.json", "schema.toml",
    ]  # fmt: skip
    assert stat.S_IMODE((tmp_path / "opened" / "run").stat().st_mode) == 0o700
    before, after = pn.load(run), pn.load(tmp_path / "opened" / "run", run.parent / MARK / "people.csv")
    assert [s.id for s in before] == [s.id for s in after]
    assert after.solutions[0].describe() == before.solutions[0].describe()


def test_in_python(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.paretonym"
    pn.load(run).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    loaded = pn.load(path)
    assert str(loaded) == str(pn.load(run))
    with pytest.raises(InputError, match="the run does not record where they are"):
        loaded.solutions[0].release()
    assert len(pn.load(path, run.parent / MARK / "people.csv").solutions[0].release()) > 0
    with pytest.raises(InputError, match=r"already exists \(a project of"):
        pn.load(run).save(path)
    pn.load(run).save(path, force=True)
    # A project of an opened project is the same, and never takes its place while that is read.
    loaded.save(tmp_path / "y.paretonym")
    assert Project.opened(tmp_path / "y.paretonym").schema == Project.of_run(run).schema
    with pytest.raises(InputError, match="which the command reads"):
        loaded.save(path, force=True)


def test_a_query_stays_at_home(tmp_path: Path) -> None:
    """A query may hold values; the project is opened with what the query selects."""
    rows = [(f"n{n}", 20 + n % 40) for n in range(60)]
    with sqlite3.connect(tmp_path / "x.db") as database:
        database.execute("create table people (name text, age integer)")
        database.executemany("insert into people values (?, ?)", rows)
    database.close()
    schema = {"name": {"role": "identifier"}, "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}}
    place, path = f"sqlite:///{tmp_path / 'x.db'}", tmp_path / "x.paretonym"
    for name, form in (
        ("query", {"query": f"select * from people where name <> '{MARK}'"}),
        ("table", {"table": "people"}),
    ):
        front = pn.Study(place, {"columns": schema}, **form).explore("k", "loss", suppress="10%")
        front.save(tmp_path / name)
        Project.of_run(tmp_path / name).save(path, force=True)
        with zipfile.ZipFile(path) as archive:
            assert not [each for each in archive.namelist() if MARK.encode() in archive.read(each)]
        if name == "query":
            with pytest.raises(
                InputError, match="what a query selects, and a project does not keep the query"
            ):
                pn.load(path, place).solutions[0].release()
            selected = pyarrow.table({"name": [row[0] for row in rows], "age": [row[1] for row in rows]})
            pyarrow.parquet.write_table(selected, tmp_path / "x.parquet")
            assert len(pn.load(path, tmp_path / "x.parquet").solutions[0].release()) > 0
        else:
            assert len(pn.load(path, place).solutions[0].release()) > 0


def test_an_edited_project_is_not_replaced(run: Path, packed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.paretonym"
    path.write_bytes(changed(packed, {"schema.toml": SCHEMA.encode() + b"# mine"}, listed=False))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"not this \('schema\.toml' in it has changed since\)"):
        Project.of_run(run).save(path, force=True)
    assert path.read_bytes() == before
    path.write_bytes(packed)
    Project.of_run(run).save(path, force=True)


def test_a_schema_alone(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.paretonym"
    Project.of_schema(read_schema(run / "schema.toml")).save(path)
    Project.opened(path).unpack(tmp_path / "opened")
    assert read_schema(tmp_path / "opened" / "schema.toml") == read_schema(run / "schema.toml")
    with pytest.raises(InputError, match="this project has no run; unpack it"):
        pn.load(path)


def test_what_is_not_a_project_is_not_replaced(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.paretonym"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letters.txt", "dear")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"--force|force.*not this \(it is not a project\)"):
        Project.of_run(run).save(path, force=True)
    assert path.read_bytes() == before
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    with pytest.raises(InputError):
        Project.of_run(run).unpack(tmp_path / "folder", force=True)
    assert (tmp_path / "folder" / "mine.txt").read_text() == "mine"
    with pytest.raises(InputError, match=r"a file whose name ends in \.paretonym"):
        Project.of_run(run).save(tmp_path / "x.zip")


def changed(packed: bytes, files: Mapping[str, bytes | None], listed: bool = True) -> bytes:
    """A project with other files in it; with `listed`, its index is made to fit."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    index = json.loads(held.pop("project.json"))
    held.update({name: content for name, content in files.items() if content is not None})
    for name, content in files.items():
        if content is None:
            held.pop(name)
    if listed:
        index["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in held.items()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"project.json": json.dumps(index).encode(), **held}.items():
            archive.writestr(name, content)
    return made.getvalue()


def linked(packed: bytes) -> bytes:
    made = io.BytesIO(packed)
    with zipfile.ZipFile(made, "a") as archive:
        entry = zipfile.ZipInfo("link.csv")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def located(packed: bytes, part: str, entry: object) -> bytes:
    """A project whose run says where something is that its reader would open."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        made = json.loads(archive.read("run/run.json"))
    made[part] = {**made[part], **entry} if isinstance(entry, dict) else entry
    return changed(packed, {"run/run.json": json.dumps(made).encode()})


POPULATION = {"population_file": {"path": "/home/reader/people.csv", "fingerprint": "sha256:0"}}
RELEASED = [{"id": "x", "recoding": "x", "file": "/home/reader/people.csv"}]
BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a path out of it": (lambda p: changed(p, {"../evil.csv": b"x"}), "names that no project has"),
    "an absolute path": (lambda p: changed(p, {"/tmp/evil.csv": b"x"}), "names that no project has"),
    "a Windows path": (lambda p: changed(p, {"..\\evil.csv": b"x"}), "names that no project has"),
    "a hidden file": (lambda p: changed(p, {".bashrc": b"x"}), "names that no project has"),
    "a deeper folder": (lambda p: changed(p, {"run/key": b"x"}), "names that no project has"),
    "another case": (lambda p: changed(p, {"Schema.TOML": b"x"}), "names that no project has"),
    "a link": (linked, "names that no project has"),
    "a key": (lambda p: changed(p, {"key": b"x" * 32}), "it does not hold what a project has"),
    "half a run": (lambda p: changed(p, {"run/run.json": None}), "it does not hold what a project has"),
    "a foreign file": (lambda p: changed(p, {"rows.csv": b"x"}), "files that its schema does not name"),
    "a changed file": (lambda p: changed(p, {"jobs.csv": b"a;B"}, listed=False), "not those that it lists"),
    "a bomb": (lambda p: changed(p, {"jobs.csv": bytes(MOST_BYTES)}), "too large once unpacked"),
    "a place of data": (lambda p: located(p, "data", {"path": "postgresql://elsewhere/x"}), "where data or"),
    "a query": (lambda p: located(p, "options", {"query": "select 1"}), "where data or"),
    "a population": (lambda p: located(p, "options", POPULATION), "where data or"),
    "a release": (lambda p: located(p, "releases", RELEASED), "where data or"),
    "no archive": (lambda p: b"PK\x03\x04 and so on", "it is not an archive"),
    "half an archive": (lambda p: p[: len(p) // 2], "it is not an archive"),
    "another archive": (lambda p: p.replace(b"project.json", b"objects.json"), "its index is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(packed: bytes, tmp_path: Path, name: str) -> None:
    made, wrong = BAD[name]
    path = tmp_path / "x.paretonym"
    path.write_bytes(made(packed))
    with pytest.raises(InputError, match=wrong):
        Project.opened(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.paretonym"]


def test_a_kept_project_of_the_first_format_is_opened() -> None:
    """paretonym.project/1, made from the kept run of the lattice."""
    kept = Path(__file__).parents[2] / "reference" / "data" / "project_1.paretonym"
    with zipfile.ZipFile(kept) as archive:
        assert json.loads(archive.read("project.json"))["format"] == "paretonym.project/1"
    golden = pn.load(kept.parent / "golden" / "lattice")
    assert pn.load(kept).as_json() == golden.as_json()


def test_a_run_that_was_tampered_with(packed: bytes) -> None:
    """Its index fits, and yet the run's own digests and rules are checked."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        frontier = archive.read("run/frontier.json").replace(b'"suppressed": ', b'"suppressed": 1')
    with pytest.raises(InputError, match=r"^x\.paretonym: it has changed since the run was made"):
        Project.read(changed(packed, {"run/frontier.json": frontier}), Path("x.paretonym"))
