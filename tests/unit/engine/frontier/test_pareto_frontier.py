"""A frontier as a sequence and as files: what the contract names is there, and the same bytes every time."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Literal

import pytest

import paretonym
from paretonym.base.errors import Bug, InputError
from paretonym.engine.recoding.equivalence_classes import digest
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Run
from tests.unit.engine.frontier.conftest import Handmade

AGAIN = "run 'paretonym explore' again"


@pytest.fixture(scope="module")
def front() -> Run:
    return (
        random_table(Random(7), rows=(40, 40), sensitive=1)
        .study()
        .explore("k", "gl", suppress="any:0.2", space="lattice")
    )


def test_keys_of_the_contract(front: Run) -> None:
    entry = front.as_json()
    assert list(entry) == [
        "format", "audience", "rows", "read", "dropped", "quasi", "sensitive", "space", "search", "suppress",
        "objectives", "solutions",
    ]  # fmt: skip
    assert (entry["format"], entry["audience"]) == ("paretonym.frontier/1", "publisher")
    assert entry["read"] == entry["rows"] + entry["dropped"] == 41
    assert entry["sensitive"] == ["s0"]
    assert entry["space"] == {"kind": "lattice", "size": front.search.size}
    assert entry["search"] == {"method": "exact", "complete": True, "seed": None, "open": 0}
    assert entry["suppress"] == "any:0.2"
    assert entry["objectives"] == [{"name": "k", "direction": "max"}, {"name": "gl", "direction": "min"}]
    for solution in entry["solutions"]:
        assert list(solution) == ["id", "values", "suppressed", "recoding"]
        assert set(solution["values"]) == {"k", "gl", "sl", "loss"}
        assert isinstance(solution["values"]["k"], int)
        assert list(solution["recoding"]) == ["levels", "keep"]
        assert list(solution["recoding"]["levels"]) == entry["quasi"]
        assert solution["recoding"]["keep"] == {"k": f">={solution['values']['k']}"}


def test_solutions_come_best_first(front: Run) -> None:
    sizes = [solution["k"] for solution in front]
    assert sizes == sorted(sizes, reverse=True)


def test_is_a_sequence(front: Run) -> None:
    assert len(front) == len(list(front)) > 2
    assert front[0] is front.solutions[0]
    assert front[1:3] == front.solutions[1:3]
    assert front[-1] in front
    assert (
        str(front) == f"Frontier of {len(front)} releases in (k, gl) over {front.table.rows} rows, "
        f"proven complete among releases with one level per column"
    )


def test_to_pandas(front: Run) -> None:
    frame = front.to_pandas()
    assert frame["id"].tolist() == [solution.id for solution in front]
    assert frame["k"].tolist() == [solution["k"] for solution in front]
    levels = [f"level of {name}" for name in front.table.quasi]
    assert list(frame.columns) == ["id", "k", "gl", "sl", "loss", "suppressed", *levels]


def test_pick(front: Run) -> None:
    for solution in front:
        assert front.pick(solution.id) is solution
        assert front.pick(digest(solution.recoding)) is solution
    for name, wrong in (("zz", "no solution has"), ("", "no solution has")):
        with pytest.raises(InputError) as error:
            front.pick(name)
        listed = ", ".join(solution.id for solution in front)
        assert str(error.value) == f"pick: {wrong} the id '{name}'; the frontier has {listed}"


def test_several_begin_like_it(handmade: Handmade) -> None:
    """Seventeen digests begin with at most sixteen digits."""
    front = handmade([(18 - i, 0.9 - i / 20) for i in range(17)])
    begun = Counter(digest(solution.recoding)[0] for solution in front)
    digit, number = begun.most_common(1)[0]
    with pytest.raises(InputError) as error:
        front.pick(digit)
    ids = [solution.id for solution in front if digest(solution.recoding).startswith(digit)]
    wrong = f"{number} solutions have an id that starts with '{digit}'"
    assert str(error.value) == f"pick: {wrong}; give one of them: {', '.join(ids)}"


def test_saved_and_loaded(front: Run, tmp_path: Path) -> None:
    front.save(tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "frontier.json", "run.json", "schema.toml",
    ]  # fmt: skip
    loaded = paretonym.load(tmp_path / "run")
    assert loaded == front
    assert loaded.record is not None
    assert front.record is not None
    assert loaded.record.schema == front.record.schema
    assert loaded.record.as_json() == front.record.as_json()
    loaded.save(tmp_path / "again")
    for name in ("frontier.json", "run.json", "schema.toml"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()


def test_run_json(front: Run, tmp_path: Path) -> None:
    front.save(tmp_path / "run")
    run = json.loads((tmp_path / "run/run.json").read_text())
    assert list(run) == [
        "format", "audience", "data", "options", "version", "seconds", "evaluated", "evaluated_in_part",
        "releases", "facts", "files",
    ]  # fmt: skip
    assert (
        run["options"].items()
        >= {
            "space": "lattice",
            "search": front.search.method,
            "objectives": ["k", "gl"],
            "suppress": "any:0.2",
        }.items()
    )
    assert 0 < run["evaluated"] <= front.search.size
    assert run["version"] == paretonym.__version__
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_same_bytes_twice(tmp_path: Path) -> None:
    for name in ("one", "two"):
        random_table(Random(3)).study().explore("k", "loss", "weighted-k", space="lattice").save(
            tmp_path / name
        )
    one, two = ((tmp_path / name / "frontier.json").read_bytes() for name in ("one", "two"))
    assert one == two


def test_an_id_means_the_same_in_every_run() -> None:
    study = random_table(Random(11), rows=(60, 60)).study()
    runs = [
        study.explore("k", "loss", suppress="any:0.2", space="lattice"),
        study.explore("loss", "k", "discernibility", suppress="any:0.1", threads=2, space="lattice"),
        study.explore("k", "gl", suppress=0, space="lattice"),
    ]
    ids: dict[str, str] = {}
    shared = 0
    for run in runs:
        for solution in run:
            key = json.dumps(solution.recoding.as_json(), sort_keys=True)
            shared += key in ids
            assert ids.setdefault(key, solution.id) == solution.id
    assert shared
    assert len(set(ids.values())) == len(ids)


def test_never_without_a_record(front: Run, tmp_path: Path) -> None:
    bare = Run(front.table, front.methods, front.objectives, front.solutions)
    with pytest.raises(Bug):
        bare.save(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("frontier.json", None, f"{{}}: this file of the run is missing; {AGAIN}"),
        ("run.json", None, f"{{}}: this file of the run is missing; {AGAIN}"),
        ("frontier.json", "{", f"{{}}: this file cannot be read; {AGAIN}"),
        (
            "frontier.json",
            "[]",
            "{}: the format is not 'paretonym.frontier/1'; use the version of paretonym that wrote it, "
            "or explore again",
        ),
        (
            "run.json",
            '{"format": "paretonym.run/2"}',
            "{}: the format is not 'paretonym.run/1'; use the version of paretonym that wrote it, "
            "or explore again",
        ),
    ],
)
def test_damaged_files(front: Run, tmp_path: Path, name: str, text: str | None, said: str) -> None:
    front.save(tmp_path / "run")
    damaged = tmp_path / "run" / name
    damaged.unlink() if text is None else damaged.write_text(text)
    with pytest.raises(InputError) as error:
        paretonym.load(tmp_path / "run")
    assert str(error.value) == said.format(damaged)


def forget_digests(run: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    del record["files"]
    (run / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize("name", ["frontier.json", "schema.toml"])
def test_changed_files(front: Run, tmp_path: Path, name: str) -> None:
    front.save(tmp_path / "run")
    changed = tmp_path / "run" / name
    changed.write_text(changed.read_text() + "\n")
    with pytest.raises(InputError) as error:
        paretonym.load(tmp_path / "run")
    assert str(error.value) == f"{changed}: it has changed since the run was made; explore again"
    # A run of before has no digests, and is read; saved again it has them.
    forget_digests(tmp_path / "run")
    paretonym.load(tmp_path / "run").save(tmp_path / "again")
    assert paretonym.load(tmp_path / "again").solutions == front.solutions


def test_changed_hierarchy_file(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_text("a,north\nb,north\nc,south\n")
    (tmp_path / "s.toml").write_text('[columns.town]\nrole = "quasi"\nhierarchy = { file = "town.csv" }\n')
    (tmp_path / "data.csv").write_text("town\na\nb\nc\na\n")
    paretonym.Study(tmp_path / "data.csv", tmp_path / "s.toml").explore("k", "loss", space="lattice").save(
        tmp_path / "run"
    )
    copy = tmp_path / "run/town.csv"
    copy.write_text(copy.read_text().replace("c,south", "c,north"))
    with pytest.raises(InputError, match=r"town\.csv: it has changed since the run was made"):
        paretonym.load(tmp_path / "run")


@pytest.mark.parametrize("further", ["", ', "rows": "x"'])
def test_damaged_entries(front: Run, tmp_path: Path, further: str) -> None:
    front.save(tmp_path / "run")
    forget_digests(tmp_path / "run")
    (tmp_path / "run/frontier.json").write_text(f'{{"format": "paretonym.frontier/1"{further}}}')
    with pytest.raises(InputError) as error:
        paretonym.load(tmp_path / "run")
    assert str(error.value) == f"{tmp_path / 'run'}: the files of this run are damaged; {AGAIN}"


def test_no_such_run(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        paretonym.load(tmp_path / "run")
    said = "this run does not exist; create it with 'paretonym explore … -o RUN'"
    assert str(error.value) == f"{tmp_path / 'run'}: {said}"


@pytest.mark.parametrize("space", ["mondrian", "local", "cuts", "buckets"])
def test_what_has_no_levels_is_not_compared_with_levels(
    space: Literal["mondrian", "local", "cuts", "buckets"],
) -> None:
    """'Not proven, among releases with one level per column', of parts that are cut between values."""
    study = random_table(Random(3), rows=(40, 40), sensitive=1).study()
    least = {"l": 1.2} if space == "buckets" else {"k": 2}
    front = study.explore("k", "l", space=space, at_least=least)
    sentence = str(front.answer(best="l", allow_unproven=True)).splitlines()[0]
    assert "one level per column" not in f"{front} {sentence}"
    if space == "mondrian":
        assert sentence.endswith("(not proven, among the settings that were tried, with k at least 2).")
