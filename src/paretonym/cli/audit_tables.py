"""Audits and attacks as tables for people."""

from __future__ import annotations

import math

from rich import box
from rich.table import Table

from paretonym.errors import printable
from paretonym.release.audit.checks import Audit, Check

LONGEST = 16
VERDICTS = {True: "holds", False: "FAILS", None: ""}


def audit_table(result: Audit) -> Table:
    """One line for each check: what was said, what was found, whether they agree."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("of", no_wrap=True)
    table.add_column("what", overflow="fold")
    table.add_column("said", justify="right", overflow="fold")
    table.add_column("found", justify="right", overflow="fold")
    table.add_column("verdict", overflow="fold")
    for check in result.checks:
        verdict = VERDICTS[check.holds]
        words = ": ".join(part for part in (verdict, check.why) if part)
        table.add_row(check.kind, printable(check.name), _said(check), _cell(check.found), printable(words))
    return table


def _said(check: Check) -> str:
    return _cell(check.said)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = printable(value)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value == value // 1 else f"{value:.6g}"
