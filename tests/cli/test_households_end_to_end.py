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
from paretonym.errors import InputError
from paretonym.risk import household_risk
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
    pn.Study(folder / "homes.csv", schema=naive.SCHEMA).explore("k", "k-household", "loss").save(
        folder / "run"
    )
    return folder


def test_no_household_leaves_the_input(explored: Path, tmp_path: Path) -> None:
    front = pn.load(explored / "run")
    pick = next(each for each in front if each["k-household"] >= 2)
    path = pick.release(tmp_path / "public.csv", also=True)
    assert "home" not in path.read_text().splitlines()[0]
    for file in (*sorted((explored / "run").rglob("*")), path, *tmp_path.glob("*.json")):
        assert file.is_dir() or SECRET not in file.read_text(encoding="utf-8", errors="replace"), file


def test_the_manifest_states_households_and_an_audit_counts_them_beside_the_original(
    explored: Path, tmp_path: Path
) -> None:
    pick = next(
        each for each in pn.load(explored / "run") if each["k-household"] >= 2 and each.suppressed == 0
    )
    path = pick.release(tmp_path / "public.csv", also=True)
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


def test_an_audit_counts_the_members_that_stay(tmp_path: Path) -> None:
    """Whatever was suppressed: the audit's own count, by SQL, is that of the slow twin."""
    rows = homes(seed=8)
    (tmp_path / "homes.csv").write_text(
        "\n".join([",".join(Member._fields), *(",".join(map(str, row)) for row in rows)])
    )
    front = pn.Study(tmp_path / "homes.csv", schema=naive.SCHEMA).explore(
        "k", "k-household", "loss", suppress="any:0.4"
    )
    picks = [each for each in front if each.suppressed][:2]
    assert picks
    for number, pick in enumerate(picks):
        path = pick.release(tmp_path / f"{number}.csv", also=True)
        found = pn.audit(path, original=tmp_path / "homes.csv", schema=naive.SCHEMA)
        levels = tuple(pick.recoding.as_json()["levels"].values())
        stay = dict(naive.at_thresholds(rows, levels, len(rows)))[int(pick["k"])]
        assert found.passed
        assert found["k-household"] == naive.k_household(stay, levels) == pick["k-household"]


def test_somebody_who_knows_all_members_finds_households_if_they_stay_linkable(
    explored: Path, tmp_path: Path
) -> None:
    """The attacker of the estimate, played by hand: everybody's members as the release shows them, matched
    with the households of a release that would say which rows belong together."""
    rows = homes()
    front = pn.load(explored / "run")
    pick = max(
        (each for each in front if not each.suppressed and each["k-household"] == 1), key=lambda s: s["k"]
    )
    assert pick["k"] > 1
    path = pick.release(tmp_path / "public.csv", also=True)
    found = pn.attack(path, original=explored / "homes.csv", schema=naive.SCHEMA)
    levels = tuple(pick.recoding.as_json()["levels"].values())
    shown = list(naive.members(rows, levels).values())
    alone = sum(shown.count(each) == 1 for each in shown)
    estimate = next(each for each in found.estimates if each.name == "linked members")
    assert (estimate.value, estimate.baseline) == (alone, 0)
    assert alone > 0
    assert estimate.what == "households are re-identified if their members stay linkable (public.csv)"
    assert found.reidentified == 0


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
    with pytest.raises(InputError, match=f"2 of {len(rows)} rows do not say to which household they belong"):
        pn.Study(frame(rows), schema=naive.SCHEMA).explore()
    columns = {**naive.SCHEMA["columns"], "home": {"role": "household", "missing": "drop"}}
    assert pn.Study(frame(rows), schema={"columns": columns}).explore().table.rows == len(rows) - 2


def test_a_household_that_spans_two_regions_is_named(tmp_path: Path) -> None:
    rows = homes()
    region = ["NSE"[int(row.home.removeprefix(SECRET)) % 3] for row in rows]
    several = [home for home in {row.home for row in rows} if sum(row.home == home for row in rows) > 1]
    moved = next(place for place, row in enumerate(rows) if row.home == min(several))
    region[moved] = "W"
    columns = {**naive.SCHEMA["columns"], "region": {"role": "quasi", "hierarchy": {"flat": True}}}
    front = pn.Study(frame(rows, region=region), schema={"columns": columns}).explore(
        "k-household", "loss", suppress=0
    )
    said = (
        f"Members of 1 of {len(several)} households have different values of 'region', which all members of "
        "the others share. If it belongs to the household, these rows are mistakes or belong to different "
        "households; k-household takes every member as the table has it."
    )
    assert front.warnings == (said,)
    front.save(tmp_path / "run")
    assert pn.load(tmp_path / "run").warnings == (said,)
