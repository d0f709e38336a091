"""The control group: people whom nothing that is released is made from, so that attacks on a release have
somebody to be compared with.

Whole persons and households are chosen, by their ranks in canonical order under the key of the table: once
for each table, whatever the run, the seed or the kind of file. A larger group contains a smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import Field, InputError
from paretonym.base.number_text import format_fraction, parse_fraction
from paretonym.release.draw_key import Draw, find_key, share_key
from paretonym.release.release_log import ReleaseLog
from paretonym.tables.schema import Schema, wanted_of
from paretonym.tables.source import Counts

OPTION = "control"
# Fewer people say too little for an interval to mean anything.
FEWEST = 20


def control_share(share: str | float | Fraction) -> Fraction:
    """The share of the people that a control group is: above 0, at most a half.

    >>> control_share("10%")
    Fraction(1, 10)
    """
    place = Field(OPTION, str(share))
    fraction = share if isinstance(share, Fraction) else parse_fraction(str(share), place)
    if not 0 < fraction <= Fraction(1, 2):
        raise InputError.of(place, "a control group is a share above 0, and at most 50%", "give, say, 10%")
    return fraction


def without_control(table: Counts, schema: Schema, share: Fraction, run: Path | None = None) -> Counts:
    """The table without its control group, which becomes its `control`. The folder of a `run` may have a copy
    of the key."""
    log = ReleaseLog.of(table, schema, run)
    whole = table.whole
    if not whole.repeats_fit:
        wrong = "a control group is drawn from the rows themselves, and they do not fit into memory"
        raise InputError.of(
            table.name, wrong, "use a machine with more memory, or give a control of your own"
        )
    key = find_key(log)
    held = control_rows(whole, schema, share, Draw(key, ""))
    rows = int(held.sum())
    if not FEWEST <= rows <= whole.rows - FEWEST:
        wrong = f"of {whole.rows:,} rows {rows:,} would be the control group"
        raise InputError.of(
            Field(OPTION), wrong, f"choose a share that leaves {FEWEST} or more on both sides"
        )
    control, rest = (whole.part(weights) for weights in (held, whole.weights - held))
    wanted = wanted_of(schema)
    held_out = replace(control.wanted(wanted), again=control.wanted)
    remaining = replace(rest.wanted(wanted), again=rest.wanted, control=held_out)
    share_key(ReleaseLog.of(remaining, schema), key)
    return remaining


def control_as_json(table: Counts, share: Fraction) -> dict[str, Any]:
    """The record of a control group in a run."""
    rows = 0 if table.control is None else table.control.rows
    return {OPTION: {"share": format_fraction(share), "rows": rows}}


def control_rows(table: Counts, schema: Schema, share: Fraction, draw: Draw) -> Integers:
    """Number of rows in the control group, of those that each entry of a table stands for."""
    wholes = [
        table.column(spec.name)
        for spec in (schema.person, schema.household)
        if spec is not None and spec.name in table.by_name
    ]
    if not wholes:
        order = draw.order(table)
        chosen = _chosen(table.rows, share, draw)
        ends = np.cumsum(table.weights[order])
        number = np.diff(np.concatenate([[0], np.cumsum(chosen)])[np.concatenate([[0], ends])])
        rows = np.empty(table.entries, dtype=np.int64)
        rows[order] = number
        return rows
    rank = np.empty(table.entries, dtype=np.int64)
    rank[draw.order(replace(table, columns=tuple(wholes)))] = np.arange(table.entries)
    first = _joined_groups([column.codes for column in wholes], rank)
    _, group = np.unique(first, return_inverse=True)
    chosen = _chosen(int(group.max()) + 1, share, draw)
    return np.where(chosen[group], table.weights, 0)


def _joined_groups(columns: Sequence[Codes], rank: Integers) -> Integers:
    """For each entry the lowest rank of those that belong together: equal in some column, or both to a third
    one."""
    lowest = rank
    while True:
        before = lowest
        for codes in columns:
            least = np.full(int(codes.max()) + 2, len(rank), dtype=np.int64)
            np.minimum.at(least, codes, lowest)
            lowest = least[codes]
        if np.array_equal(lowest, before):
            return lowest


def _chosen(number: int, share: Fraction, draw: Draw) -> Mask:
    """Mark a share of that many ranks."""
    order = np.argsort(draw.numbers("control", number), kind="stable")
    chosen = np.zeros(number, dtype=np.bool_)
    chosen[order[: int(share * number)]] = True
    return chosen
