"""The table that `benchmarks.scale` counts: Adult drawn again with noise, and its schema."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.growth import ADULT, schema
from benchmarks.scale_setting import Setting

PIECE = 1_000_000
SEED = 0
REPLACED = 0.05
SENSITIVE = "occupation"
SERIAL = "serial"
COLUMNS = (*ADULT, SENSITIVE)


def make_table(setting: Setting, rows: int) -> None:
    """The table in pieces, so that making it needs little memory."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    from paretonym.study.study import example

    original = example("adult")
    complete = np.flatnonzero(~original.table.dropped(original.bound.omitted))
    kinds = [pa.int64() if name == "age" else pa.string() for name in COLUMNS]
    shape = pa.schema([(SERIAL, pa.int64()), *zip(COLUMNS, kinds, strict=True)])
    with parquet.ParquetWriter(setting.data, shape) as file:
        for number, start in enumerate(range(0, rows, PIECE)):
            size = min(PIECE, rows - start)
            serial = pa.array(np.arange(start, start + size))
            piece = resampled(original, complete, size, np.random.default_rng([SEED, number]))
            file.write_table(pa.table({SERIAL: serial, **piece}).cast(shape))


def resampled(original: Any, complete: Any, rows: int, chance: np.random.Generator) -> dict[str, Any]:
    """Rows drawn with replacement, ages moved by up to two years, every other value replaced by that of
    another row with a small probability."""
    import pyarrow as pa

    drawn = chance.choice(complete, rows)
    found = {}
    for name in COLUMNS:
        column = original.table.column(name)
        if name == "age":
            ages = np.array(column.texts).astype(np.int64)[column.codes[drawn]]
            found[name] = pa.array(np.clip(ages + chance.integers(-2, 3, rows), 17, 90))
            continue
        stray = chance.random(rows) < REPLACED
        codes = column.codes[np.where(stray, chance.choice(complete, rows), drawn)]
        found[name] = pa.DictionaryArray.from_arrays(codes, pa.array(column.texts))
    return found


def described() -> dict[str, Any]:
    """The schema: the serial number is dropped."""
    found = schema(ADULT)
    kept = {name: entry for name, entry in found["columns"].items() if name in COLUMNS}
    return {**found, "columns": {SERIAL: {"role": "drop"}, **kept}}
