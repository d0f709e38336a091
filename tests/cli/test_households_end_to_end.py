"""Tables of households, from the schema to the attack: what is counted, what is said, and what never leaves
the input."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.risk import household_risk
from tests.cli.conftest import Command
from tests.naive import households as naive
from tests.naive.households import Member

SECRET = "Zz"  # every household's name begins with it


def homes(seed: int = 3, number: int = 40) -> list[Member]:
    random = Random(seed)
    rows = [
        Member(f"{SECRET}{home}", random.randrange(8), random.choice("mf"), random.choice(["flu", "hiv"]))
        for home in range(number)
        for _ in range(random.choice([1, 2, 2, 3]))
    ]
    random.shuffle(rows)
    return rows


def frame(rows: list[Member], **further: list[Any]) -> pa.Table:
    return pa.table({**naive.table(rows), **further})


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in k, k-household and loss; its table is `homes.csv`, the schema `schema.toml` in the run."""
    folder = tmp_path_factory.mktemp("homes")
    table = naive.table(homes())
    lines = [",".join(row) for row in zip(*table.values(), strict=True)]
    (folder / "homes.csv").write_text("\n".join([",".join(table), *lines]))
    pn.Study(folder / "homes.csv", schema=naive.SCHEMA).explore(
        "k", "k-household", "loss", space="lattice"
    ).save(folder / "run")
    return folder


def test_no_household_leaves_the_input(explored: Path, tmp_path: Path) -> None:
    front = pn.load(explored / "run")
    pick = next(each for each in front if each["k-household"] >= 2)
    path = pick.release(tmp_path / "public.csv", allow_second_release=True)
    assert "home" not in path.read_text().splitlines()[0]
    for file in (*sorted((explored / "run").rglob("*")), path, *tmp_path.glob("*.json")):
        assert file.is_dir() or SECRET not in file.read_text(encoding="utf-8", errors="replace"), file


def test_the_manifest_states_households_and_an_audit_counts_them_beside_the_original(
    explored: Path, tmp_path: Path
) -> None:
    pick = next(
        each for each in pn.load(explored / "run") if each["k-household"] >= 2 and each.suppressed == 0
    )
    path = pick.release(tmp_path / "public.csv", allow_second_release=True)
    stored = path.with_name("public.csv.manifest.json")
    manifest = json.loads(stored.read_text())
    assert manifest["statements"]["k-household"] == pick["k-household"]
    beside: dict[str, Any] = {"original": explored / "homes.csv", "schema": naive.SCHEMA}
    full = pn.audit(path, **beside, require=["k-household>=2"])
    assert full.passed
    assert full["k-household"] == pick["k-household"]
    alone = next(check for check in pn.audit(path).checks if check.name == "k-household")
    assert alone.holds is None
    assert alone.why.startswith(
        "cannot be verified: the file does not say which rows belong to one household"
    )
    for said in (pick["k-household"] + 1, None):
        forged = {**manifest["statements"], "k-household": said}
        manifest["statements"] = {name: value for name, value in forged.items() if value is not None}
        stored.write_text(json.dumps(manifest, indent=1) + "\n")
        assert "k-household" in {check.name for check in pn.audit(path, **beside).failed}


def test_households_of_a_schema_that_has_none(explored: Path, tmp_path: Path) -> None:
    """What nothing could prove is not stated; a part of a household is no number of them."""
    pick = next(each for each in pn.load(explored / "run") if each["k-household"] >= 2)
    path = pick.release(tmp_path / "public.csv", allow_second_release=True)
    stored = path.with_name("public.csv.manifest.json")
    columns = {**naive.SCHEMA["columns"], "home": {"role": "drop"}}
    found = pn.audit(path, schema={**naive.SCHEMA, "columns": columns})
    assert {check.name: check.why for check in found.failed}["k-household"] == "the schema has no households"
    manifest = json.loads(stored.read_text())
    manifest["statements"]["k-household"] = 2.5
    stored.write_text(json.dumps(manifest))
    assert [check.name for check in pn.audit(path).failed] == ["k-household"]


def test_an_audit_counts_the_members_that_stay(tmp_path: Path) -> None:
    """Whatever was suppressed: the audit's own count, by SQL, is that of the slow twin."""
    rows = homes(seed=8)
    (tmp_path / "homes.csv").write_text(
        "\n".join([",".join(Member._fields), *(",".join(map(str, row)) for row in rows)])
    )
    front = pn.Study(tmp_path / "homes.csv", schema=naive.SCHEMA).explore(
        "k", "k-household", "loss", suppress="any:0.4", space="lattice"
    )
    picks = [each for each in front if each.suppressed][:2]
    assert picks
    for number, pick in enumerate(picks):
        path = pick.release(tmp_path / f"{number}.csv", allow_second_release=True)
        found = pn.audit(path, original=tmp_path / "homes.csv", schema=naive.SCHEMA)
        levels = tuple(pick.recoding.as_json()["levels"].values())
        stay = dict(naive.at_thresholds(rows, levels, len(rows)))[int(pick["k"])]
        assert found.passed
        assert found["k-household"] == naive.k_household(stay, levels) == pick["k-household"]


def test_the_risk_of_a_household_is_that_at_least_one_member_is_found(explored: Path) -> None:
    rows = homes()
    front = pn.load(explored / "run")
    assert front.data is not None
    for pick in (front[0], front[len(front) - 1], next(each for each in front if each.suppressed)):
        levels = tuple(pick.recoding.as_json()["levels"].values())
        stay = dict(naive.at_thresholds(rows, levels, len(rows)))[int(pick["k"])]
        risks = naive.household_risks(stay, levels)
        found = household_risk(front.data.realized(pick.recoding))
        assert found is not None
        assert found.highest == pytest.approx(float(max(risks)))
        assert found.average == pytest.approx(float(sum(risks) / len(risks)))
        assert (found.number, found.smallest) == (len(risks), naive.k_household(stay, levels))
    table = pn.Study(frame(rows), schema=naive.SCHEMA).risk()
    assert table.as_json()["households"]["average"] == pytest.approx(
        float(sum(each := naive.household_risks(rows, (0, 0))) / len(each))
    )


def test_rows_without_a_household_are_refused() -> None:
    rows = [row._replace(home="") if place < 2 else row for place, row in enumerate(homes())]
    with pytest.raises(InputError, match=f"2 of {len(rows)} rows do not say which household they belong to"):
        pn.Study(frame(rows), schema=naive.SCHEMA).explore(space="lattice")
    columns = {**naive.SCHEMA["columns"], "home": {"role": "household", "missing": "drop"}}
    assert (
        pn.Study(frame(rows), schema={"columns": columns}).explore(space="lattice").table.rows
        == len(rows) - 2
    )


def test_a_household_that_spans_two_regions_is_named(tmp_path: Path) -> None:
    rows = homes()
    region = ["NSE"[int(row.home.removeprefix(SECRET)) % 3] for row in rows]
    several = [home for home in {row.home for row in rows} if sum(row.home == home for row in rows) > 1]
    moved = next(place for place, row in enumerate(rows) if row.home == min(several))
    region[moved] = "W"
    columns = {**naive.SCHEMA["columns"], "region": {"role": "quasi", "hierarchy": {"flat": True}}}
    front = pn.Study(frame(rows, region=region), schema={"columns": columns}).explore(
        "k-household", "loss", suppress=0, space="lattice"
    )
    said = (
        f"Members of 1 of {len(several)} households have different values of 'region', which all members of "
        "the others share. If it belongs to the household, these rows are mistakes or belong to different "
        "households; k-household takes every member as the table has it."
    )
    assert front.warnings == (said,)
    front.save(tmp_path / "run")
    assert pn.load(tmp_path / "run").warnings == (said,)


def test_whole_households_are_suppressed_audited_and_searched_for(tmp_path: Path) -> None:
    """The audit finds by itself which households had to go; the attacker misses only whom no row fits. A
    release that kept the other members fails the audit."""
    rows = [row._replace(age=row.age % 4) for row in homes(seed=8, number=30)]
    rows += [Member(f"{SECRET}99", age, "f", "flu") for age in (0, 1, 7)]
    schema = {**naive.SCHEMA, "suppress": {"unit": "household"}}
    (tmp_path / "homes.csv").write_text(
        "\n".join([",".join(Member._fields), *(",".join(map(str, row)) for row in rows)])
    )
    study = pn.Study(tmp_path / "homes.csv", schema=schema)
    with pytest.raises(InputError, match=r"'any:0.1' tries every threshold, and the schema says"):
        study.explore(space="lattice")
    pick = next(each for each in study.explore(suppress="5%", space="lattice") if each.suppressed)
    assert pick.suppressed == 3
    path = pick.release(tmp_path / "public.csv")
    manifest = json.loads(path.with_name("public.csv.manifest.json").read_text())
    assert manifest["suppress"] == {"unit": "household"}
    assert "rows" not in manifest
    beside: dict[str, Any] = {"original": tmp_path / "homes.csv", "schema": schema}
    assert pn.audit(path, **beside).failed == ()
    found = pn.attack(path, **beside)
    assert (found.absent, found.smallest, found.reidentified) == (1, 0, 0)
    _, union = pick.apply(frame(rows))
    assert (union.unit, union.returning, union.left_out) == ("household", 3, 3)
    with pytest.raises(InputError, match="whole persons or households, and the space mondrian suppresses"):
        study.explore("k", "loss", space="mondrian", sweep="k=2", suppress="1%")


def test_a_release_that_kept_the_others_of_a_household_fails_the_audit(tmp_path: Path) -> None:
    rows = [row._replace(age=row.age % 4) for row in homes(seed=8, number=30)]
    rows += [Member(f"{SECRET}99", age, "f", "flu") for age in (0, 1, 7)]
    (tmp_path / "homes.csv").write_text(
        "\n".join([",".join(Member._fields), *(",".join(map(str, row)) for row in rows)])
    )
    front = pn.Study(tmp_path / "homes.csv", schema=naive.SCHEMA).explore(suppress="5%", space="lattice")
    pick = min((each for each in front if each.suppressed == 1), key=lambda each: each["k"])
    path = pick.release(tmp_path / "public.csv")
    stored = path.with_name("public.csv.manifest.json")
    manifest = {**json.loads(stored.read_text()), "suppress": {"unit": "household"}}
    stored.write_text(json.dumps(manifest, indent=1) + "\n")
    schema = {**naive.SCHEMA, "suppress": {"unit": "household"}}
    audited = pn.audit(path, original=tmp_path / "homes.csv", schema=schema)
    assert "rows not from the original" in {check.name for check in audited.failed}


def test_the_risk_of_the_table_does_not_depend_on_what_is_suppressed_together() -> None:
    rows = homes()
    together = pn.Study(frame(rows), schema={**naive.SCHEMA, "suppress": {"unit": "household"}})
    assert together.risk().as_json() == pn.Study(frame(rows), schema=naive.SCHEMA).risk().as_json()


def test_it_is_said_where_the_number_of_households_matters(
    command: Command, explored: Path, tmp_path: Path
) -> None:
    pick = pn.load(explored / "run")[0]
    path = str(tmp_path / "r.csv")
    ended = command(
        "release", str(explored / "run"), "--pick", pick.id, "-o", path, "--allow-second-release", "-d"
    )
    said = " ".join(ended.out.split())
    assert "matters only where members of a household stay linkable in the release" in said
    found = pn.audit(tmp_path / "r.csv", original=explored / "homes.csv", schema=naive.SCHEMA)
    check = next(check for check in found.checks if check.name == "k-household")
    assert check.why == "it matters only where members of a household stay linkable in the release"
    with pytest.raises(InputError) as refused:
        pn.audit(tmp_path / "r.csv", require=["k-household>=1"])
    assert str(refused.value) == (
        "require='k-household>=1': 'k-household' cannot be measured: the file does not say which rows belong "
        "to one household; give original= and schema="
    )
