"""A survey with weights, from the schema to the attack: what is released, what is said, what stays inside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command

SCHEMA = """
[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [10, 20]
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.w]
role = "weight"
"""
# Weights that nothing else in the output could be.
ROWS = [f"{20 + n % 20},{'fm'[n % 2]},{7654 + n // 2}.125" for n in range(60)]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text("age,sex,w\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "shown.toml").write_text(SCHEMA + "release = true\n", encoding="utf-8")
    return tmp_path


def released(command: Command, schema: str, *more: str) -> str:
    ended = command(
        "explore",
        "--space",
        "lattice",
        "s.csv",
        "--schema",
        schema,
        "-o",
        f"{schema}.run",
        "--suppress",
        "0",
        *more,
    )
    assert ended.code == 0, ended.err
    asked = command("ask", f"{schema}.run", "--at-least", "k=5", "--best", "loss", "--json")
    pick = json.loads(asked.out)["answer"]["id"]
    ended = command(
        "release", f"{schema}.run", "--pick", pick, "-o", f"{schema}.csv", "--allow-second-release", "-d"
    )
    assert ended.code == 0, ended.err
    return asked.err + ended.err


def test_dropped_unless_the_schema_says_otherwise(command: Command, survey: Path) -> None:
    said = released(command, "s.toml")
    assert "Column 'w', the sampling weight, is not published: totals of" in " ".join(said.split())
    assert (survey / "s.toml.csv").read_text().splitlines()[0] == "age,sex"
    for file in [survey / "s.toml.csv.manifest.json", *(survey / "s.toml.run").iterdir()]:
        assert not re.search(r"76[0-9]{2}\.125", file.read_text())
    assert command("audit", "s.toml.csv", "--original", "s.csv", "--schema", "s.toml").code == 0
    assert command("attack", "s.toml.csv", "--original", "s.csv", "--schema", "s.toml").code == 0
    # No claim and no statement rests on an estimate.
    manifest = json.loads((survey / "s.toml.csv.manifest.json").read_text())
    assert not [name for name in (*manifest["claims"], *manifest["statements"]) if "map" in name]


def test_released_with_a_warning(command: Command, survey: Path) -> None:
    said = released(command, "shown.toml")
    assert (
        "Column 'w', the sampling weight, is published exactly. 0 of 60 rows (0.0 %) have a value that no "
        "other row has. 60 rows have one that fewer than 5 rows have. No measure counts that weights show"
    ) in " ".join(said.split())
    assert (survey / "shown.toml.csv").read_text().splitlines()[0] == "age,sex,w"
    manifest = json.loads((survey / "shown.toml.csv.manifest.json").read_text())
    assert manifest["roles"] == {"age": "quasi", "sex": "quasi", "w": "weight"}
    assert command("audit", "shown.toml.csv", "--original", "s.csv", "--schema", "shown.toml").code == 0
    # A file that shows weights, and a schema that does not release them.
    ended = command("audit", "shown.toml.csv", "--schema", "s.toml")
    assert (ended.code, "the schema does not release these: w" in ended.out) == (1, True)
    ended = command("attack", "shown.toml.csv", "--original", "s.csv", "--schema", "s.toml")
    assert (ended.code, "its columns are not those that the schema releases" in ended.err) == (2, True)


def test_weights_undo_generalization(survey: Path) -> None:
    """Why releasing them is not the default: k says 60, the weights leave two."""
    import paretonym as pn

    found = pn.Study(survey / "s.csv", schema=survey / "shown.toml").explore(
        "k", "loss", suppress=0, space="lattice"
    )
    table = found.ask(at_least={"k": 60}, best="loss").release()
    weights = list(table["w"])
    assert max(map(weights.count, weights)) == 2


def test_unique_weights_are_counted(command: Command, survey: Path) -> None:
    rows = [*ROWS, "20,f,3.5", "21,m,4.5"]
    (survey / "s.csv").write_text("age,sex,w\n" + "\n".join(rows) + "\n", encoding="utf-8")
    ended = command("schema", "shown.toml", "--data", "s.csv", "--details")
    assert "2 of 62 rows (3.2 %) have a value that no other row has" in " ".join(
        (ended.out + ended.err).split()
    )


def test_risk(command: Command, survey: Path) -> None:
    ended = command("risk", "s.csv", "--schema", "s.toml", "--details")
    total = sum(float(row.split(",")[2]) for row in ROWS)
    text = " ".join(ended.out.split())
    assert f"If the table stands for {total:,.0f} people, as many as the weights add up to, " in text
    assert "The smallest class stands for 22,992.4 people of it (estimated k-map)." in text
    assert "estimates without the weights" in text
    ended = command("risk", "s.csv", "--schema", "s.toml", "--sampling-fraction", "2%")
    text = " ".join(ended.out.split())
    assert "If the table is a sample of 2 % of a population, drawn as the weights say, " in text
    document = json.loads(command("risk", "s.csv", "--schema", "s.toml", "--json").out)
    assert document["sample"]["weights"] == "given"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rounded_weights(command: Command, survey: Path, kind: str) -> None:
    """Coarsened as the schema says: shown, warned of, measured and audited as they are released."""
    import pyarrow.csv
    import pyarrow.parquet

    import paretonym as pn

    data = survey / "s.csv"
    if kind == "parquet":
        data = survey / "s.parquet"
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(survey / "s.csv"), data)
    (survey / "rounded.toml").write_text(SCHEMA + "release = true\nround = 12.5\n", encoding="utf-8")
    study = pn.Study(data, schema=survey / "rounded.toml")
    found = study.explore("k", "k-map-estimated", suppress=0, space="lattice")
    pick = found.ask(at_least={"k": 5}, best="k-map-estimated")
    path = pick.release(survey / f"r.{kind}")
    table = pyarrow.csv.read_csv(path) if kind == "csv" else pyarrow.parquet.read_table(path)
    weights = table["w"].to_pylist()
    assert set(weights) == {7650.0, 7662.5, 7675.0, 7687.5}
    beside = pn.audit(path, original=data, schema=survey / "rounded.toml")
    assert beside.passed, [(each.name, each.why) for each in beside.failed]
    # Weights that are not rounded as the schema says are not those of the original.
    exact = pn.audit(path, original=data, schema=survey / "shown.toml")
    assert not exact.passed
    said = " ".join(" ".join(pick.warnings()).split())
    assert "the sampling weight, is published rounded to multiples of 12.5." in said
    assert "Do not publish them, round them more, or declare them harmless in the schema." in said


def test_labels_of_rounded_weights_do_not_depend_on_suppressed_rows(survey: Path) -> None:
    """The attack: the same rows stay, others are suppressed; the files are the same, byte for byte."""
    import paretonym as pn

    (survey / "rounded.toml").write_text(SCHEMA + "release = true\nround = 50\n", encoding="utf-8")
    made = set()
    for number, others in enumerate([[], ["61,f,3"], ["75,m,99999.5"]]):
        data = survey / f"s{number}.csv"
        data.write_text("age,sex,w\n" + "\n".join([*ROWS, *others]) + "\n", encoding="utf-8")
        front = pn.Study(data, schema=survey / "rounded.toml").explore(
            "k", "loss", suppress="5%", space="lattice"
        )
        pick = front.ask(at_least={"k": 15}, best="loss")
        made.add(pick.release(survey / f"r{number}.csv", allow_second_release=True).read_text())
    assert len(made) == 1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "round = 10\n",
            "round is given, but the weights are not released; set release = true, or omit round",
        ),
        ("release = true\nround = 0\n", "round"),
        ("release = true\nround = 1e30\n", "round is the number 1E+30; give a number such as 10"),
        ("release = true\nrelease_level = 1\n", "use release = true with round = 10 to publish it rounded"),
    ],
)
def test_rounding_that_means_nothing(command: Command, survey: Path, entry: str, message: str) -> None:
    (survey / "bad.toml").write_text(SCHEMA + entry, encoding="utf-8")
    ended = command("explore", "--space", "lattice", "s.csv", "--schema", "bad.toml", "-o", "run")
    assert (ended.code, message in " ".join(ended.err.split())) == (2, True), ended.err


def test_only_weights_are_rounded(command: Command, survey: Path) -> None:
    (survey / "bad.toml").write_text(
        SCHEMA.replace("flat = true", "flat = true\nround = 5"), encoding="utf-8"
    )
    ended = command("explore", "--space", "lattice", "s.csv", "--schema", "bad.toml", "-o", "run")
    assert "round has no meaning for the role quasi; omit it: only weights that are released" in " ".join(
        ended.err.split()
    )


def test_added_rows_show_rounded_weights_too(survey: Path) -> None:
    import pyarrow.csv

    import paretonym as pn

    (survey / "rounded.toml").write_text(SCHEMA + "release = true\nround = 1000\n", encoding="utf-8")
    (survey / "new.csv").write_text("age,sex,w\n" + "\n".join(ROWS[:40]) + "\n21,f,3.25\n", encoding="utf-8")
    front = pn.Study(survey / "s.csv", schema=survey / "rounded.toml").explore(
        "k", "loss", suppress=0, space="lattice"
    )
    pick = front.ask(at_least={"k": 15}, best="loss")
    path = pick.release(survey / "old.csv")
    pick.apply(survey / "new.csv", survey / "added.csv")
    assert set(pyarrow.csv.read_csv(path)["w"].to_pylist()) == {8000}
    assert set(pyarrow.csv.read_csv(survey / "added.csv")["w"].to_pylist()) == {1000, 8000}
    schema = survey / "rounded.toml"
    assert pn.audit(
        survey / "added.csv", original=survey / "new.csv", old=survey / "s.csv", schema=schema
    ).passed
