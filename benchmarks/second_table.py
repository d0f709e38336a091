"""A table unlike Adult: nine quasi-identifiers, 19,000 distinct tuples, hierarchies of other shapes.

Deep binary intervals, postal codes, flat columns; values are skewed and depend on each other, as in a
register of patients. Nearly every row is alone at the lowest levels. The same table in every run.
"""

from __future__ import annotations

import numpy as np
import pyarrow

from paretonym.study.study import Study

ROWS = 19_000
INSURANCES = ("public", "private", "both", "none")
# A node in the middle of its lattice, for one evaluation by numpy.
MIDDLE = {"born": 3, "postal": 2, "household": 1, "rooms": 1, "visits": 1}


def second_table(rows: int = ROWS) -> Study:
    """The table with its schema."""
    draw = np.random.default_rng(1905)
    region = draw.geometric(0.18, rows) % 12
    size = np.minimum(draw.geometric(0.35, rows), 8)
    columns = {
        "born": 1920 + (90 * draw.beta(2.2, 1.6, rows)).astype(int),
        "postal": 1000 * region + 100 * (draw.geometric(0.4, rows) % 6) + 10 * draw.integers(0, 4, rows),
        "household": size,
        "rooms": np.clip(size + draw.poisson(1.2, rows), 1, 9),
        "visits": np.minimum(draw.geometric(0.3, rows) - 1, 20),
        "insurance": np.array([*INSURANCES])[np.minimum(draw.geometric(0.6, rows) - 1, 3)],
        "language": np.array([f"l{i}" for i in range(10)])[np.minimum(draw.geometric(0.5, rows) - 1, 9)],
        "employed": np.array(["yes", "no"])[(draw.random(rows) < 0.4).astype(int)],
        "sex": np.array(["f", "m"])[draw.integers(0, 2, rows)],
    }  # fmt: skip
    schema = {
        "columns": {
            "born": {"role": "quasi", "hierarchy": {"intervals": [2, 4, 8, 16, 32]}},
            "postal": {"role": "quasi", "hierarchy": {"intervals": [100, 1000, 4000]}},
            "household": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "rooms": {"role": "quasi", "hierarchy": {"intervals": [3]}},
            "visits": {"role": "quasi", "hierarchy": {"intervals": [3, 9]}},
            "insurance": {"role": "quasi", "hierarchy": {"flat": True}},
            "language": {"role": "quasi", "hierarchy": {"flat": True}},
            "employed": {"role": "quasi", "hierarchy": {"flat": True}},
            "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        }
    }
    arrays = {name: pyarrow.array([str(value) for value in values]) for name, values in columns.items()}
    return Study(pyarrow.table(arrays), schema)
