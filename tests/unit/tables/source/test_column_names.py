"""Names that are wrong, names that a terminal would obey, and names that are somebody's row."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source import FileForm
from paretonym.tables.source.column_names import header_warning
from paretonym.tables.source.engines import read

ESCAPE = "a\x1b[2Jge"


def opened(folder: Path, text: str) -> str | None:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return header_warning(read(path))


def test_a_file_without_a_header(tmp_path: Path) -> None:
    warning = opened(tmp_path, "39,Private,Male\n50,Private,Male\n23,State,Female\n")
    assert warning == (
        "the first line of people.csv may be a person's row instead of a header: 3 of 3 column names look "
        "like a value of that column, and column names are published unchanged; if there is no header, add "
        "one"
    )


@pytest.mark.parametrize(
    "text",
    [
        "age,class,sex\n39,Private,Male\n50,Private,Male\n",
        "town,2019,2020\nUlm,17,18\nKiel,5,9\n",
        "yes,age,town\nyes,3,Ulm\nno,4,Kiel\n",
    ],
    ids=["names", "years above counts", "one name among values"],
)
def test_headers_that_are_headers(tmp_path: Path, text: str) -> None:
    assert opened(tmp_path, text) is None


def test_control_characters_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{ESCAPE},sex\n1,m\n", encoding="utf-8")
    said = "the name of column 1 contains a control character; rename the column"
    with pytest.raises(InputError, match=f"people.csv, header: {re.escape(said)}") as refused:
        read(path)
    assert "\x1b" not in str(refused.value)
    with pytest.raises(InputError, match=re.escape(said)):
        read(pa.table({ESCAPE: ["1"]}))


def test_a_header_cell_of_several_lines_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('"age\n(years)",sex\n1,m\n', encoding="utf-8")
    assert read(path).names == ("age\n(years)", "sex")


@pytest.mark.parametrize("first", ['""', ""])
def test_names_of_rows_have_a_column(tmp_path: Path, first: str) -> None:
    """As R's write.csv and pandas' to_csv() write them."""
    path = tmp_path / "people.csv"
    path.write_text(f"{first},age,ill\n1,20,u\n2,30,v\n")
    assert read(path).names == ("row", "age", "ill")
    assert FileForm.of(path).header_row is None
    path.write_text(f"{first},row,ill\n1,20,u\n2,30,v\n")
    assert read(path).names == ("row_2", "row", "ill")
