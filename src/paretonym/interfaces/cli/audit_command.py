"""`paretonym audit`: is this table what it claims to be?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paretonym.base.errors import phrased, printable
from paretonym.interfaces.cli.command_inputs import check_address, names_in, run_table
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.audit import Audit

EXAMPLES = """Examples:

\b
  paretonym audit release.csv
  paretonym audit release.csv --details
  paretonym audit release-in-parts/ --memory 4GB
  paretonym audit release.csv --schema patients.toml --original patients.csv
  paretonym audit release.csv --original run
  paretonym audit release.csv --schema patients.toml --original sqlite:///clinic.db --table patients
  paretonym audit may.csv --schema patients.toml --original new.csv --old patients.csv
  paretonym audit release.csv --schema survey.toml --population-file register.csv --require "k-map>=20"
  paretonym audit release.csv --require "k>=5" --require "t-release<=0.3"
  paretonym audit release.csv --policy house.toml
  paretonym audit foreign.csv --quasi age,zip --sensitive diagnosis --require "l-distinct@diagnosis>=2"
"""
CANNOT_SEE = (
    "An audit compares a file with what is claimed about it. Somebody who can change both can make them "
    "agree: keep the sha256 where only you can write, and compare."
)


def audit(
    file: str,
    schema: Path | None = None,
    require: list[str] | None = None,
    original: str | None = None,
    old: str | None = None,
    population_file: str | None = None,
    table: str | None = None,
    manifest: Path | None = None,
    quasi: str = "",
    sensitive: str = "",
    memory: str | None = None,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Measure a finished table again, with formulas that nothing else uses.

    Checks every claim of the manifest beside it, and every requirement. Exits with 1 if anything does not
    hold. Shares the readers of tables and schemas with the search, and no other code.
    """
    from paretonym.audit import audit as measure
    from paretonym.release import withdrawal
    from paretonym.tables.schema.policies import is_policy, read_policy

    check_address(file, original, old, population_file)
    of_run, old_run = run_table(original), run_table(old)
    with screen.progress("Measuring"):
        result = measure(
            file,
            schema=of_run.schema if schema is None and of_run else schema,
            require=require or (),
            original=of_run.source if of_run else original,
            old=old_run.source if old_run else old,
            quasi=names_in(quasi),
            sensitive=names_in(sensitive),
            memory=memory,
            table=table,
            manifest=manifest,
            population_file=population_file,
        )
    if (withdrawn := withdrawal(result.sha256)) is not None:
        result = replace(result, warnings=(*result.warnings, withdrawn))
    policies = [read_policy(Path(entry)) for entry in require or () if is_policy(entry)]
    document = {**result.to_dict(in_shell), "cannot_see": CANNOT_SEE}
    if policies:
        document["policies"] = [policy.as_json() for policy in policies]
    judged = any(check.holds is not None for check in result.checks)
    warnings = [f"{warning}." for warning in result.warnings]
    lines = [
        *_lines(result),
        *(f"  {policy.name}: {limit}" for policy in policies for limit in policy.limits),
    ]
    # Nothing was claimed or required: what was measured is the answer.
    lines += (
        [] if judged else [f"  {check.name} {_cell(check.found)}" for check in result.checks[:MOST_REASONS]]
    )
    digests = [] if result.sha256 is None else [f"sha256 of the file      {result.sha256}"]
    if result.manifest_sha256 is not None:
        digests.append(f"sha256 of the manifest  {result.manifest_sha256}")
    hint = "\n".join([*digests, CANNOT_SEE])
    screen.show(View(document, lines, warnings, hint, lambda: [checks_table(result)]))
    if not result:
        raise click.exceptions.Exit(1)


def _lines(result: Audit) -> Iterator[str]:
    """The verdict, then why it is not better."""
    yield f"{printable(str(result))}."
    reasons = list(_reasons(result))
    yield from reasons[:MOST_REASONS]
    if len(reasons) > MOST_REASONS:
        yield f"  and {len(reasons) - MOST_REASONS} more"


def _reasons(result: Audit) -> Iterator[str]:
    """A line for each check that fails or cannot be decided."""
    for check in (*result.failed, *result.undecided):
        values = [f"stated {_cell(check.said)}" if check.said is not None else ""]
        values.append(f"measured {_cell(check.found)}" if check.found is not None else "")
        compared = ", ".join(value for value in values if value)
        words = ": ".join(part for part in (compared, phrased(check.reason, in_shell)) if part)
        verdict = "FAILS" if check.holds is False else "not decided"
        yield printable(f"  {verdict}  {check.name}{f': {words}' if words else ''}")


LONGEST = 16
MOST_REASONS = 6
VERDICTS = {True: "holds", False: "FAILS", None: ""}


def checks_table(result: Audit) -> Table:
    """A table of the checks: what was stated, what was measured, whether they agree."""
    rows = [
        (
            check.kind,
            check.name,
            _cell(check.said),
            _cell(check.found),
            ": ".join(part for part in (VERDICTS[check.holds], phrased(check.reason, in_shell)) if part),
        )
        for check in result.checks
    ]
    return columns("kind", "check", ">stated", ">found", "verdict", rows=rows)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = printable(value)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if value == value // 1 else f"{value:.6g}"
