"""Writes the 45,222 complete rows of Adult with six quasi-identifiers and occupation, for other packages."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import paretonym as pn
from scripts.peers.mondrian_times import QUASI, SENSITIVE


def main() -> None:
    study = pn.example("adult-six")
    kept = (~study.table.dropped(study.bound.omitted)).nonzero()[0]
    columns = []
    for name in (*QUASI, SENSITIVE):
        column = study.table.column(name)
        columns.append([column.texts[code] for code in column.codes[kept].tolist()])
    with Path(sys.argv[1]).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*QUASI, SENSITIVE))
        writer.writerows(zip(*columns, strict=True))


if __name__ == "__main__":
    main()
