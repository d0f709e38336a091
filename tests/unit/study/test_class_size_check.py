"""k of a table in two lines, wherever the table is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest

import paretonym as pn

ROWS = {"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", None], "note": list("abcde")}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pa.table, polars.LazyFrame])
def test_every_kind_of_table(make: Any) -> None:
    assert pn.k_anonymity(make(ROWS), ["age"]) == 2
    assert pn.k_anonymity(make(ROWS), "age") == 2
    assert pn.k_anonymity(make(ROWS), ["age", "sex"]) == 1


def test_files_and_relations(tmp_path: Path) -> None:
    pandas.DataFrame(ROWS).to_csv(tmp_path / "people.csv", index=False)
    assert pn.k_anonymity(tmp_path / "people.csv", ["age", "sex"]) == 1
    with duckdb.connect() as connection:
        assert (
            pn.k_anonymity(connection.sql("select i % 4 as a, i % 2 as b from range(40) r(i)"), ["a"]) == 10
        )


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_smallest_count(seed: int) -> None:
    draw = Random(seed)
    rows = [(draw.choice("ab"), draw.choice("xyz"), draw.randint(0, 2)) for _ in range(draw.randint(1, 40))]
    table = pandas.DataFrame(rows, columns=["a", "b", "c"])
    for names in (["a"], ["b", "c"], ["a", "b", "c"]):
        sizes = Counter(tuple(row[name] for name in names) for row in table.to_dict("records"))
        assert pn.k_anonymity(table, names) == min(sizes.values())


def test_a_table_that_is_not_k_anonymous_fails() -> None:
    table = pandas.DataFrame({**ROWS, "secret": ["zebra"] * 5})
    pn.assert_k(table, ["age"], k=2)
    with pytest.raises(AssertionError) as error:
        pn.assert_k(table, ["age", "sex", "secret"], k=3)
    assert str(error.value) == "k is 1, not at least 3: 5 rows of 5 are in 3 classes that are smaller"


@pytest.mark.parametrize(
    ("quasi", "k", "said"),
    [
        (["agee"], 2, "the dataframe: there is no column 'agee'; did you mean 'age'?"),
        ([], 2, "quasi: no column is named; name some, such as [\"age\", \"sex\"]"),
        (["age"], 0, "k: 0 is not a size of classes; give a whole number, 1 or more"),
    ],
)  # fmt: skip
def test_refused(quasi: list[str], k: int, said: str) -> None:
    with pytest.raises(pn.InputError) as error:
        pn.assert_k(pandas.DataFrame(ROWS), quasi, k)
    assert str(error.value) == said


def test_a_table_without_rows_has_no_k() -> None:
    with pytest.raises(pn.InputError, match="there are no rows; give a table with rows"):
        pn.k_anonymity(pandas.DataFrame({"age": []}), ["age"])
