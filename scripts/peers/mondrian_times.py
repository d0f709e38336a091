"""Times other packages' Mondrian: k = 10, the same rows and columns. Runs in an environment of its own.

`python scripts/peers/mondrian_times.py TABLE.csv TIMES.json`: TABLE has six quasi-identifiers and occupation.
What is not installed, or fails, is left out and said.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex"]
SENSITIVE = "occupation"
K = 10


def frame(path: str) -> Any:
    import pandas

    found = pandas.read_csv(path)
    for name in (*QUASI[1:], SENSITIVE):
        found[name] = found[name].astype("category")
    return found


def anonypy(path: str) -> float:
    from anonypy import Preserver  # type: ignore[import-not-found]

    table = frame(path)
    started = time.perf_counter()
    Preserver(table, QUASI, SENSITIVE).anonymize_k_anonymity(k=K)
    return time.perf_counter() - started


def anonypyx(path: str) -> float:
    import anonypyx  # type: ignore[import-not-found]

    table = frame(path)
    started = time.perf_counter()
    anonypyx.Anonymiser(
        table, k=K, algorithm="Mondrian", feature_columns=QUASI, sensitive_column=SENSITIVE
    ).anonymise()
    return time.perf_counter() - started


def polarfrost(path: str) -> float:
    import polars
    from polarfrost import mondrian_k_anonymity  # type: ignore[import-not-found]

    table = polars.read_csv(path)
    started = time.perf_counter()
    result = mondrian_k_anonymity(
        table, quasi_identifiers=QUASI, sensitive_column=SENSITIVE, k=K, categorical=QUASI[1:]
    )
    if isinstance(result, polars.LazyFrame):
        result.collect()
    return time.perf_counter() - started


def main() -> None:
    times = {}
    for peer in (anonypy, anonypyx, polarfrost):
        try:
            times[peer.__name__] = peer(sys.argv[1])
            print(f"{peer.__name__}: {times[peer.__name__]:.1f} s")
        except Exception as error:
            print(f"{peer.__name__} left out: {type(error).__name__}: {error}")
    Path(sys.argv[2]).write_text(json.dumps(times, indent=1) + "\n")


if __name__ == "__main__":
    main()
