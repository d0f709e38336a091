"""No output option of any command changes what the command reads, by whatever name, forced or not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import paretonym
from paretonym.base.errors import InputError
from tests.cli.conftest import AGE_AND_SEX, Command

TABLES = Path(__file__).parents[2] / "examples" / "tables"

ROWS = "age,sex,job,illness\n" + "".join(
    f"{20 + i * 7 % 40},{'mf'[i % 2]},job {i % 4},illness {i % 3}\n" for i in range(80)
)
SCHEMA = f"""{AGE_AND_SEX}[columns.job]
role = "quasi"
hierarchy.file = "jobs.csv"
[columns.illness]
role = "sensitive"
"""
JOBS = "".join(f"job {i};{'high' if i % 2 else 'low'}\n" for i in range(4))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs that force could replace: only that they are inputs protects them."""
    folder = tmp_path_factory.mktemp("made").resolve()
    (folder / "work").mkdir()
    work = folder / "work"
    (work / "raw.csv").write_text(ROWS)
    raw = paretonym.Study(work / "raw.csv", {"columns": _columns()}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    raw[-1].release(work / "data.csv")
    raw[-1].release(work / "new.csv")
    (work / "raw.csv").unlink()
    (work / "jobs.csv").write_bytes(JOBS.encode())
    (work / "schema.toml").write_text(SCHEMA)
    study = paretonym.Study(work / "data.csv", work / "schema.toml")
    for name, objectives in (("run", ("k", "loss")), ("other", ("k", "gl"))):
        study.explore(*objectives, suppress=0, space="lattice").save(work / name)
    return work


def _columns() -> dict[str, object]:
    columns: dict[str, object] = {name: {"role": "other"} for name in ("age", "sex", "illness")}
    return {**columns, "job": {"role": "quasi", "hierarchy": {"flat": True}}}


RUN_FILES = ("run/frontier.json", "run/run.json", "run/schema.toml", "run/jobs.csv")
# Each command with its output as {}, and everything that it reads.
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "explore": (
        "explore data.csv --space lattice --schema schema.toml -o {}",
        ("data.csv", "schema.toml", "jobs.csv"),
    ),
    "init": ("init data.csv -o {}", ("data.csv",)),
    "release": ("release run --pick {pick} -o {}", ("data.csv", "run", *RUN_FILES)),
    "release elsewhere": ("release run --pick {pick} --data new.csv -o {}", ("new.csv", "run", *RUN_FILES)),
    "apply": ("apply run new.csv --pick {pick} -o {}", ("data.csv", "new.csv", "run", *RUN_FILES)),
    "report": ("report run -o {}", ("data.csv", "run", *RUN_FILES)),
    "compare": ("compare run other -o {}", ("data.csv", "run", "other", *RUN_FILES)),
    "compare figure": ("compare run other --figure {}", ("data.csv", "run", "other", *RUN_FILES)),
}


def as_it_is(path: Path, aliases: Path) -> Path:
    return Path(path.relative_to(Path.cwd()))


def absolute(path: Path, aliases: Path) -> Path:
    return path


def around(path: Path, aliases: Path) -> Path:
    return Path("run") / ".." / path.relative_to(Path.cwd())


def by_a_link(path: Path, aliases: Path) -> Path:
    (aliases / path.name).symlink_to(path)
    return aliases / path.name


def by_a_linked_folder(path: Path, aliases: Path) -> Path:
    (aliases / "linked").symlink_to(path.parent)
    return aliases / "linked" / path.name


def by_a_hard_link(path: Path, aliases: Path) -> Path:
    if path.is_dir():
        return path
    os.link(path, aliases / path.name)
    return aliases / path.name


def inside(path: Path, aliases: Path) -> Path:
    """In a folder that is read; of a file, its folder."""
    return path / "new.csv" if path.is_dir() else path.parent


def standing(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def here(made: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the inputs, which must be the same afterwards."""
    monkeypatch.chdir(made)
    before = standing(made)
    yield made
    assert standing(made) == before


def picked(folder: Path) -> str:
    """A solution that can be released."""
    entry = json.loads((folder / "run/frontier.json").read_text())
    found: str = entry["solutions"][-1]["id"]
    return found


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["plain", "forced"])
@pytest.mark.parametrize(
    "way",
    [as_it_is, absolute, around, by_a_link, by_a_linked_folder, by_a_hard_link, inside],
    ids=lambda way: way.__name__,
)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_output_takes_the_place_of_an_input(
    command: Command,
    here: Path,
    tmp_path: Path,
    name: str,
    way: Callable[[Path, Path], Path],
    force: tuple[str, ...],
) -> None:
    line, inputs = COMMANDS[name]
    before = standing(here)
    for number, read in enumerate(inputs):
        aliases = tmp_path / str(number)
        aliases.mkdir()
        given = str(way(here / read, aliases))
        words = [word.replace("{pick}", picked(here)).replace("{}", given) for word in line.split()]
        ended = command(*words, *force, "--quiet")
        assert (ended.code, ended.out) == (2, ""), (read, ended)
        assert ended.err.startswith("error: "), (read, ended)
        assert ended.err.count("\n") == 1, (read, ended)
        assert standing(here) == before, read


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "explore data.csv --space lattice --schema schema.toml -o .",
            "this is the working folder, or one that contains it",
        ),
        (
            "explore data.csv --space lattice --schema schema.toml -o ..",
            "this is the working folder, or one that contains it",
        ),
        (
            "explore data.csv --space lattice --schema schema.toml -o data.csv",
            "this is data.csv, which the command reads",
        ),
        ("explore data.csv --space lattice --schema run/schema.toml -o run", "lies inside this folder"),
        ("demo -o .", "this is the working folder"),
        ("demo -o ..", "this is the working folder"),
        ("demo -o run", "there is no '.paretonym.json' written by paretonym"),
        ("reproduce -o .", "this is the working folder"),
        ("reproduce -o run", "there is no '.paretonym.json' written by paretonym"),
        ("init data.csv -o data.csv", "this is data.csv, which the command reads"),
        ("release run --pick {pick} -o data.csv", "which the command reads"),
        ("release run --pick {pick} -o run/x.csv", "this lies inside run, which the command reads"),
        ("compare run other -o x.svg --figure x.svg", "this conflicts with --out x.svg"),
        ("apply run new.csv --pick {pick} -o new.csv", "this is new.csv, which the command reads"),
        ("init data.csv --update data.csv", "this is data.csv, which the command reads"),
    ],
)
@pytest.mark.parametrize("force", [(), ("--force",)], ids=["plain", "forced"])
def test_what_was_lost_once(
    command: Command, here: Path, line: str, said: str, force: tuple[str, ...]
) -> None:
    words = [word.replace("{pick}", picked(here)) for word in line.split()]
    # An update asks for no force, and takes it.
    ended = command(*words, *force, "--quiet")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_hierarchy_file_that_is_the_data_is_not_updated(command: Command, tmp_path: Path) -> None:
    """`init --update` adds lines to hierarchy files; never to the table itself."""
    table = "job;group\njob 1;high\njob 2;low\n"
    (tmp_path / "data.csv").write_text(table)
    (tmp_path / "link.csv").symlink_to("data.csv")
    (tmp_path / "schema.toml").write_text(
        '[columns.job]\nrole = "drop"\n[columns.group]\nrole = "quasi"\nhierarchy.file = "link.csv"\n'
    )
    ended = command("init", "data.csv", "--update", "schema.toml")
    assert (ended.code, ended.err) == (
        2,
        "error: --update link.csv: this is data.csv, which the command reads; let the schema use a separate "
        "file\n",
    )
    assert (tmp_path / "data.csv").read_text() == table


def test_one_hierarchy_file_by_two_names_is_not_updated(command: Command, tmp_path: Path) -> None:
    """The changes of the one would be lost by those of the other."""
    (tmp_path / "data.csv").write_text("a;b\n1;2\n3;4\n")
    (tmp_path / "one.csv").write_text("1;x\n2;x\n")
    (tmp_path / "two.csv").symlink_to("one.csv")
    (tmp_path / "schema.toml").write_text(
        '[columns.a]\nrole = "quasi"\nhierarchy.file = "one.csv"\n'
        '[columns.b]\nrole = "quasi"\nhierarchy.file = "two.csv"\n'
    )
    ended = command("init", "data.csv", "--update", "schema.toml")
    assert (ended.code, ended.err) == (
        2,
        "error: --update two.csv: this is the same file as one.csv; let the schema use a separate file\n",
    )
    assert (tmp_path / "one.csv").read_text() == "1;x\n2;x\n"


FOREIGN = {
    "a folder of somebody's": (("notes.txt", "mine"),),
    "a run with a file of somebody's": (("run.json", None), ("frontier.json", None), ("notes.txt", "mine")),
}


@pytest.mark.parametrize(
    "line", ["explore data.csv --space lattice --schema schema.toml -o {}", "demo -o {}"]
)
@pytest.mark.parametrize("kind", FOREIGN)
def test_a_folder_with_anything_else_is_never_replaced(
    command: Command, here: Path, tmp_path: Path, line: str, kind: str
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, text in FOREIGN[kind]:
        (folder / name).write_bytes(text.encode() if text else (here / "run" / name).read_bytes())
    before = standing(folder)
    ended = command(*line.replace("{}", str(folder)).split(), "--force", "--quiet")
    assert ended.code == 2
    assert "--force does not replace this (" in ended.err
    assert standing(folder) == before


def test_an_empty_folder_is_filled_without_force(command: Command, here: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    line = f"explore data.csv --space lattice --schema schema.toml -o {tmp_path / 'empty'} --quiet"
    assert command(*line.split()).code == 0
    assert paretonym.load(tmp_path / "empty").record is not None


def test_force_replaces_the_file_that_is_named_and_its_own_manifest(
    command: Command, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = paretonym.Study(made / "data.csv", made / "schema.toml")
    study.explore("k", "loss", suppress=0, space="lattice").save("run")
    paretonym.load("run")[-1].release("x.csv")
    words = (
        "explore",
        "--space",
        "lattice",
        str(made / "data.csv"),
        "--schema",
        str(made / "schema.toml"),
        "-o",
        "run",
        "--quiet",
    )
    said = command(*words).err
    assert said == "error: --out run: already exists; give another name, or use --force to replace it\n"
    assert command(*words, "--force").code == 0
    release = ("release", "run", "--pick", picked(tmp_path), "-o", "x.csv", "--quiet")
    assert command(*release).err == (
        "error: --out x.csv: already exists; give another name, or use --force to replace it\n"
    )
    Path("x.csv.manifest.json").write_text("mine")
    assert command(*release, "--force").err == (
        "error: --out x.csv: --force does not replace this (paretonym did not write it, or it has changed "
        "since); give another name, or remove it yourself\n"
    )
    assert Path("x.csv.manifest.json").read_text() == "mine"


def test_python_keeps_its_inputs_too(here: Path) -> None:
    front = paretonym.load("run")
    study = paretonym.Study("data.csv", "schema.toml")
    fresh = study.explore("k", "loss", suppress=0, space="lattice")
    attempts: list[Callable[[], object]] = [
        lambda: front.save("run", force=True),
        lambda: front.save(".", force=True),
        lambda: fresh.save("..", force=True),
        lambda: fresh.save("data.csv", force=True),
        lambda: front[-1].release("data.csv", force=True),
        lambda: fresh[-1].release("data.csv", force=True),
        lambda: fresh[-1].release("jobs.csv", force=True),
        lambda: front[-1].apply("new.csv", "new.csv", force=True),
        lambda: fresh[-1].apply("new.csv", "new.csv", force=True),
        lambda: fresh[-1].apply("new.csv", "data.csv", force=True),
        lambda: front.plot(path="run/frontier.svg/../frontier.json", force=True),
    ]
    for attempt in attempts:
        with pytest.raises(InputError):
            attempt()
    with pytest.raises(InputError, match=r"schema\.toml, which the command reads, lies inside this folder"):
        front.save("run", force=True)


def test_another_working_folder_does_not_confuse(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths are those of the moment when they were given."""
    monkeypatch.chdir(made)
    front = paretonym.Study("data.csv", "schema.toml").explore("k", "loss", suppress=0, space="lattice")
    loaded = paretonym.load("run", data="data.csv")
    monkeypatch.chdir(tmp_path)
    before = standing(made)
    for solution in (front[-1], loaded[-1]):
        with pytest.raises(InputError, match="which the command reads"):
            solution.release(made / "data.csv", force=True)
    assert standing(made) == before


def test_added_rows_do_not_replace_the_release_that_they_extend(command: Command, tmp_path: Path) -> None:
    """Even with --force: the old rows would be lost to everybody who was told to read both files. A file of
    added rows may be replaced."""
    for name in ("school.csv", "school.toml"):
        shutil.copy(TABLES / name, tmp_path / name)
    assert (
        command(
            "explore", "--space", "lattice", "school.csv", "--schema", "school.toml", "-o", "run", "-q"
        ).code
        == 0
    )
    pick = picked(tmp_path)
    assert command("release", "run", "--pick", pick, "-o", "x.csv", "-q").code == 0
    lines = (tmp_path / "school.csv").read_text(encoding="utf-8").splitlines()
    later = [f"{number},later {number},{line.split(',', 2)[2]}" for number, line in enumerate(lines[1:])]
    (tmp_path / "later.csv").write_text("\n".join([lines[0], *later]) + "\n", encoding="utf-8")
    extend = ("apply", "run", "later.csv", "--pick", pick, "--allow-second-release", "--force")
    before = (tmp_path / "x.csv").read_bytes(), (tmp_path / "x.csv.manifest.json").read_bytes()
    for kept in (True, False):
        if not kept:
            (tmp_path / "x.csv.manifest.json").unlink()
        refused = command(*extend, "-o", "x.csv")
        why = "this is a release of the old rows" if kept else "--force does not replace this"
        assert (refused.code, why in refused.err) == (2, True), refused.err
        assert (tmp_path / "x.csv").read_bytes() == before[0]
    (tmp_path / "x.csv.manifest.json").write_bytes(before[1])
    assert [command(*extend, "-o", "new.csv").code for _ in range(2)] == [0, 0]
