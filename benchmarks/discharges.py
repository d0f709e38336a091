"""A table of hospital discharges with about a thousand diagnoses: many sensitive values, most of them rare.

    python -m benchmarks.discharges         (k, l@icd, loss) and other questions, in N a node

N is one evaluation of a node by numpy, as in the other benchmarks: classes alone, no diagnoses. The same
table in every run.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow

from benchmarks.one_node import numpy_node, timed
from paretonym.study.study import Study

ROWS, CODES = 50_000, 1_000
WARDS = ("surgery", "medicine", "maternity", "psychiatry", "paediatrics", "intensive")
# A node in the middle of the lattice.
MIDDLE = {"age": 2, "postal": 2, "days": 2}
QUESTIONS = (
    ("k", "l@icd", "loss"),
    ("k", "t@icd", "loss"),
    ("k", "l-entropy@icd", "loss"),
    ("k", "t-tree@icd", "loss"),
    ("k", "t-js@icd", "loss"),
)


def discharges(rows: int = ROWS, codes: int = CODES) -> Study:
    """The table with its schema: a lattice of 1,680 nodes."""
    draw = np.random.default_rng(1948)
    age = np.clip((95 * draw.beta(2.0, 1.3, rows)).astype(int), 0, 99)
    region = draw.geometric(0.15, rows) % 20
    ward = np.minimum(draw.geometric(0.35, rows) - 1, len(WARDS) - 1)
    # Diagnoses are as frequent as words, and depend on the ward.
    rank = np.minimum((draw.pareto(0.9, rows) * 8).astype(int) + 37 * ward, codes - 1)
    code = (rank * 7919 + 13 * ward) % codes
    columns = {
        "age": age.astype(str),
        "sex": np.array(["f", "m"])[draw.integers(0, 2, rows)],
        "postal": np.char.zfill((500 * region + draw.geometric(0.05, rows) % 100).astype(str), 5),
        "ward": np.array(WARDS)[ward],
        "transfer": np.array(["no", "yes"])[(draw.random(rows) < 0.1).astype(int)],
        "days": np.minimum(draw.geometric(0.2, rows), 40).astype(str),
        "icd": np.array([_diagnosis(number) for number in range(codes)])[code],
    }
    chapters = {
        f"chapter {letter}": [_diagnosis(n) for n in range(codes) if _diagnosis(n)[0] == letter]
        for letter in sorted({_diagnosis(n)[0] for n in range(codes)})
    }
    schema = {
        "columns": {
            "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20, 40]}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
            "postal": {"role": "quasi", "hierarchy": {"mask": 4}},
            "ward": {"role": "quasi", "hierarchy": {"flat": True}},
            "transfer": {"role": "quasi", "hierarchy": {"flat": True}},
            "days": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [2, 4, 8, 16, 32]}},
            "icd": {"role": "sensitive", "hierarchy": {"tree": chapters}},
        }
    }
    return Study(pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()}), schema)


def _diagnosis(number: int) -> str:
    return f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[number // 100]}{number % 100:02d}"


def main() -> None:
    study = discharges(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
    cube, unit = study.cube, numpy_node(study, MIDDLE)
    print(
        f"{cube.rows:,} discharges, {cube.tuples:,} distinct tuples, "
        f"{len(cube.sensitive[0].labels):,} diagnoses"
    )
    print(f"{'question':<40}{'nodes':>8}{'evaluated':>11}{'s':>8}{'in N a node':>13}{'found':>8}")
    for objectives in QUESTIONS:
        for search in ("exhaustive", "exact"):
            start = time.perf_counter()
            found = study.explore(*objectives, suppress="1%", search=search)
            seconds, evaluated = time.perf_counter() - start, found.record.evaluated if found.record else 0
            name = f"({', '.join(objectives)}), {search}"
            print(
                f"{name:<40}{found.search.size:>8,}{evaluated:>11,}{seconds:>8.2f}"
                f"{seconds / evaluated / timed(unit):>13.2f}{len(found):>8,}"
            )


if __name__ == "__main__":
    main()
