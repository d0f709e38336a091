"""Numbers with a decimal comma: read in one place, the same everywhere afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.tables.source.decimal_comma import counts_with_points, with_points
from paretonym.tables.source.engines import read

ROWS = [(f"{20 + number % 7},{number % 4}", "mf"[number % 2], f"{number % 3}") for number in range(80)]
COLUMNS: dict[str, Any] = {
    "bmi": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "illness": {"role": "sensitive"},
}
COMMA = {"decimal": ",", "columns": COLUMNS}
OF_COLUMN = {"columns": {**COLUMNS, "bmi": {**COLUMNS["bmi"], "decimal": ","}}}


def written(path: Path, mark: str) -> Path:
    lines = (";".join((bmi.replace(",", mark), *rest)) for bmi, *rest in ROWS)
    path.write_text("\n".join(["bmi;sex;illness", *lines]) + "\n")
    return path


@pytest.mark.parametrize("schema", [COMMA, OF_COLUMN])
def test_the_same_frontier_and_release_as_with_points(tmp_path: Path, schema: Any) -> None:
    points = pn.Study(written(tmp_path / "points.csv", "."), {"columns": COLUMNS}).explore(
        "k", "loss", space="lattice"
    )
    commas = pn.Study(written(tmp_path / "commas.csv", ","), schema).explore("k", "loss", space="lattice")
    assert [(each.id, each.values) for each in commas] == [(each.id, each.values) for each in points]
    assert pa.table(commas[0].release()).equals(pa.table(points[0].release()))
    assert pa.table(commas[len(commas) - 1].release()).equals(pa.table(points[len(points) - 1].release()))


def test_an_audit_reads_the_original_in_the_same_way(tmp_path: Path) -> None:
    path = written(tmp_path / "commas.csv", ",")
    front = pn.Study(path, COMMA).explore("k", "loss", space="lattice")
    released = front[1].release(tmp_path / "out.csv")
    assert pn.audit(released, schema=COMMA, original=path).passed
    rows, union = front[1].apply(path)
    assert len(rows)
    assert union.k >= front[1]["k"]


def test_what_is_converted() -> None:
    given = ["12,5", "1.234,50", "1.234", "-0,5", ",5", "1e3", "7", " 8,0 ", "x", "1,2,3", None, "."]
    expected = ["12.5", "1234.50", "1234", "-0.5", ".5", "1e3", "7", " 8.0 ", "x", "1,2,3", None, "."]
    assert with_points(pa.array(given), "bmi").to_pylist() == expected


def test_two_spellings_of_one_number_become_one_value() -> None:
    table = counts_with_points(read(pa.table({"a": ["1.234,5", "1234,5", "2"]})), {"a", "b"})
    assert table.column("a").texts == ("1234.5", "2")
    assert table.column("a").counts.tolist() == [2, 1]


def test_points_beside_commas_are_refused(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"bmi": ["12,5", "13.25"], "sex": ["m", "f"], "illness": ["a", "b"]})
    with pytest.raises(InputError) as error:
        pn.Study(frame, COMMA)
    assert str(error.value) == (
        "the dataframe, column 'bmi': the schema says decimal = \",\", and some numbers have a decimal point"
        '; write all of them in one way, or set decimal = "." for this column'
    )


def test_columns_of_text_in_parquet_files(tmp_path: Path) -> None:
    bmi, sex, illness = zip(*ROWS, strict=True)
    parquet.write_table(pa.table({"bmi": bmi, "sex": sex, "illness": illness}), tmp_path / "p.parquet")
    found = pn.Study(tmp_path / "p.parquet", COMMA).explore("k", "loss", space="lattice")
    expected = pn.Study(written(tmp_path / "points.csv", "."), {"columns": COLUMNS}).explore(
        "k", "loss", space="lattice"
    )
    assert [each.id for each in found] == [each.id for each in expected]


def test_only_columns_of_numbers_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("bmi;sex;illness\n12,5;1,5;1,5\n13,5;2,5;2,5\n")
    study = pn.Study(path, COMMA)
    assert study.source.column("bmi").texts == ("12.5", "13.5")
    assert study.source.column("sex").texts == ("1,5", "2,5")


def test_a_sensitive_column_of_numbers_needs_a_level_with_commas_too(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("bmi;sex;illness\n" + "".join(f"{n % 3},5;m;{n},5\n" for n in range(200)))
    with pytest.raises(InputError, match="a sensitive column of numbers has 200 values and no level"):
        pn.Study(path, OF_COLUMN).explore("k", "loss", space="lattice")


def test_the_message_about_commas_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'; set decimal = "," if that is their decimal comma$'):
        pn.Study(written(tmp_path / "p.csv", ","), {"columns": COLUMNS}).explore("k", "loss", space="lattice")
