"""`attack --control`: the three criteria, for a release and for anybody's table."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tests.cli.conftest import AGE_AND_SEX, Command

SCHEMA = AGE_AND_SEX + '[columns.job]\nrole = "sensitive"\n'


def write_people(path: Path, number: int, seed: int) -> list[str]:
    draws = random.Random(seed)
    rows = [
        f"{draws.randrange(20, 60)},{draws.choice('mf')},{draws.choice(['cook', 'nurse', 'clerk', 'baker'])}"
        for _ in range(number)
    ]
    path.write_text("\n".join(["age,sex,job", *rows]) + "\n")
    return rows


def test_a_release_and_a_copy(command: Command, tmp_path: Path) -> None:
    write_people(tmp_path / "original.csv", 300, 1)
    write_people(tmp_path / "control.csv", 150, 2)
    (tmp_path / "s.toml").write_text(SCHEMA)
    beside = ("--original", "original.csv", "--control", "control.csv", "--schema", "s.toml")
    assert (
        command("explore", "original.csv", "--schema", "s.toml", "--space", "lattice", "-o", "run").code == 0
    )
    pick = json.loads(Path("run/frontier.json").read_text())["solutions"][0]["id"]
    assert command("release", "run", "--pick", pick, "-o", "release.csv").code == 0
    ended = command("attack", "release.csv", *beside, "--json")
    (measured,) = json.loads(ended.out)["criteria"]
    names = [(one["criterion"], one["subject"]) for one in measured["criteria"]]
    assert names == [
        ("singling-out", "3 columns"), ("linkability", "1 nearest"), ("linkability", "5 nearest"),
        ("inference", "job"),
    ]  # fmt: skip
    # Nothing but the jobs is shown.
    inference = measured["criteria"][-1]
    assert inference["risk"] <= inference["half_width"]

    (tmp_path / "copy.csv").write_text((tmp_path / "original.csv").read_text())
    copied = command("attack", "copy.csv", *beside, "--json")
    inference = json.loads(copied.out)["criteria"][0]["criteria"][-1]
    assert inference["risk"] > 0.3
    assert inference["beats_guessing"]
    assert copied.code == 1


def test_a_synthetic_table_is_measured_alone(command: Command, tmp_path: Path) -> None:
    write_people(tmp_path / "original.csv", 300, 1)
    write_people(tmp_path / "control.csv", 150, 2)
    rows = write_people(tmp_path / "drawn.csv", 200, 3)
    (tmp_path / "s.toml").write_text(SCHEMA)
    (tmp_path / "synthetic.csv").write_text(
        "\n".join(["age,sex,job,made", *(f"{row},x" for row in rows)]) + "\n"
    )
    ended = command(
        "attack", "synthetic.csv", "--original", "original.csv", "--control", "control.csv",
        "--schema", "s.toml", "--details",
    )  # fmt: skip
    assert ended.code == 0
    assert ended.out.startswith(
        "Singling out, linkability and inference were measured; no other attack was tried.\n"
    )
    assert "Linkage and certain values were not tried" in ended.out
    assert "Inference of 'job': " in ended.out


def test_a_small_control_is_refused(command: Command, tmp_path: Path) -> None:
    write_people(tmp_path / "original.csv", 300, 1)
    write_people(tmp_path / "control.csv", 5, 2)
    (tmp_path / "s.toml").write_text(SCHEMA)
    ended = command(
        "attack",
        "original.csv",
        "--original",
        "original.csv",
        "--control",
        "control.csv",
        "--schema",
        "s.toml",
    )
    assert ended.code == 2
    assert "it has 5 rows, too few to measure anything; give 20 or more" in ended.err
