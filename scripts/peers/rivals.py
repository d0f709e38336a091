"""Makes a synthetic table in a rival's environment: `python rivals.py FOLDER METHOD [EPSILON]`.

METHOD is syndiffix, mst or aim. Reads `original.csv` and `control.csv`, writes `METHOD[-EPSILON].csv` there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd

SEED, DELTA = 20_261_119, 1e-6
# Of the privacy budget, what goes into cutting numbers into bins.
BINS = 0.1
# A column of numbers with more distinct values than this is a number to the rivals, others are categories.
CATEGORIES = 20


def read(path: Path) -> pd.DataFrame:
    """A table with its numbers as numbers."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in table.columns:
        numbers = pd.to_numeric(table[name].replace("", None), errors="coerce")
        if table[name].nunique() > CATEGORIES and numbers.notna().sum() >= (table[name] != "").sum():
            table[name] = numbers
    return table


def syndiffix(table: pd.DataFrame) -> Any:
    """Drawn from trees of counts with noise; its own defaults, a fixed salt."""
    from syndiffix import Synthesizer  # type: ignore[import-not-found]
    from syndiffix.common import AnonymizationParams  # type: ignore[import-not-found]

    made = Synthesizer(table, anonymization_params=AnonymizationParams(salt=SEED.to_bytes(8, "little")))
    return made.sample()


def marginals(method: str, table: pd.DataFrame, public: pd.DataFrame, epsilon: float) -> Any:
    """Drawn from noisy marginals by dpmm; the domains of columns are taken for public."""
    from dpmm.pipelines import AIMPipeline, MSTPipeline  # type: ignore[import-not-found]

    pipeline = {"mst": MSTPipeline, "aim": AIMPipeline}[method](
        epsilon=(1 - BINS) * epsilon, delta=DELTA, proc_epsilon=BINS * epsilon, n_jobs=1
    )
    domain: dict[str, Any] = {}
    for name in table.columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            domain[name] = {"lower": float(public[name].min()), "upper": float(public[name].max())}
        else:
            domain[name] = {"categories": sorted(public[name].unique())}
            table[name] = pd.Categorical(table[name], categories=domain[name]["categories"])
    pipeline.fit(table, domain=domain, random_state=SEED % 2**31)
    return pipeline.generate(n_records=len(table), random_state=SEED % 2**31)


def main() -> None:
    folder, method = Path(sys.argv[1]), sys.argv[2]
    table = read(folder / "original.csv")
    if method == "syndiffix":
        name, made = method, syndiffix(table)
    else:
        public = pd.concat([table, read(folder / "control.csv")])
        name, made = f"{method}-{sys.argv[3]}", marginals(method, table, public, float(sys.argv[3]))
    for column in made.columns:
        if pd.api.types.is_numeric_dtype(made[column]):
            made[column] = made[column].round().astype("Int64")
    made.to_csv(folder / f"{name}.csv", index=False)


if __name__ == "__main__":
    main()
