"""Cells of a CSV file: nothing runs, nothing is confused, nothing is lost."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.release.release_files import check_release
from paretonym.release.release_writer import cells, harmless

PIECES = st.lists(
    st.sampled_from(
        ["=", "+", "-", "@", "'", " ", "\t", "\r", "\n", '"', ",", ";", "1", "1.5", "a", "＝", "%"]
    ),
    min_size=1,
    max_size=5,
).map("".join)
TEXTS = st.lists(PIECES | st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, unique=True)


@settings(deadline=None)
@given(TEXTS)
def test_no_two_values_become_equal(texts: list[str]) -> None:
    shown = harmless(pa.array(texts)).to_pylist()
    assert len(set(shown)) == len(texts)
    for text, cell in zip(texts, shown, strict=True):
        assert cell in (text, f"'{text}")


@settings(deadline=None)
@given(TEXTS)
def test_nothing_runs(texts: list[str]) -> None:
    for cell in harmless(pa.array(texts)).to_pylist():
        assert cell[0] not in "=+-@\t\r\n＝" or (cell[0] in "+-" and cell[1:2].isdigit()) or _number(cell)


def _number(cell: str) -> bool:
    try:
        float(cell.rstrip("%").replace(",", ""))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("number", ["-5", "-0.5", "+3", "-1,5", "-1.234,5", "-2e-7", "-.5", "-12%", "7"])
def test_numbers_stay(number: str) -> None:
    assert harmless(pa.array([number])).to_pylist() == [number]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+49 30 123", "-", "-a", "--1", "@SUM(1)", "\t=1", " =1", "\r", "＝1", "'=1", "-1+1", "+cmd|x"],
)
def test_what_could_run_gets_an_apostrophe(text: str) -> None:
    assert harmless(pa.array([text])).to_pylist() == [f"'{text}"]


@settings(deadline=None)
@given(TEXTS)
def test_any_reader_finds_the_cells(texts: list[str]) -> None:
    texts = [text for text in texts if "\0" not in text] or ["a"]
    line = "".join(cells(pa.array(texts), last=False, alone=False).to_pylist()[:-1])
    read = next(csv.reader(io.StringIO(line + "\n", newline=""), strict=True))
    assert read[:-1] == harmless(pa.array(texts)).to_pylist()


def test_a_null_alone_in_its_line_is_not_a_blank_line() -> None:
    assert cells(pa.array(["a"]), last=True, alone=True).to_pylist() == ["a\n", '""\n']


@pytest.mark.parametrize("name", [".", "..", "/"])
def test_a_folder_that_is_there_in_any_case_is_no_name(name: str) -> None:
    """`-o .` ended as a bug, while the name of the manifest was made."""
    with pytest.raises(InputError, match="the name does not say which format to write"):
        check_release(Path(name), force=True, inputs=())
