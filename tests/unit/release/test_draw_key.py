"""What hides is drawn once: in every file, run and machine that has the key, or not at all."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.release.draw_key import Draw, key_mark
from paretonym.release.release_log import SecondRelease
from paretonym.study.explored_run import Run

SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 50]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "diag": {"role": "sensitive"},
    }
}
ILLS = ["flu", "cold", "asthma", "HIV", "cancer", "diabetes", "none", "ulcer"]


def people() -> Iterator[tuple[str, ...]]:
    """Four hundred people, no two of them alike, with one of eight diagnoses each."""
    draw = random.Random(9)
    seen: set[tuple[str, ...]] = set()
    while len(seen) < 400:
        person = (str(draw.randrange(18, 90)), draw.choice("mf"), str(10000 + draw.randrange(60)))
        if person not in seen:
            seen.add(person)
            yield (*person, draw.choice(ILLS))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with (tmp_path / "d.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("age", "sex", "zip", "diag"), *people()])
    return tmp_path / "d.csv"


def explored(data: Path, sweep: str = "l=3") -> Run:
    return pn.Study(data, SCHEMA).explore(space="buckets", method="anatomy", sweep=sweep)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def certain(*files: Path) -> int:
    """How many people have one possible diagnosis left, if the buckets of several files are intersected."""
    possible: dict[tuple[str, ...], set[str]] = {}
    for path in files:
        values: dict[str, set[str]] = {}
        for row in rows_of(path.with_name(f"{path.stem}.st.csv")):
            values.setdefault(row["bucket"], set()).add(row["diag"])
        for row in rows_of(path.with_name(f"{path.stem}.qit.csv")):
            person = (row["age"], row["sex"], row["zip"])
            possible[person] = possible.get(person, set(ILLS)) & values[row["bucket"]]
    return sum(len(left) == 1 for left in possible.values())


def test_intersecting_two_files_gains_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn anew at each release, two files made some ninety diagnoses certain, as another key still does."""
    explored(data).save(tmp_path / "run")
    front = pn.load(tmp_path / "run")
    for name in ("a.csv", "b.csv"):
        front[0].release(tmp_path / name)
    explored(data).save(tmp_path / "run", force=True)
    again = pn.load(tmp_path / "run")[0]
    again.release(tmp_path / "c.csv")
    files = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    assert len({path.read_bytes() for path in files}) == 1
    assert certain(*files) == 0
    # The dataframe is the file too, not another draw.
    assert list(map(str, again.release()["bucket"])) == [row["bucket"] for row in rows_of(files[0])]
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "elsewhere"))
    explored(data)[0].release(tmp_path / "x.csv")
    assert certain(files[0], tmp_path / "x.csv") > 50


def test_the_key_is_for_its_owner_alone(data: Path, tmp_path: Path, state: Path) -> None:
    explored(data).save(tmp_path / "run")
    (kept,) = state.rglob("key")
    copy = tmp_path / "run/key"
    assert {path.stat().st_mode & 0o777 for path in (kept, copy)} == {0o600}
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    assert len(bytes.fromhex(copy.read_text())) == 32
    assert kept.read_text() == copy.read_text()
    pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    for path in tmp_path.rglob("*"):
        if path.is_file() and path != copy:
            assert copy.read_text().strip() not in path.read_text()
    manifest = (tmp_path / "a.csv.manifest.json").read_text()
    assert key_mark(bytes.fromhex(copy.read_text())) not in manifest


def test_a_space_that_draws_nothing_has_no_key(data: Path, tmp_path: Path, state: Path) -> None:
    pn.Study(data, SCHEMA).explore("k", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    assert not (tmp_path / "run/key").exists()
    assert not list(state.rglob("key"))


def test_the_run_takes_its_key_to_another_machine(
    data: Path, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explored(data).save(tmp_path / "run")
    pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    other = tmp_path / "machine"
    monkeypatch.setenv("PARETONYM_STATE", str(other))
    pn.load(tmp_path / "run")[0].release(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    (kept,) = other.rglob("key")
    assert kept.read_text() == (tmp_path / "run/key").read_text()
    # From there on every run of the table has it.
    explored(data)[0].release(tmp_path / "c.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_a_run_that_is_replaced_leaves_its_key(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explored(data).save(tmp_path / "run")
    before = (tmp_path / "run/key").read_text()
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "machine"))
    explored(data).save(tmp_path / "run", force=True)
    assert (tmp_path / "run/key").read_text() == before


def test_a_lost_key_is_not_drawn_again(data: Path, tmp_path: Path, state: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    (kept,) = state.rglob("key")
    key = kept.read_text()
    kept.unlink()
    for also in (False, True):
        with pytest.raises(InputError) as error:
            explored(data)[0].release(tmp_path / "b.csv", allow_second_release=also)
        assert "a release of this table was drawn with a key that is missing now" in str(error.value)
    with pytest.raises(InputError, match="restore the key"):
        explored(data)[0].release()
    kept.write_text("00" * 32)
    with pytest.raises(InputError, match="restore the key"):
        explored(data)[0].release(tmp_path / "b.csv")
    assert not (tmp_path / "b.csv").exists()
    kept.write_text(key)
    explored(data)[0].release(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_key_lost_everywhere_is_missed_by_the_run(data: Path, tmp_path: Path, state: Path) -> None:
    explored(data).save(tmp_path / "run")
    pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    shutil.rmtree(state)
    (tmp_path / "run/key").unlink()
    with pytest.raises(InputError, match="a key that is missing now"):
        pn.load(tmp_path / "run")[0].release(tmp_path / "b.csv")


def test_two_keys(data: Path, tmp_path: Path) -> None:
    explored(data).save(tmp_path / "run")
    (tmp_path / "run/key").write_text("ab" * 32)
    with pytest.raises(InputError) as error:
        pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    assert "run/key: this key differs from the one stored for the same table in " in str(error.value)
    assert not (tmp_path / "a.csv").exists()


def test_a_draw_of_before_there_were_keys(data: Path, tmp_path: Path) -> None:
    """Its files hold a draw that nobody can repeat: the same release again would be a second draw."""
    explored(data).save(tmp_path / "run")
    pn.load(tmp_path / "run")[0].release(tmp_path / "a.csv")
    path = tmp_path / "run/run.json"
    record = json.loads(path.read_text())
    del record["releases"][0]["drawn"]
    path.write_text(json.dumps(record))
    with pytest.raises(InputError) as error:
        pn.load(tmp_path / "run")[0].release(tmp_path / "b.csv", allow_second_release=True)
    assert "its buckets were drawn at random in a way that cannot be repeated" in str(error.value)
    assert "publish the files that were written then" in str(error.value)


def test_another_requirement_is_another_release(data: Path, tmp_path: Path) -> None:
    explored(data)[0].release(tmp_path / "a.csv")
    with pytest.raises(SecondRelease):
        explored(data, "l=4")[0].release(tmp_path / "b.csv")
    explored(data, "l=4")[0].release(tmp_path / "b.csv", allow_second_release=True)


@pytest.mark.parametrize("names_first", [False, True])
def test_without_names_it_is_not_drawn_again(data: Path, tmp_path: Path, names_first: bool) -> None:
    """The same people with a column that is never released: another table to the key, the same to the log.
    Drawn with both keys, the two files made some ninety diagnoses certain."""
    lines = data.read_text().splitlines()
    named = [f"{'name' if not i else f'p{i}'},{line}" for i, line in enumerate(lines)]
    (tmp_path / "named.csv").write_text("\n".join(named) + "\n")
    schema = {"columns": {"name": {"role": "identifier"}, **SCHEMA["columns"]}}
    front = pn.Study(tmp_path / "named.csv", schema).explore(space="buckets", method="anatomy", sweep="l=3")
    first, second = (front, explored(data)) if names_first else (explored(data), front)
    first[0].release(tmp_path / "a.csv")
    for also in (False, True):
        with pytest.raises(InputError, match=r"in a\.csv"):
            second[0].release(tmp_path / "b.csv", allow_second_release=also)
    assert not (tmp_path / "b.csv").exists()
    first[0].release(tmp_path / "c.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    # Another requirement is another release, which may be made knowingly.
    explored(data, "l=4")[0].release(tmp_path / "e.csv", allow_second_release=True)


def test_another_schema_draws_with_the_same_key(data: Path, tmp_path: Path) -> None:
    """Its columns differ, its buckets do not."""
    explored(data)[0].release(tmp_path / "a.csv")
    schema = {"columns": {**SCHEMA["columns"], "sex": {"role": "drop"}}}
    front = pn.Study(data, schema).explore(space="buckets", method="anatomy", sweep="l=3")
    front[0].release(tmp_path / "b.csv", allow_second_release=True)
    of_row = [
        sorted((row["age"], row["zip"], row["bucket"]) for row in rows_of(tmp_path / f"{name}.qit.csv"))
        for name in "ab"
    ]
    assert of_row[0] == of_row[1]


def test_draws_differ_by_key_recoding_and_purpose() -> None:
    draws = [Draw(b"a" * 32, "x"), Draw(b"b" * 32, "x"), Draw(b"a" * 32, "y")]
    numbers = [draw.numbers(purpose, 50) for draw in draws for purpose in ("deal", "shuffle")]
    assert len({each.tobytes() for each in numbers}) == 6
    assert (draws[0].numbers("deal", 9) == draws[0].numbers("deal", 50)[:9]).all()
    # The most significant bit of many is set about half of the time.
    assert 400 < int((draws[0].numbers("deal", 1000) >> np.uint64(63)).sum()) < 600
