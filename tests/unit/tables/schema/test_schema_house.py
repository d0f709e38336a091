"""The layer as a whole: what it loads, what its page says, how long a large column takes."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from, schema_from_text
from paretonym.tables.source.table_counts import Column, Counts

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "schema.md"


def test_nothing_heavy_is_loaded() -> None:
    script = (
        "import sys, paretonym.tables.schema\n"
        "print(sorted({'pandas', 'polars', 'duckdb', 'moocore'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_every_example_on_the_page_can_be_read() -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) > 8
    for example in examples:
        assert schema_from_text(example, "example.toml", lambda name: "value;*").columns


@pytest.mark.slow
@pytest.mark.parametrize("hierarchy", [{"intervals": [10, 1000]}, {"mask": 7}, {"keep": [4]}, {"flat": True}])
def test_a_million_distinct_values(hierarchy: dict[str, object]) -> None:
    count = 1_000_000
    order = np.random.default_rng(0).permutation(count)
    texts = tuple(f"{number:07d}" for number in order)
    column = Column("x", "text", None, texts, np.arange(count, dtype=np.int32))
    schema = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": hierarchy}}})
    start = time.perf_counter()
    assert bind(schema, Counts.of_rows("large.csv", [column])).quasi[0].hierarchy.domain == count
    # A few seconds on an idle machine; the limit only catches what grows faster than the column.
    assert time.perf_counter() - start < 60
