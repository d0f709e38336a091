"""One point of a frontier: in words, in bars, as risk, as a few rows before and after (for the page alone,
never written anywhere), and as lines to copy that make the same release."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.base.errors import Field, InputError, Phrase, phrased
from paretonym.base.language import N_, _
from paretonym.engine.frontier import (
    Description,
    Microdata,
    RunRecord,
    Solution,
    cautions,
    describe,
    suppression_reasons,
    verdict,
)
from paretonym.engine.measures import Realized, measured
from paretonym.engine.recoding import Recoding, shown_labels
from paretonym.engine.risk import risk
from paretonym.interfaces.web.open_runs import OpenRun
from paretonym.interfaces.web.problem_json import on_the_page
from paretonym.release import row_tuples
from paretonym.tables.source import NULL, Column


def point_facts(run: OpenRun, solution: Solution, shell: Phrase) -> dict[str, Any]:
    """Everything about a point except its rows. Without the data, what the run alone contains, and why."""
    described, bound = describe(solution, run.data), run.frontier.bound_of(solution)
    return {
        **solution.as_json(),
        "written": {name: measured(name, value) for name, value in solution.values.items()},
        "text": str(described),
        "verdict": list(verdict(solution, run.data)),
        "warnings": list(cautions(solution, run.data)),
        "left_out": described.left_out,
        "note": phrased(described.reason, on_the_page),
        **_from_data(run, solution, described),
        "gone": [{**value._asdict(), "value": value.shown} for value in described.suppressed],
        "shown": {c.name: {"words": str(c.words), "loss": c.loss} for c in described.columns},
        "reasons": _reasons(run, solution),
        "bound": bound.beside(solution) if bound else None,
        "command": command(run, solution, shell),
    }


def _reasons(run: OpenRun, solution: Solution) -> list[str]:
    listed = run.facts["shortlist"] + [
        {"id": m["id"], "reasons": [m["reason"]]} for m in run.facts["landmarks"]
    ]
    return list(dict.fromkeys(r for entry in listed if entry["id"] == solution.id for r in entry["reasons"]))


def _from_data(run: OpenRun, solution: Solution, described: Description) -> dict[str, Any]:
    try:
        realized = run.data.realized(solution.recoding)
    except InputError as error:
        note = _("The risk is not shown: {error}", error=error.said(on_the_page))
        return {"columns": [], "risk": None, "note": note}
    risks = risk(realized, run.data.unit)
    return {
        "columns": _columns(realized, described),
        "risk": {
            "text": str(risks),
            "counted": _(risks.unit.many),
            "rows": risks.rows,
            "classes": risks.classes,
            "smallest": risks.smallest,
            "in_smallest": risks.in_smallest,
            "bins": [bin_._asdict() for bin_ in risks.bins()],
        },
    }


def _columns(realized: Realized, described: Description) -> list[dict[str, Any]]:
    """Each quasi-identifier's level or levels and its height, and how many sets it shows."""
    sets_of_classes = realized.classes.shown[realized.stays]
    return [
        {
            "name": axis.name,
            "level": next(iter(column.levels)) if len(column.levels) == 1 else None,
            "mixed": list(column.levels) if len(column.levels) > 1 else None,
            "height": axis.hierarchy.height,
            "groups": len(shown_labels(sets, sets_of_classes[:, j])),
            "finest": len(axis.hierarchy.levels[0].labels),
        }
        for j, (axis, sets, column) in enumerate(
            zip(realized.cube.axes, realized.classes.sets, described.columns, strict=True)
        )
    ]


def command(run: OpenRun, solution: Solution, shell: Phrase) -> str:
    """The commands that make this release again."""
    file = release_name(run, solution, "csv")
    folder = str(run.folder) if run.own else "run"
    release = f"paretonym release {shlex.quote(folder)} {shell(Field('pick', solution.id))} -o {file}"
    explored = [] if run.own else [_explore_line(run, shell)]
    return "\n".join([*explored, release, f"paretonym audit {file}"])


def _explore_line(run: OpenRun, shell: Phrase) -> str:
    data = shlex.quote(Path(run.record.path or "data.csv").name)
    schema, *options = map(shell, (Field("schema", "schema.toml"), *_command_options(run.record)))
    return " ".join(["paretonym explore", data, schema, "-o run", *options])


def _command_options(record: RunRecord) -> Iterator[Field]:
    """The options of the command that asked for a run, as far as they shape it."""
    options = record.options
    swept = "sweep" in options
    if options.get("table") is not None:
        yield Field("table", options["table"])
    if options["space"] is not None:
        yield Field("space", options["space"])
    if "problem" in options:
        yield Field("problem", options["problem"]["number"])
    else:
        yield Field("objectives", ",".join(options["objectives"]))
    if swept:
        yield from (Field("sweep", entry) for entry in options["sweep"])
    else:
        yield Field("suppress", options["suppress"])
    yield from (limit.option for limit in record.required)


def release_name(run: OpenRun, solution: Solution, kind: str) -> str:
    """A name for the file: that of the table, and the id."""
    stem = Path(run.record.path or "release").stem
    plain = "".join(c if c.isalnum() or c in "-_" else "-" for c in stem)[:60] or "release"
    return f"{plain}-{solution.id}.{kind}"


SHOWN = 20
MIXED = N_("(a value of its bucket)")


def example_rows(data: Microdata, recoding: Recoding, start: int) -> dict[str, Any]:
    """Twenty rows from `start` on, before and after recoding.

    A suppressed row has `after` None and a reason. Columns that are never released are not shown.
    """
    table, schema = data.table, data.schema
    start = max(0, min(start, table.entries - SHOWN))
    names = [c.name for c in table.columns if schema.column(c.name).released]
    labels = _labels(data, recoding, start)
    rows = []
    for place in range(start, min(start + SHOWN, table.entries)):
        before = [_text(table.column(name), place) for name in names]
        texts, reason = labels[place]
        after = None if texts is None else [texts.get(n, b) for n, b in zip(names, before, strict=True)]
        rows.append({"number": place + 1, "before": before, "after": after, "reason": reason})
    roles = [schema.column(name).role for name in names]
    hidden = [c.name for c in table.columns if c.name not in names]
    return {
        "columns": names,
        "roles": roles,
        "rows": rows,
        "hidden": hidden,
        "total": table.entries,
        "start": start,
    }


def _labels(data: Microdata, recoding: Recoding, start: int) -> dict[int, tuple[dict[str, str] | None, str]]:
    """For each row, how its quasi-identifiers are shown, or None and why it is suppressed."""
    realized = data.realized(recoding)
    tuples = row_tuples(data.table, data.bound, data.cube)[start : start + SHOWN]
    rows = np.flatnonzero(tuples >= 0)
    missing = _("a value is missing, so the schema drops it")
    labels: dict[int, tuple[dict[str, str] | None, str]] = {
        start + row: (None, missing) for row in range(SHOWN)
    }
    names = [axis.name for axis in data.cube.axes]
    published = _published(data, start)
    # In buckets nobody's own sensitive value is shown.
    secret = data.cube.sensitive if realized.classes.buckets is not None else ()
    mixed = dict.fromkeys((margin.name for margin in secret), _(MIXED))
    for row, tuple_ in zip((start + rows).tolist(), tuples[rows].tolist(), strict=True):
        class_ = int(realized.classes.of_tuple[tuple_])
        if realized.stays[class_]:
            texts = dict(zip(names, realized.classes.labels(class_), strict=True))
            labels[row] = {**texts, **published[row - start], **mixed}, ""
        else:
            size = data.schema.unit.count(int(realized.classes.sizes[class_]))
            cause = suppression_reasons(recoding.keep)
            reason = _("suppressed: its equivalence class of {size} {why}", size=size, why=cause)
            labels[row] = None, reason
    return labels


def _published(data: Microdata, start: int) -> list[dict[str, str]]:
    """For each row, the values of columns other than quasi-identifiers that are not published unchanged."""
    rows: list[dict[str, str]] = [{} for _ in range(SHOWN)]
    for name, level in data.bound.published_levels.items():
        labels = [*level.labels, ""]
        cells = data.table.column(name).codes[start : start + SHOWN]
        codes = np.append(level.codes, -1)[cells]
        for row, code in zip(rows, codes.tolist(), strict=False):
            row[name] = labels[code]
    return rows


def _text(column: Column, row: int) -> str:
    code = int(np.asarray(column.codes)[row])
    return "" if code == NULL else column.texts[code]
