"""Releases written the plain way: rows recoded one by one, a CSV or Parquet file, a manifest beside it."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paretonym.recoding.recoding import LatticeRecoding
from paretonym.study import Study

CLAIMS = ("k", "risk-highest", "risk-average", "uniques", "average-class", "spread-k")
SENSITIVE_CLAIMS = (
    "l", "l-distinct", "l-entropy", "l-recursive", "alpha", "spread-l",
    "t-release", "t-js-release", "delta-release",
)  # fmt: skip
STATEMENTS = ("gl", "sl", "loss", "discernibility", "precision-loss", "entropy-loss", "weighted-k")
SENSITIVE_STATEMENTS = ("t", "t-js", "privacy-loss", "delta", "t-tree")


def released_rows(study: Study, recoding: LatticeRecoding) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the released columns and the rows, sorted."""
    names, rows = unsorted_rows(study, recoding)
    return names, sorted(rows)


def unsorted_rows(study: Study, recoding: LatticeRecoding) -> tuple[list[str], list[tuple[str, ...]]]:
    """The same rows in the order of the original."""
    realized, levels = study.realized(recoding), dict(recoding.levels)
    kept = [row for row, gone in enumerate(study.bound.dropped.tolist()) if not gone]
    names, columns = [], []
    quasi = {column.name: column for column in study.bound.quasi}
    stays_of = dict(
        zip(
            (realized.classes.labels(c) for c in range(len(realized.classes))),
            realized.stays.tolist(),
            strict=True,
        )
    )
    for spec in study.schema.columns:
        if spec.role in ("identifier", "drop"):
            continue
        cells = study.table.column(spec.name)
        names.append(spec.name)
        if spec.name in quasi:
            column = quasi[spec.name]
            leaves = [*column.codes.tolist(), column.null_code]
            level = column.hierarchy.levels[levels[spec.name]]
            columns.append([level.labels[level.groups[leaves[cells.codes[row]]]] for row in kept])
        else:
            columns.append([(*cells.texts, "")[cells.codes[row]] for row in kept])
    shown = [[columns[names.index(column.name)][i] for column in study.bound.quasi] for i in range(len(kept))]
    rows = [
        row for row, labels in zip(zip(*columns, strict=True), shown, strict=True) if stays_of[tuple(labels)]
    ]
    return names, rows


def write_table(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def _levels(roles: Mapping[str, str]) -> dict[str, Any]:
    """A recoding that says something of every quasi-identifier."""
    return {"levels": {name: 1 for name, role in roles.items() if role == "quasi"}}


def write_manifest(
    path: Path,
    roles: Mapping[str, str],
    claims: Mapping[str, Any],
    recoding: Mapping[str, Any] | None = None,
    statements: Mapping[str, Any] | None = None,
    rows: int | None = None,
) -> Path:
    """The manifest of a file as it is now."""
    if rows is None:
        with path.open(encoding="utf-8", newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
    document = {
        "format": "paretonym.manifest/1",
        "output": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "rows": rows},
        "roles": roles,
        "recoding": _levels(roles) if recoding is None else recoding,
        "claims": {name: _plain(value) for name, value in claims.items()},
        "statements": {name: _plain(value) for name, value in (statements or {}).items()},
        "version": "0",
    }
    beside = path.with_name(path.name + ".manifest.json")
    beside.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return beside


def write_release(path: Path, study: Study, recoding: LatticeRecoding) -> None:
    """A release with its manifest; claims and statements are what the search's own measures say."""
    names, rows = released_rows(study, recoding)
    write_table(path, names, rows)
    realized = study.realized(recoding)
    columns = [column.name for column in study.bound.sensitive]
    claims, statements = list(CLAIMS), list(STATEMENTS)
    if columns:
        claims += SENSITIVE_CLAIMS
        statements += SENSITIVE_STATEMENTS
        if all(column.ordered for column in study.bound.sensitive):
            statements.append("t-ordered")
    if len(columns) > 1:
        claims += [f"{name}@{column}" for name in SENSITIVE_CLAIMS for column in columns]
    if len(study.bound.classes) == 1:
        statements.append("classification-error")
    write_manifest(
        path,
        {name: study.schema.column(name).role for name in names},
        realized.measure(*claims),
        recoding.as_json(),
        {name: round(value, 3) for name, value in realized.measure(*statements).items()},
        rows=len(rows),
    )


def _plain(value: Any) -> Any:
    return "inf" if isinstance(value, float) and math.isinf(value) else value
