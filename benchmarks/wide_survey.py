"""A wide survey: 12,000 people, ten quasi-identifiers that depend on each other, nearly all people unique.
The same table in every run; `python -m benchmarks.wide_survey FOLDER` writes it with its schema."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import csv

from paretonym.study.study import Study

ROWS = 12_000
SCHOOLS = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master", "doctorate")
SECTORS = (
    "farming",
    "mining",
    "industry",
    "building",
    "trade",
    "transport",
    "finance",
    "health",
    "teaching",
    "state",
)
HOMES = ("owned", "mortgaged", "rented", "social", "shared")
LANGUAGES = tuple(f"language {i}" for i in range(8))
SCHEMA = """
[columns.age]
role = "quasi"
hierarchy.intervals = [5, 10, 20, 40]

[columns.region]
role = "quasi"
hierarchy.keep = [1]

[columns.sex]
role = "quasi"
hierarchy.flat = true

[columns.school]
role = "quasi"
order = ["none", "primary", "lower secondary", "upper secondary", "bachelor", "master", "doctorate"]
[columns.school.hierarchy.tree]
Low = ["none", "primary", "lower secondary"]
High = ["upper secondary", "bachelor", "master", "doctorate"]

[columns.income]
role = "quasi"
hierarchy.intervals = [500, 1000, 2000, 4000]

[columns.sector]
role = "quasi"
[columns.sector.hierarchy.tree]
Goods = ["farming", "mining", "industry", "building"]
Services = ["trade", "transport", "finance", "health", "teaching", "state"]

[columns.household]
role = "quasi"
hierarchy.intervals = [2, 4]

[columns.home]
role = "quasi"
hierarchy.flat = true

[columns.language]
role = "quasi"
hierarchy.flat = true

[columns.hours]
role = "quasi"
hierarchy.intervals = [5, 10, 20]
"""


def wide_survey(rows: int = ROWS) -> pyarrow.Table:
    """Answers of made-up people."""
    draw = np.random.default_rng(2106)
    age = (16 + 80 * draw.beta(1.6, 2.0, rows)).astype(int)
    school = np.clip(draw.normal(3.2 - 0.02 * (age - 40), 1.3, rows), 0, 6).astype(int)
    income = 50 * np.clip(draw.lognormal(3.2 + 0.18 * school, 0.5, rows), 4, 200).astype(int)
    size = np.minimum(draw.geometric(np.where(age > 65, 0.55, 0.33)), 8)
    sector = (draw.integers(0, 4, rows) + draw.binomial(6, school / 7)) % 10
    cells: dict[str, Any] = {
        "age": age,
        "region": [
            f"{'NESWC'[i]}{j}"
            for i, j in zip(draw.geometric(0.4, rows) % 5, draw.integers(1, 9, rows), strict=True)
        ],
        "sex": np.array(["f", "m"])[draw.integers(0, 2, rows)],
        "school": np.array(SCHOOLS)[school],
        "income": income,
        "sector": np.array(SECTORS)[sector],
        "household": size,
        "home": np.array(HOMES)[np.minimum(draw.geometric(0.45, rows) - 1, 4)],
        "language": np.array(LANGUAGES)[np.minimum(draw.geometric(0.6, rows) - 1, 7)],
        "hours": np.where(age > 66, 0, np.clip(5 * draw.normal(7, 2, rows).astype(int), 0, 60)),
    }
    return pyarrow.table({name: pyarrow.array([str(value) for value in own]) for name, own in cells.items()})


def study() -> Study:
    """The survey with its schema."""
    import tomllib

    return Study(wide_survey(), tomllib.loads(SCHEMA))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    csv.write_csv(wide_survey(), folder / "wide-survey.csv")
    (folder / "wide-survey.toml").write_text(SCHEMA.lstrip(), encoding="utf-8")
