"""The release log: by the content of a table, in every run, with races and kills."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.release.publication import log_of
from paretonym.release.release_log import SecondRelease, other_content_warning, withdrawal
from paretonym.study.explored_run import Run

SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}
OTHER_SCHEMA = {"columns": {**SCHEMA["columns"], "sex": {"role": "drop"}}}


@pytest.fixture
def frame() -> pd.DataFrame:
    draw = random.Random(3)
    rows = [(draw.randint(18, 60), draw.choice("fm"), draw.choice(["flu", "none"])) for _ in range(80)]
    return pd.DataFrame(rows, columns=["age", "sex", "illness"])


@pytest.fixture
def data(frame: pd.DataFrame, tmp_path: Path) -> Path:
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def explored(data: Any, schema: dict[str, Any] = SCHEMA) -> Run:
    return pn.Study(data, schema).explore("k", "loss", suppress=0, space="lattice")


def refused(frontier: Run, place: int, path: Path) -> str:
    with pytest.raises(SecondRelease) as error:
        frontier[place].release(path)
    assert not path.exists()
    return str(error.value)


def test_another_run_remembers(data: Path, tmp_path: Path) -> None:
    explored(data).save(tmp_path / "one")
    explored(data).save(tmp_path / "two")
    one, two = pn.load(tmp_path / "one"), pn.load(tmp_path / "two")
    one[0].release(tmp_path / "a.csv")
    said = refused(two, -1, tmp_path / "b.csv")
    assert f"pick: another release of this table already exists ({one[0].id} in a.csv, 20" in said
    assert f", version {pn.__version__}), and two releases of one table can be joined" in said
    assert said.endswith("if this one is for other readers, use allow_second_release=True")
    # The same one is nothing new, in another run and another kind of file.
    two[0].release(tmp_path / "a.parquet")
    two[-1].release(tmp_path / "b.csv", allow_second_release=True)
    assert (tmp_path / "b.csv").exists()
    assert "a.parquet" in refused(one, -2, tmp_path / "c.csv")


def test_a_run_in_the_place_of_another_remembers(data: Path, tmp_path: Path) -> None:
    explored(data).save(tmp_path / "run")
    pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    explored(data).save(tmp_path / "run", force=True)
    assert "in a.csv" in refused(pn.load(tmp_path / "run"), -1, tmp_path / "b.csv")


def test_studies_and_dataframes_are_the_same_table(data: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    mixed = frame.sample(frac=1, random_state=1)[["illness", "sex", "age"]]
    assert "in a.csv" in refused(explored(mixed), -1, tmp_path / "b.csv")
    explored(mixed)[-1].release()
    mixed.to_parquet(tmp_path / "people.parquet", index=False)
    assert "in a.csv" in refused(explored(tmp_path / "people.parquet"), -1, tmp_path / "b.csv")


def test_another_schema_is_another_release(data: Path, tmp_path: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    assert "in a.csv" in refused(explored(data, OTHER_SCHEMA), 0, tmp_path / "b.csv")


def test_another_schema_with_the_same_outcome_is_not(data: Path, tmp_path: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    weighted = {"columns": {**SCHEMA["columns"], "sex": {**SCHEMA["columns"]["sex"], "importance": 2}}}
    explored(data, weighted)[0].release(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_taking_out_names_beforehand_makes_no_other_people(
    data: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    """Columns that are never released may be in the file or not: in either order the other is found."""
    explored(data)[0].release(tmp_path / "a.csv")
    named = frame.assign(name=[f"p{i}" for i in range(len(frame))])
    schema = {"columns": {"name": {"role": "identifier"}, **SCHEMA["columns"]}}
    assert "in a.csv" in refused(explored(named, schema), -1, tmp_path / "b.csv")
    assert "in a.csv" in refused(explored(frame, OTHER_SCHEMA), 0, tmp_path / "b.csv")
    explored(named, schema)[0].release(tmp_path / "b.csv")
    other = {"columns": {**schema["columns"], "sex": {"role": "drop"}}}
    assert "in b.csv" in refused(explored(named, other), 0, tmp_path / "c.csv")


def test_a_corrected_file_is_the_same_table(data: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    """A row that was corrected changes the content; most rows are known, and the file by its path."""
    explored(data)[0].release(tmp_path / "a.csv")
    frame = frame.assign(age=[int(frame["age"].iloc[0]) + 1, *frame["age"].iloc[1:]])
    other = tmp_path / "other.csv"
    frame.to_csv(other, index=False)
    assert other_content_warning(log_of(pn.Study(other, SCHEMA))) is None
    frame.to_csv(data, index=False)
    changed = explored(data)
    assert "most rows of this table were released before" in refused(changed, -1, tmp_path / "b.csv")
    changed[-1].release(tmp_path / "b.csv", allow_second_release=True)
    said = other_content_warning(log_of(pn.Study(data, SCHEMA))) or ""
    assert said.startswith("the same file was released before with other content (")
    assert " in a.csv, 20" in said


def test_old_runs_are_honoured(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run from elsewhere, or from before there was a log, what run.json says counts."""
    explored(data).save(tmp_path / "run")
    front = pn.load(tmp_path / "run")
    front[0].release(tmp_path / "a.csv")
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "elsewhere"))
    assert "in a.csv" in refused(front, -1, tmp_path / "b.csv")
    front[0].release(tmp_path / "a.parquet")


def test_what_the_log_holds(data: Path, tmp_path: Path, state: Path) -> None:
    """Names that the user gave, times and keyed digests; nothing of the table and of no other path."""
    explored(data)[0].release(tmp_path / "a.csv")
    path, by_bytes = state.rglob("releases.json")
    entry = json.loads(path.read_text())
    assert entry == json.loads(by_bytes.read_text())
    assert entry["format"] == "paretonym.releases/1"
    (made,) = entry["releases"]
    assert set(made) == {"id", "file", "time", "version", "recoding", "content", "sha256", "source", "sketch"}
    text = path.read_text()
    assert "people" not in text
    assert str(tmp_path) not in text
    assert "80" not in {str(value) for value in made.values()}


def test_no_place_for_the_log(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "taken"))
    with pytest.raises(InputError, match="without them a second release of the same people would go"):
        explored(data)[0].release(tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


def test_new_rows_are_a_release_of_their_own(data: Path, frame: pd.DataFrame, tmp_path: Path) -> None:
    """Whoever applies a release to new rows and then explores these finds the first; and the reverse."""
    new = tmp_path / "new.csv"
    frame.iloc[:40].to_csv(new, index=False)
    explored(data)[0].apply(str(new), tmp_path / "more.csv")
    other = explored(new)
    assert "in more.csv" in refused(other, -1, tmp_path / "b.csv")
    assert "in more.csv" in refused(explored(data), -1, tmp_path / "b.csv")
    other[-1].release(tmp_path / "b.csv", allow_second_release=True)
    with pytest.raises(SecondRelease, match=r"in b\.csv"):
        explored(data)[0].apply(str(new), tmp_path / "again.csv")
    explored(data)[0].apply(str(new), tmp_path / "again.csv", allow_second_release=True)


RACES = """
import json, os, shutil, sys
import paretonym as pn
from paretonym.base.errors import InputError

folder = sys.argv[1]
front = pn.load(f"{folder}/kept")
picks = (front[0].id, front[-1].id)
front[0].release()  # whatever is loaded late is loaded now

def child(pick, name, run):
    process = os.fork()
    if process:
        return process
    try:
        pn.load(run).pick(pick).release(f"{folder}/{name}")
        os._exit(0)
    except InputError:
        os._exit(2)
    except BaseException:
        os._exit(70)

def race(jobs):
    shutil.rmtree(os.environ["PARETONYM_STATE"], ignore_errors=True)
    for run in ("run", "other"):
        shutil.rmtree(f"{folder}/{run}", ignore_errors=True)
        shutil.copytree(f"{folder}/kept", f"{folder}/{run}")
    for name in os.listdir(folder):
        if name.endswith((".csv", ".json")) and name != "people.csv":
            os.unlink(f"{folder}/{name}")
    codes = [os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in [child(*job) for job in jobs]]
    written = sorted(name for _, name, _ in jobs if os.path.exists(f"{folder}/{name}"))
    noted = []
    for run in ("run", "other"):
        noted += [r["file"] for r in json.load(open(f"{folder}/{run}/run.json"))["releases"]]
    tables = os.environ["PARETONYM_STATE"] + "/tables"
    log, other = (json.load(open(f"{tables}/{each}/releases.json")) for each in os.listdir(tables))
    assert log == other
    return sorted(codes), written, sorted(noted), sorted(r["file"] for r in log["releases"])

found = []
for number in range(10):
    second = f"{folder}/{'run' if number % 2 else 'other'}"
    found.append(race([(picks[0], "a.csv", f"{folder}/run"), (picks[1], "b.csv", second)]))
same = [race([(picks[0], f"c{i}.csv", f"{folder}/run") for i in range(4)]) for _ in range(3)]
print(json.dumps([found, same]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_races(data: Path, tmp_path: Path) -> None:
    """Of two different releases at the same moment, from one run or two, one is refused; of equal ones none
    is refused and none goes unrecorded."""
    explored(data).save(tmp_path / "kept")
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RACES, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found, same = json.loads(ended.stdout)
    for codes, written, noted, logged in found:
        assert codes == [0, 2]
        assert len(written) == 1
        assert written == noted == logged
    names = [f"c{i}.csv" for i in range(4)]
    assert same == [[[0] * 4, names, names, names]] * 3


KILLED = """
import os, signal, sys
import paretonym as pn
from paretonym.base import state
from paretonym.base.files import outputs
from paretonym.release import release_log

where, folder = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "before":
    release_log.ReleaseLog._record = die
elif where == "between":
    release_log.RunFiles.add_release = die
else:
    outputs._place = die
pn.load(f"{folder}/run")[0].release(f"{folder}/a.csv")
"""


@pytest.mark.parametrize(("where", "logged", "noted"), [("before", 0, 0), ("between", 2, 0), ("after", 2, 1)])
def test_killed(data: Path, tmp_path: Path, state: Path, where: str, logged: int, noted: int) -> None:
    """No release has a name that is not recorded. What was recorded and never written can be made again."""
    explored(data).save(tmp_path / "run")
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, where, str(tmp_path)], capture_output=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    assert not (tmp_path / "a.csv").exists()
    assert len(list(state.rglob("releases.json"))) == logged
    assert len(json.loads((tmp_path / "run/run.json").read_text())["releases"]) == noted
    front = pn.load(tmp_path / "run")
    if logged:
        assert "in a.csv" in refused(front, -1, tmp_path / "b.csv")
        front[0].release(tmp_path / "a.csv")
    else:
        front[-1].release(tmp_path / "b.csv")
    shutil.rmtree(tmp_path / "run")


def test_a_log_of_a_later_version(data: Path, tmp_path: Path, state: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    logs = list(state.rglob("releases.json"))
    for log in logs:
        log.write_text(log.read_text().replace("paretonym.releases/1", "paretonym.releases/9"))
    with pytest.raises(InputError, match=r"the format is not 'paretonym\.releases/1'; use the version of "):
        explored(data)[-1].release(tmp_path / "b.csv")
    assert logs
    assert not (tmp_path / "b.csv").exists()


def test_other_columns_of_a_database_are_the_same_table(frame: pd.DataFrame, tmp_path: Path) -> None:
    """All columns of a small table are known, whichever of them a schema releases."""
    address = f"sqlite:///{tmp_path / 'people.db'}"
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        frame.to_sql("people", database, index=False)

    def in_database(schema: dict[str, Any]) -> Run:
        return pn.Study(address, schema, table="people").explore("k", "loss", suppress=0, space="lattice")

    in_database(OTHER_SCHEMA)[0].release(tmp_path / "a.csv")
    assert "in a.csv" in refused(in_database(SCHEMA), 0, tmp_path / "b.csv")
    in_database(OTHER_SCHEMA)[0].release(tmp_path / "b.csv")
    in_database(SCHEMA)[0].release(tmp_path / "c.csv", allow_second_release=True)


def test_a_test_release_is_taken_out_of_the_log(data: Path, tmp_path: Path, state: Path) -> None:
    """It counts no longer, in the state and in the run; the reason stays in both."""
    explored(data).save(tmp_path / "run")
    front = pn.load(tmp_path / "run")
    front[0].release(tmp_path / "a.csv")
    assert f"pick('{front[0].id}') withdraw('REASON')" in refused(front, -1, tmp_path / "b.csv")
    with pytest.raises(pn.InputError, match="no reason is given"):
        front[0].withdraw(" ")
    with pytest.raises(pn.InputError, match=f"the log has no release {front[-1].id} of this table"):
        front[-1].withdraw("a test")
    front[0].withdraw("a test")
    front[-1].release(tmp_path / "b.csv")
    assert "in b.csv" in refused(front, 0, tmp_path / "c.csv")
    for path in [*state.rglob("releases.json"), tmp_path / "run" / "run.json"]:
        first, second = json.loads(path.read_text())["releases"]
        assert (first["file"], first["withdrawn"]) == ("a.csv", "a test")
        assert (second["file"], "withdrawn" in second) == ("b.csv", False)
    front[0].release(tmp_path / "a.csv", force=True, allow_second_release=True)
    for path in [*state.rglob("releases.json"), tmp_path / "run" / "run.json"]:
        made = json.loads(path.read_text())["releases"]
        assert [(e["file"], e.get("withdrawn")) for e in made if e["file"] == "a.csv"] == [
            ("a.csv", "a test"), ("a.csv", None),
        ]  # fmt: skip


def test_a_test_release_of_an_earlier_content_is_taken_out(
    data: Path, frame: pd.DataFrame, tmp_path: Path
) -> None:
    front = explored(data)
    front[0].release(tmp_path / "test.csv")
    frame.assign(age=[frame["age"].iloc[0] + 1, *frame["age"].iloc[1:]]).to_csv(data, index=False)
    assert "in test.csv" in refused(explored(data), -1, tmp_path / "b.csv")
    log_of(pn.Study(data, SCHEMA)).withdraw(front[0].id, "a test")
    explored(data)[-1].release(tmp_path / "b.csv")
    assert other_content_warning(log_of(pn.Study(data, SCHEMA))) is None


def test_the_same_people_in_capitals_and_with_another_sensitive_column(tmp_path: Path) -> None:
    """Most rows of both were released before, by their quasi-identifiers; other people were not."""
    draw = random.Random(5)
    places = [f"Street {draw.randint(1, 9999)}" for _ in range(120)]
    people = pd.DataFrame({"age": [draw.randint(18, 90) for _ in places], "street": places})
    illness = people.assign(illness=[draw.choice(["flu", "none"]) for _ in places])
    columns = {"age": SCHEMA["columns"]["age"], "street": {"role": "quasi", "hierarchy": {"flat": True}}}
    schema = {"columns": {**columns, "illness": {"role": "sensitive"}}}
    explored(illness, schema)[0].release(tmp_path / "a.csv")
    capitals = illness.assign(**{name: illness[name].str.upper() for name in ("street", "illness")})
    assert "most rows of this table were" in refused(explored(capitals, schema), 0, tmp_path / "b.csv")
    paid = people.assign(wage=[draw.choice(["low", "high"]) for _ in places])
    of_wages = {"columns": {**columns, "wage": {"role": "sensitive"}}}
    assert "most rows of this table were" in refused(explored(paid, of_wages), 0, tmp_path / "b.csv")
    others = paid.assign(street=[f"Street {draw.randint(1, 9999)}" for _ in places])
    explored(others, of_wages)[0].release(tmp_path / "b.csv")


def test_a_withdrawn_file_is_known_by_its_bytes(data: Path, tmp_path: Path) -> None:
    front = explored(data)
    front[0].release(tmp_path / "a.csv")
    digest = pn.audit(tmp_path / "a.csv").sha256
    assert withdrawal(digest) is None
    front[0].withdraw("a test")
    assert (withdrawal(digest) or "").startswith("this release was withdrawn on 20")
    assert "(a test)" in (withdrawal(digest) or "")
    assert withdrawal("0" * 64) is None
    # The same file, released again, counts.
    front[0].release(tmp_path / "a.csv", force=True)
    assert withdrawal(digest) is None


def test_nothing_is_made_to_look_a_file_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "nowhere"))
    assert withdrawal("0" * 64) is None
    assert not (tmp_path / "nowhere").exists()
