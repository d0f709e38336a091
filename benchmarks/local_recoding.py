"""Local recoding of Adult with the hierarchies that ARX brings along: `make bench ARX=FOLDER`.

The table is the built-in one, with nine quasi-identifiers; the folder has ARX's example hierarchies
(`adult_hierarchy_age.csv` and so on). Printed are the least loss at some k with at most 1 % of the rows
suppressed, what ARX 3.9.2 (`optimizeIterativeFast`, 20 to 50 s for each k) reached on the same question, and
the floor of any generalization by these hierarchies. With `--minute`, also each of these k alone for a
minute.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from paretonym.engine.search import floors
from paretonym.study.study import Study
from paretonym.tables.source.example_data import write_adult_csv

COLUMNS = {
    "age": "age",
    "education": "education",
    "marital-status": "marital-status",
    "native-country": "native-country",
    "occupation": "occupation",
    "race": "race",
    "income": "salary-class",
    "sex": "sex",
    "workclass": "workclass",
}
# The loss of ARX by k.
ARX = {2: 0.0216, 5: 0.0519, 15: 0.0924, 50: 0.1490, 200: 0.2432}


def main() -> int:
    if len(sys.argv) < 2 or not sys.argv[1]:
        print(
            "local recoding is left out: give the folder of ARX's example hierarchies, make bench ARX=FOLDER"
        )
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write_adult_csv(table := Path(folder) / "adult.csv")
        names = table.open(encoding="utf-8").readline().strip().split(",")
        columns: dict[str, object] = {name: {"role": "drop"} for name in names}
        for name, stem in COLUMNS.items():
            file = Path(sys.argv[1]).resolve() / f"adult_hierarchy_{stem}.csv"
            columns[name] = {"role": "quasi", "hierarchy": {"file": str(file)}}
        study = Study(table, {"null": ["?"], "missing": "drop", "columns": columns})
        cube, started = study.cube, time.process_time()
        run = study.explore("k", "loss", space="local", suppress="1%")
        seconds = time.process_time() - started
        print(f"local recoding, {cube.rows:,} rows, {len(run)} releases in {seconds:.1f} s of processor time")
        print(f"{'k':>6}{'loss':>10}{'ARX':>10}{'floor':>10}")
        for (k, arx), floor in zip(ARX.items(), floors(cube, list(ARX)).tolist(), strict=True):
            loss = min(solution["loss"] for solution in run if solution["k"] >= k)
            print(f"{k:>6}{loss:>10.4f}{arx:>10.4f}{floor:>10.4f}")
        for k in ARX if "--minute" in sys.argv else ():
            started = time.process_time()
            (best,) = study.explore("loss", space="local", suppress="1%", at_least={"k": k}, time=60)
            seconds = time.process_time() - started
            print(f"k = {k} for a minute, {seconds:.0f} s of processor time: {best['loss']:.4f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
