"""A table is known again whatever order its rows and columns have and whatever kind of file it lies in, and
is drawn in the same way; another table is another one."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.research.buckets.buckets_space import BucketsRecoding
from paretonym.study.explored_run import Solution
from paretonym.tables.source.engines import read
from paretonym.tables.source.fingerprint import canonical_order, content_digest
from paretonym.tables.source.row_hash import canonical_text
from paretonym.tables.source.table_counts import Counts

KEY = b"k" * 32
CELLS = st.sampled_from(["a", "b", "7", "07", "7.5", "", "ä", "2024-01-01", "true", "x y"])
TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12)


def table(rows: Sequence[tuple[str, ...]], names: str = "abc") -> Counts:
    columns = {name: [row[j] or None for row in rows] for j, name in enumerate(names)}
    return read(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}))


def cells(found: Counts, place: int) -> list[str | None]:
    """A row of a table."""
    return [(*column.texts, None)[column.codes[place]] for column in found.columns]


def content(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return sorted(tuple(canonical_text(cell) or "" for cell in row) for row in rows)


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_does_not_matter(rows: list[tuple[str, ...]], random: Random) -> None:
    mixed = random.sample(rows, len(rows))
    assert content_digest(table(rows), KEY) == content_digest(table(mixed), KEY)
    turned = [(row[2], row[0], row[1]) for row in mixed]
    assert content_digest(table(turned, "cab"), KEY) == content_digest(table(rows), KEY)
    tables = [table(some).repeat() for some in (rows, mixed)]
    ordered = [[cells(some, place) for place in canonical_order(some, KEY)] for some in tables]
    assert ordered[0] == ordered[1]


def test_the_order_of_digits_does_not_matter() -> None:
    """Decimals of pandas that are one number are released in digits of their own, so that a draw must give
    each the same place again."""
    digits = [Decimal("1.5"), Decimal("1.50"), Decimal("1.500"), Decimal("2")]
    known, ordered = set(), set()
    for order in itertools.permutations(digits):
        found = read(pd.DataFrame({"wage": order, "same": "x"})).repeat()
        known.add(content_digest(found, KEY))
        wage = found.column("wage")
        ordered.add(tuple(wage.texts[wage.codes[place]] for place in canonical_order(found, KEY)))
    assert (len(known), len(ordered)) == (1, 1)


def test_the_order_of_two_midnights_does_not_matter() -> None:
    """Where clocks are set back at one in the morning, two moments are written as one date."""
    hours = [datetime(2023, 11, 5, hour, tzinfo=UTC) for hour in (4, 5, 17)]
    known, ordered = set(), set()
    for order in itertools.permutations([*hours, hours[0]]):
        moments = {"at": pa.array(order, pa.timestamp("us", "America/Havana")), "same": ["x"] * 4}
        found = read(pa.table(moments)).repeat()
        known.add(content_digest(found, KEY))
        ordered.add(
            tuple(found.column("at").texts[found.column("at").codes[i]] for i in canonical_order(found, KEY))
        )
    assert (len(known), len(ordered)) == (1, 1)


@settings(deadline=None)
@given(TABLES, TABLES)
def test_another_table_is_another_one(one: list[tuple[str, ...]], two: list[tuple[str, ...]]) -> None:
    same = content_digest(table(one), KEY) == content_digest(table(two), KEY)
    assert same == (content(one) == content(two))


def test_no_small_change_goes_unseen() -> None:
    """All tables of two rows and two columns over two values: equal only if they hold the same rows."""
    rows = list(itertools.product("xy", repeat=2))
    known = {
        tuple(sorted(pair)): content_digest(table(list(pair), "ab"), KEY)
        for pair in itertools.product(rows, repeat=2)
    }
    assert len(set(known.values())) == len(known) == 10
    assert content_digest(table(rows, "ab"), KEY) != content_digest(table(rows, "ac"), KEY)
    assert content_digest(table(rows, "ab"), KEY) != content_digest(table(rows, "ab"), b"o" * 32)
    assert content_digest(table(rows, "ab"), KEY) != content_digest(table(rows * 2, "ab"), KEY)


TYPED: dict[str, list[Any]] = {
    "age": [31, 45, 45, None, 100],
    "wage": [1200.5, 0.1, -3.0, 1e6, None],
    "born": ["1990-01-31", "1980-12-01", None, "1980-12-01", "2001-02-03"],
    "seen": ["2024-01-31 12:30:00", "2024-01-31 08:00:01.500", None, None, "2024-02-01 00:00:00"],
    "ill": ["flu", None, "none of these", "ß", "flu"],
    "cured": [True, False, True, True, False],
}  # fmt: skip


def test_kinds_of_files(tmp_path: Path) -> None:
    """As people write them: pandas, polars and Parquet know types, CSV files do not."""
    frame = pd.DataFrame(TYPED).astype({"born": "datetime64[ns]", "seen": "datetime64[ns]"})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.csv.gz", index=False, sep=";", na_rep="NA")
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    pl.from_pandas(frame).write_csv(tmp_path / "polars.csv")
    sources = [frame, pl.from_pandas(frame), frame.sample(frac=1, random_state=1), *tmp_path.iterdir()]
    assert len(sources) == 7
    assert len({content_digest(read(source), KEY) for source in sources}) == 1


SCHEMA: dict[str, Any] = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}


@pytest.mark.parametrize(("way", "bound"), [("mondrian", {"k": 6}), ("anatomy", {"l": 3})])
@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_the_same_rows_are_drawn_alike(
    tmp_path_factory: pytest.TempPathFactory, way: str, bound: dict[str, float], seed: int
) -> None:
    """Rows in another order, as CSV and as typed Parquet: the released files are equal, byte for byte."""
    folder, random = tmp_path_factory.mktemp("drawn"), Random(seed)
    ills = ["flu", "none", "gout", "acne", "cold"]
    rows = [(f"p{i}", random.randint(18, 40), random.choice("fm"), ills[i % 5]) for i in range(60)]
    mixed = random.sample(rows, len(rows))
    with (folder / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([tuple(SCHEMA["columns"]), *rows])
    columns = dict(zip(SCHEMA["columns"], zip(*mixed, strict=True), strict=True))
    parquet.write_table(
        pa.table({name: list(cells) for name, cells in columns.items()}), folder / "b.parquet"
    )
    solution = Solution("", {}, 0, BucketsRecoding.of(bound, way))
    made = []
    for data in ("a.csv", "b.parquet"):
        out = folder / f"of-{data}.csv"
        pn.Study(folder / data, SCHEMA).publish(solution, out)
        made.append([out.with_name(f"{out.stem}{e}.csv").read_bytes() for e in ("", ".qit", ".st")])
    assert made[0] == made[1]
