"""A few rows before and after: for the page alone, made when asked for, never written anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from paretonym.frontier.solution_description import suppression_reasons
from paretonym.recoding.recoding_contract import Recoding
from paretonym.release.released_rows import RELEASED
from paretonym.release.tuple_index import RowTuples
from paretonym.run.study import Study
from paretonym.source.table import NULL, Column

SHOWN = 10
MIXED = "(a value of its bucket)"


def example_rows(study: Study, recoding: Recoding, start: int) -> dict[str, Any]:
    """Ten rows from `start` on: what stands in them, and what the release shows in its place.

    A row that is left out has `after` None and a reason. Columns that are never released are not shown.
    """
    table, schema = study.table, study.schema
    start = max(0, min(start, table.rows - SHOWN))
    names = [c.name for c in table.columns if schema.column(c.name).role in RELEASED]
    labels = _labels(study, recoding, start)
    rows = []
    for place in range(start, min(start + SHOWN, table.rows)):
        before = [_text(table.column(name), place) for name in names]
        shown, reason = labels[place]
        after = None if shown is None else [shown.get(n, b) for n, b in zip(names, before, strict=True)]
        rows.append({"number": place + 1, "before": before, "after": after, "reason": reason})
    roles = [schema.column(name).role for name in names]
    hidden = [c.name for c in table.columns if c.name not in names]
    return {
        "columns": names,
        "roles": roles,
        "rows": rows,
        "hidden": hidden,
        "total": table.rows,
        "start": start,
    }


def _labels(study: Study, recoding: Recoding, start: int) -> dict[int, tuple[dict[str, str] | None, str]]:
    """For each row what its quasi-identifiers are shown as, or None and why it is left out."""
    realized = study.realized(recoding)
    rows, tuples = RowTuples.of(study.table, study.bound, study.cube).block(start, SHOWN)
    found: dict[int, tuple[dict[str, str] | None, str]] = {
        start + row: (None, "a value is missing, so the schema drops it") for row in range(SHOWN)
    }
    names = [axis.name for axis in study.cube.axes]
    published = _published(study, start)
    # In buckets nobody's own sensitive value is shown.
    secret = study.cube.sensitive if realized.classes.buckets is not None else ()
    mixed = dict.fromkeys((margin.name for margin in secret), MIXED)
    for row, tuple_ in zip((start + rows).tolist(), tuples.tolist(), strict=True):
        class_ = int(realized.classes.of_tuple[tuple_])
        if realized.stays[class_]:
            shown = dict(zip(names, realized.classes.labels(class_), strict=True))
            found[row] = {**shown, **published[row - start], **mixed}, ""
        else:
            size = study.schema.unit.count(int(realized.classes.rows[class_]))
            why = suppression_reasons(recoding.keep)
            found[row] = None, f"left out: its group of {size} {why}"
    return found


def _published(study: Study, start: int) -> list[dict[str, str]]:
    """For each row the sensitive values that are not published as they are."""
    rows: list[dict[str, str]] = [{} for _ in range(SHOWN)]
    for column in study.bound.sensitive:
        if column.published is None:
            continue
        labels = [*column.published.labels, ""]
        cells = study.table.column(column.name).codes[start : start + SHOWN]
        codes = np.append(column.published.codes, -1)[cells]
        for row, code in zip(rows, codes.tolist(), strict=False):
            row[column.name] = labels[code]
    return rows


def _text(column: Column, row: int) -> str:
    code = int(np.asarray(column.codes)[row])
    return "" if code == NULL else column.texts[code]
