"""Releases in buckets: what is in the files, what is mixed up, and that an audit finds what is wrong."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import paretonym as pn
from paretonym.audit import audit
from paretonym.base.errors import Bug, InputError
from paretonym.release.publication import recoded_rows
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.explored_run import Solution

SCHEMA: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "illness": {"role": "sensitive"},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    }
}
ROWS = [
    (f"p{i}", str(20 + i % 31), ["flu", "none", "gout", "acne", "cold"][i * i % 7 % 5], "fm"[i % 2])
    for i in range(200)
]


def solution(recoding: BucketsRecoding) -> Solution:
    """As it stands in a frontier, with nothing measured."""
    return Solution("chosen", {}, 0, recoding)


@pytest.fixture
def study(tmp_path: Path) -> pn.Study:
    data = tmp_path / "people.csv"
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([("name", "age", "illness", "sex"), *ROWS])
    return pn.Study(data, SCHEMA)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("way", "bound"), [("mondrian", {"k": 8}), ("anatomy", {"l": 3})])
def test_files(study: pn.Study, tmp_path: Path, way: str, bound: dict[str, float]) -> None:
    recoding, out = BucketsRecoding.of(bound, way), tmp_path / "x.csv"
    manifest = study.publish(solution(recoding), out)
    shown, apart, mixed = (rows_of(tmp_path / name) for name in ("x.qit.csv", "x.st.csv", "x.csv"))
    assert list(shown[0]) == ["age", "sex", "bucket"]
    assert list(apart[0]) == ["bucket", "illness"]
    assert list(mixed[0]) == ["age", "illness", "sex", "bucket"]
    assert Counter((row["age"], row["sex"]) for row in shown) == Counter((r[1], r[3]) for r in ROWS)
    assert Counter(row["illness"] for row in apart) == Counter(row[2] for row in ROWS)
    for part in (shown, apart):
        assert Counter(tuple(row.items()) for row in part) == Counter(
            tuple((name, row[name]) for name in part[0]) for row in mixed
        )
    buckets: dict[str, list[str]] = {}
    for row in apart:
        buckets.setdefault(row["bucket"], []).append(row["illness"])
    for values in buckets.values():
        if "k" in bound:
            assert len(values) >= bound["k"]
        else:
            assert len(values) / max(Counter(values).values()) >= bound["l"]
    assert manifest["recoding"] == {"buckets": way, "column": "bucket"}
    assert manifest["claims"]["k"] == study.realized(recoding).measure("k")["k"]
    assert audit(out).passed


def test_drawn_once(study: pn.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files of one release are equal. Who has another key draws which row has which value of its bucket
    in another way; what each bucket holds does not change."""
    recoding = BucketsRecoding.of({"k": 20})
    for name in ("one.csv", "two.csv"):
        study.publish(solution(recoding), tmp_path / name)
    for ending in ("csv", "st.csv", "qit.csv"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()
    monkeypatch.setenv("PARETONYM_STATE", str(tmp_path / "elsewhere"))
    pn.Study(tmp_path / "people.csv", SCHEMA).publish(solution(recoding), tmp_path / "other.csv")
    assert rows_of(tmp_path / "one.st.csv") == rows_of(tmp_path / "other.st.csv")
    assert rows_of(tmp_path / "one.qit.csv") == rows_of(tmp_path / "other.qit.csv")
    assert rows_of(tmp_path / "one.csv") != rows_of(tmp_path / "other.csv")


def test_as_a_dataframe(study: pn.Study) -> None:
    front = study.explore(space="buckets", sweep="l=2")
    table = front[0].release()
    assert [*table.columns] == ["age", "illness", "sex", "bucket"]
    assert len(table) == len(ROWS)


def test_rows_as_they_are_are_never_released(study: pn.Study) -> None:
    with pytest.raises(Bug, match="rows of buckets would be released as they are"):
        recoded_rows(study, BucketsRecoding.of({"k": 5}))


def test_a_column_of_that_name_keeps_it(tmp_path: Path) -> None:
    columns = {"bucket": SCHEMA["columns"]["sex"], "illness": SCHEMA["columns"]["illness"]}
    (tmp_path / "p.csv").write_text("bucket,illness\n" + "a,flu\nb,none\n" * 5)
    pn.Study(tmp_path / "p.csv", {"columns": columns}).publish(
        solution(BucketsRecoding.of({"k": 2})), tmp_path / "x.csv"
    )
    assert list(rows_of(tmp_path / "x.qit.csv")[0]) == ["bucket", "bucket_"]
    assert audit(tmp_path / "x.csv").passed


@pytest.mark.parametrize("ending", ["qit.csv", "st.csv", "csv"])
def test_an_audit_sees_a_changed_file(study: pn.Study, tmp_path: Path, ending: str) -> None:
    study.publish(solution(BucketsRecoding.of({"k": 8})), tmp_path / "x.csv")
    path = tmp_path / f"x.{ending}"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[1]]) + "\n")
    failed = [check.name for check in audit(tmp_path / "x.csv").failed]
    assert f"sha256 of x.{ending}" in failed
    assert any(name.endswith("agree") for name in failed)


def test_an_audit_sees_a_false_claim(study: pn.Study, tmp_path: Path) -> None:
    study.publish(solution(BucketsRecoding.of({"k": 8})), tmp_path / "x.csv")
    path = tmp_path / "x.csv.manifest.json"
    manifest = json.loads(path.read_text())
    manifest["claims"]["l"] += 1
    path.write_text(json.dumps(manifest))
    assert [check.name for check in audit(tmp_path / "x.csv").failed] == ["l"]
    assert not audit(tmp_path / "x.csv", require=["k>=2000"]).passed


def test_nothing_is_written_over(study: pn.Study, tmp_path: Path) -> None:
    (tmp_path / "x.st.csv").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        study.publish(solution(BucketsRecoding.of({"k": 8})), tmp_path / "x.csv")
    assert not (tmp_path / "x.qit.csv").exists()
    assert (tmp_path / "x.st.csv").read_text() == "mine"
