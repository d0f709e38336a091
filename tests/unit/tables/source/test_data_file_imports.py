"""What is heavy is loaded behind the door, when there is something to read."""

from __future__ import annotations

import subprocess
import sys


def test_the_door_loads_neither_arrow_nor_dataframes() -> None:
    script = (
        "import sys, paretonym.tables.source.table_counts, paretonym.tables.source.data_file\n"
        "print(sorted({'pyarrow', 'narwhals', 'pandas', 'polars'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
