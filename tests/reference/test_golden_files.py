"""Files of every stored format, as version 0.2.0 wrote them: they are opened, and written the same again.

`scripts/make_golden.py` made them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.base.errors import InputError
from paretonym.base.files.outputs import Kind, Output, check_outputs

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "data" / "golden"
FILES = sorted(path.relative_to(KEPT).as_posix() for path in KEPT.rglob("*") if path.is_file())
RUNS = ("anatomy", "buckets", "cuts", "lattice", "mondrian", "parquet")
RELEASES = {name: f"{name}.csv" for name in RUNS} | {"parquet": "parquet.parquet"}
FORMATS = {
    "frontier.json": "paretonym.frontier/1",
    "run.json": "paretonym.run/1",
    "releases.json": "paretonym.releases/1",
    "manifest.json": "paretonym.manifest/2",
    "ask.json": "paretonym.answer/1",
    "audit.json": "paretonym.audit/1",
    "attack.json": "paretonym.attack/2",
    "comparison.json": "paretonym.comparison/1",
    "schema.json": "paretonym.schema-review/1",
    ".paretonym.json": "paretonym.folder/1",
    "a-table.json": "paretonym.reproduction/1",
}
# Where the files were made: an absolute path, and a digest of it.
PLACES = re.compile(r'"(path|source)": "[^"]*"')
# The bytes of a Parquet file are those of the library's version.
DIGESTS = re.compile(r'"(sha256)": "[^"]*"')


@pytest.fixture(scope="module")
def scripts() -> Any:
    """The modules of scripts/ by name."""
    before = list(sys.path)
    sys.path.insert(0, str(ROOT / "scripts"))
    yield import_module
    sys.path[:] = before


@pytest.fixture(scope="module")
def made(scripts: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files, made anew."""
    folder = tmp_path_factory.mktemp("golden")
    scripts("make_golden").make(folder)
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the kept files that may be written to."""
    return Path(shutil.copytree(KEPT, tmp_path / "golden"))


def run(scripts: Any, *arguments: str) -> tuple[int, str, str]:
    """A command's exit code, output and messages."""
    found: tuple[int, str, str] = scripts("version_answers").called(
        scripts("make_golden").command, list(arguments)
    )
    return found


def content(scripts: Any, path: Path, name: str) -> str:
    """What of a file must be the same."""
    text = PLACES.sub(r'"\1": "…"', path.read_bytes().decode("latin-1"))
    if name.startswith("parquet"):
        text = DIGESTS.sub(r'"\1": "…"', text)
    printed = name.endswith(("ask.json", "audit.json", "attack.json", "schema.json", "init.json"))
    found: str = scripts("comparable_text").comparable(f"{name}: stdout" if printed else name, text)
    return found


def test_nothing_is_left_out(made: Path) -> None:
    again = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert again == set(FILES)


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".parquet")])
def test_the_same_is_written_again(name: str, made: Path, scripts: Any) -> None:
    assert content(scripts, made / name, name) == content(scripts, KEPT / name, name)


def test_the_same_parquet_file_is_written_again(made: Path) -> None:
    from pyarrow import parquet

    old, new = (parquet.read_table(folder / "parquet.parquet") for folder in (KEPT, made))
    assert (old.schema, old.to_pylist()) == (new.schema, new.to_pylist())
    assert old.schema.metadata is None


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json") and name != "init.json"])
def test_formats(name: str) -> None:
    (form,) = {form for ending, form in FORMATS.items() if name.endswith(ending)}
    assert json.loads((KEPT / name).read_text())["format"] == form


def test_every_format_is_kept() -> None:
    """Whatever the source calls a format has a kept file, is printed or kept for a while only, or begins what
    a digest is of."""
    printed = {
        "paretonym.permit/1": "tests/cli/test_report_permit.py",
        "paretonym.purpose/1": "tests/cli/test_ask_purpose.py",
        "paretonym.report/1": "tests/cli/test_ask.py",
        "paretonym.risk/1": "tests/cli/test_risk.py",
        "paretonym.serve/1": "tests/web/conftest.py",
        "paretonym.table-comparison/1": "tests/unit/report/test_table_comparison.py",
    }
    digested = {"paretonym.cube/1", "paretonym.draw/1"}
    # Gone when its run has ended.
    printed["paretonym.checkpoint/1"] = "tests/unit/study/test_checkpoint.py"
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"paretonym\.[a-z-]+/\d+", source))
    assert named == {*FORMATS.values(), *digested, *printed}
    assert all(form in (ROOT / place).read_text(encoding="utf-8") for form, place in printed.items())


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_opened(name: str) -> None:
    kept = json.loads((KEPT / name / "frontier.json").read_text())
    front = paretonym.load(KEPT / name)
    assert front.as_json() == kept
    assert [solution.id for solution in front] == [solution["id"] for solution in kept["solutions"]]
    assert len(front) >= 1


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_asked_and_released_again(
    name: str, copy: Path, scripts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the log and the key of then: what is drawn is drawn alike."""
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PARETONYM_STATE", str(copy / f"state-{name}"))
    pick = json.loads((copy / name / "run.json").read_text())["releases"][0]["id"]
    data = ("--data", "people.csv", "--json")
    code, output, errors = run(scripts, "ask", name, *data)
    assert code == 0, errors
    Path(f"{name}.ask.json").write_text(output, encoding="utf-8")
    assert content(scripts, copy / f"{name}.ask.json", f"{name}.ask.json") == content(
        scripts, KEPT / f"{name}.ask.json", f"{name}.ask.json"
    )
    file = RELEASES[name]
    code, _, errors = run(scripts, "release", name, "--pick", pick, "-o", f"again-{file}", *data)
    assert code == 0, errors
    if not file.endswith(".parquet"):
        assert (copy / f"again-{file}").read_bytes() == (KEPT / file).read_bytes()


@pytest.mark.parametrize("name", RUNS)
def test_releases_are_audited_and_attacked(name: str) -> None:
    file, original, schema = KEPT / RELEASES[name], KEPT / "people.csv", KEPT / "people.toml"
    audit = paretonym.audit(file, original=original, schema=schema)
    assert (audit.failed, audit.warnings) == ((), ())
    kept = json.loads((KEPT / f"{name}.audit.json").read_text())
    assert [check["name"] for check in kept["checks"]] == [check.name for check in audit.checks]
    attack = paretonym.attack(file, original=original, schema=schema)
    kept = json.loads((KEPT / f"{name}.attack.json").read_text())
    assert json.loads(json.dumps(attack.as_json()))["findings"] == kept["findings"]


@pytest.mark.parametrize("name", ["lattice", "cuts", "mondrian"])
def test_the_release_log_is_known(
    name: str, copy: Path, scripts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without releases of its own: only the log in the state folder knows of the first release."""
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PARETONYM_STATE", str(copy / f"state-{name}"))
    record = json.loads((copy / "parquet" / "run.json").read_text())
    (copy / "parquet" / "run.json").write_text(json.dumps({**record, "releases": []}))
    first, last = (paretonym.load(copy / "parquet")[place].id for place in (0, -1))
    pick = first if first != json.loads((KEPT / name / "run.json").read_text())["releases"][0]["id"] else last
    given = ("release", "parquet", "--pick", pick, "-o", "second.csv", "--data", "people.csv")
    code, _, errors = run(scripts, *given)
    assert code == 2
    assert name in errors
    assert run(scripts, *given, "--allow-second-release")[0] == 0


def test_own_files_are_known(copy: Path, scripts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --force, what this program wrote is replaced; what somebody edited is not."""
    monkeypatch.chdir(copy)
    monkeypatch.setenv("PARETONYM_STATE", str(copy / "state-lattice"))
    explored = (
        "explore",
        "--space",
        "lattice",
        "people.csv",
        "--schema",
        "people.toml",
        "-o",
        "cuts",
        "--force",
    )
    assert run(scripts, *explored)[0] == 0
    compared = ("compare", "lattice", "--data", "people.csv", "-o", "comparison.json", "--force")
    assert run(scripts, *compared)[0] == 0
    drafted = ("init", "people.csv", "-o", "draft.toml", "--force")
    assert run(scripts, *drafted)[0] == 0


def test_own_folders_are_known(copy: Path) -> None:
    """By their list of files, as long as nobody edits one of them."""
    papers = Output(copy / "papers", Kind.FOLDER)
    check_outputs([papers], force=True)
    with (copy / "papers" / "a-table.json").open("a") as file:
        file.write(" ")
    with pytest.raises(InputError, match=r"'a-table\.json' in it has changed since"):
        check_outputs([papers], force=True)


def test_new_rows_are_audited() -> None:
    found = paretonym.audit(
        KEPT / "added.csv", original=KEPT / "later.csv", old=KEPT / "people.csv", schema=KEPT / "people.toml"
    )
    assert found.failed == ()


def test_keys_are_kept(made: Path) -> None:
    """What is drawn is drawn with a key that only its owner may read."""
    for name in ("anatomy", "buckets"):
        assert (KEPT / name / "key").read_text() == f"{bytes(range(32)).hex()}\n"
        if os.name == "posix":
            assert (made / name / "key").stat().st_mode & 0o777 == 0o600
