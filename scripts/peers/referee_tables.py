"""Writes two tables, each split into an original and a control, for `scripts/peers/referee.sh`:
`python -m scripts.peers.referee_tables FOLDER`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

import paretonym as pn
from paretonym.tables.schema.schema_file import write_schema

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
# The share of people that nothing is made from, and the seed of the split.
CONTROL: Mapping[str, float] = {"adult": 0.1, "survey": 0.3}
SEED = 20_261_119
ROLES = ("quasi", "sensitive", "class", "other")


def study_of(name: str) -> pn.Study:
    """The study of a table: Adult is built in."""
    if name == "adult":
        return pn.example("adult")
    return pn.Study(EXAMPLES / f"{name}.csv", EXAMPLES / f"{name}.toml")


def rows_of(study: pn.Study, names: list[str]) -> list[tuple[str, ...]]:
    """The rows that no missing value drops."""
    kept = np.flatnonzero(~study.table.dropped(study.bound.omitted))
    columns = [study.table.column(name) for name in names]
    texts = [np.array([*column.texts, ""])[column.codes[kept]] for column in columns]
    return sorted(zip(*(column.tolist() for column in texts), strict=True))


def write(path: Path, names: list[str], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([names, *rows])


def split(name: str, folder: Path) -> None:
    """Write `original.csv`, `control.csv`, `schema.toml` and `columns.json` of a table into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    study = study_of(name)
    columns = tuple(column for column in study.schema.columns if column.role in ROLES)
    names = [column.name for column in columns]
    rows = rows_of(study, names)
    order = np.random.default_rng(SEED).permutation(len(rows))
    number = round(CONTROL[name] * len(rows))
    for part, places in (("control", order[:number]), ("original", order[number:])):
        write(folder / f"{part}.csv", names, [rows[place] for place in sorted(places.tolist())])
    write_schema(replace(study.schema, columns=columns, text=None), folder)
    roles = {"quasi": "quasi", "sensitive": "secrets"}
    listed = {key: [c.name for c in columns if c.role == role] for role, key in roles.items()}
    (folder / "columns.json").write_text(json.dumps(listed), encoding="utf-8")


def main() -> None:
    for name in CONTROL:
        split(name, Path(sys.argv[1]) / name)


if __name__ == "__main__":
    main()
