"""Releases written the plain way: rows recoded one by one, a CSV or Parquet file, a manifest beside it."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.release.release_manifest import shown_keep
from paretonym.release.small_counts import published_costs, staying_cost
from paretonym.study.study import Study

CLAIMS = ("k", "risk-highest", "risk-average", "uniques", "average-class", "spread-k")
SENSITIVE_CLAIMS = (
    "l", "l-distinct", "l-entropy", "l-recursive", "alpha", "spread-l",
    "t-release", "t-js-release", "delta-release", "beta-release",
)  # fmt: skip
STATEMENTS = ("gl", "sl", "loss", "discernibility", "precision-loss", "entropy-loss", "weighted-k")
SENSITIVE_STATEMENTS = ("t", "t-js", "privacy-loss", "delta", "beta", "t-tree")


def released_rows(study: Study, recoding: LatticeRecoding) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the released columns and the rows, sorted."""
    names, rows = unsorted_rows(study, recoding)
    return names, in_order(rows)


def in_order(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows as releases sort them: empty cells last."""
    return sorted(rows, key=lambda row: [(cell == "", cell) for cell in row])


def unsorted_rows(study: Study, recoding: LatticeRecoding) -> tuple[list[str], list[tuple[str, ...]]]:
    """The same rows in the order of the original."""
    realized, levels = study.realized(recoding), dict(recoding.levels)
    kept = [row for row, gone in enumerate(study.table.dropped(study.bound.omitted).tolist()) if not gone]
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
    """A CSV file with the quotes that releases have."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in (names, *rows):
            file.write(",".join(map(_quoted, row)) + "\n" if len(row) > 1 or row[0] else '""\n')


def _quoted(cell: str) -> str:
    needed = any(mark in cell for mark in '",;|\t\r\n') or cell != cell.strip(" \t\r\n\f")
    return '"' + cell.replace('"', '""') + '"' if needed else cell


def _levels(roles: Mapping[str, str]) -> dict[str, Any]:
    """A recoding that says something of every quasi-identifier."""
    return {"levels": {name: 1 for name, role in roles.items() if role == "quasi"}, "keep": {}}


def _cells(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names and rows of a file, all as text."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        columns = [["" if v is None else str(v) for v in column.to_pylist()] for column in table.columns]
        return table.column_names, [list(row) for row in zip(*columns, strict=True)]
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return names, rows


def must_claim(path: Path, roles: Mapping[str, str]) -> dict[str, Any]:
    """Every claim that a release must make, counted cell by cell."""
    names, rows = _cells(path)
    kept = [role if name in names else "" for name, role in roles.items()]
    places = {role: [names.index(n) for n, r in roles.items() if r == role and n in names] for role in kept}
    if not rows:
        return {}
    classes: dict[tuple[str, ...], list[list[str]]] = {}
    for row in rows:
        classes.setdefault(tuple(row[place] for place in places.get("quasi", [])), []).append(row)
    sizes = [len(each) for each in classes.values()]
    claims: dict[str, Any] = {
        "k": min(sizes),
        "risk-highest": 1 / min(sizes),
        "risk-average": len(sizes) / len(rows),
        "uniques": sizes.count(1),
    }
    secret = places.get("sensitive", [])
    each = {
        names[place]: _of_values([[row[place] for row in c] for c in classes.values()]) for place in secret
    }
    for name in next(iter(each.values()), {}):
        worst = min if name.startswith("l") else max
        claims[name] = worst(values[name] for values in each.values())
        if len(each) > 1:
            claims |= {f"{name}@{column}": values[name] for column, values in each.items()}
    return claims


def _of_values(classes: list[list[str]]) -> dict[str, float]:
    whole = Counter(value for values in classes for value in values)
    q = {value: count / whole.total() for value, count in whole.items()}
    found = []
    for values in classes:
        p = {value: values.count(value) / len(values) for value in q}
        middle = {value: (p[value] + q[value]) / 2 for value in q}
        found.append(
            {
                "l": 1 / max(p.values()),
                "l-distinct": len(set(values)),
                "l-entropy": math.exp(-sum(x * math.log(x) for x in p.values() if x)),
                "alpha": max(p.values()),
                "t-release": sum(abs(p[v] - q[v]) for v in q) / 2,
                "t-js-release": sum(
                    (p[v] * math.log(p[v] / middle[v]) if p[v] else 0) + q[v] * math.log(q[v] / middle[v])
                    for v in q
                )
                / 2,
                "delta-release": max(abs(math.log(p[v] / q[v])) for v in q if p[v]),
            }
        )
    return {
        name: (min if name.startswith("l") else max)(values[name] for values in found) for name in found[0]
    }


def write_manifest(
    path: Path,
    roles: Mapping[str, str],
    claims: Mapping[str, Any],
    recoding: Mapping[str, Any] | None = None,
    statements: Mapping[str, Any] | None = None,
    rows: int | None = None,
) -> Path:
    """A manifest for a file as it is now. What a release must claim and is not given is counted; nothing is
    lost unless that is stated."""
    if rows is None:
        with path.open(encoding="utf-8", newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
    document = {
        "format": "paretonym.manifest/2",
        "output": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "rows": rows},
        "roles": roles,
        "recoding": _levels(roles) if recoding is None else recoding,
        "claims": {name: _plain(value) for name, value in {**must_claim(path, roles), **claims}.items()},
        "statements": {"loss": 0, "gl": 0, "sl": 0} if statements is None else dict(statements),
        "version": "0",
    }
    beside = path.with_name(path.name + ".manifest.json")
    beside.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return beside


def measures_beside(study: Study) -> list[str]:
    """The measures of a release that need the original, as far as a study has what they need."""
    names = list(STATEMENTS)
    if study.bound.sensitive:
        names += SENSITIVE_STATEMENTS
        if all(column.ordered for column in study.bound.sensitive):
            names.append("t-ordered")
    return [*names, "classification-error"] if len(study.bound.classes) == 1 else names


def write_release(path: Path, study: Study, recoding: LatticeRecoding) -> None:
    """A release with its manifest; claims and statements are what the search's own measures say."""
    names, rows = released_rows(study, recoding)
    write_table(path, names, rows)
    realized = study.realized(recoding)
    columns, claims = [column.name for column in study.bound.sensitive], list(CLAIMS)
    if columns:
        claims += SENSITIVE_CLAIMS
    if len(columns) > 1:
        claims += [f"{name}@{column}" for name in SENSITIVE_CLAIMS for column in columns]
    cost, measured = staying_cost(study.table, study.bound, realized), realized.measure(*claims)
    shown = shown_keep(recoding.keep)
    write_manifest(
        path,
        {name: study.schema.column(name).role for name in names},
        measured,
        {"levels": dict(recoding.levels), **shown},
        published_costs(cost, len(rows), int(measured["k"])),
        rows=len(rows),
    )


def _plain(value: Any) -> Any:
    return "inf" if isinstance(value, float) and math.isinf(value) else value
