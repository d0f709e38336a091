"""`paretonym apply`: recode new rows by a solution that was chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paretonym.interfaces.cli.command_inputs import WRITTEN, RunData, WrittenSource, check_address, inputs_of
from paretonym.interfaces.cli.screen import PLAIN, Screen, View, note
from paretonym.tables.data_address import local_file

if TYPE_CHECKING:
    from paretonym.release import CombinedRelease, CsvForm

EXAMPLES = """Examples:

\b
  paretonym apply run --pick 3f9a2c patients-of-may.csv -o patients-of-may-public.csv
  paretonym apply run --pick 3f9a2c may.csv -o may-public.csv --out-separator ";" --out-decimal ,
  paretonym apply run --pick 3f9a2c sqlite:///clinic.db --table may -o patients-of-may-public.csv
  paretonym apply run --pick 3f9a2c "visits/*.parquet" -o visits-public.parquet
"""


@dataclass(frozen=True)
class OutForm:
    """Form in which CSV is written; the options without "out" say how new rows are read."""

    out_separator: str | None = None
    out_encoding: str | None = None
    out_decimal: str | None = None

    def for_file(self, target: Path) -> CsvForm:
        """The form, refused where no CSV file is written."""
        from paretonym.release import CsvForm, of_output

        with of_output():
            form = CsvForm.of(self.out_separator, self.out_encoding, self.out_decimal)
            form.check_kind(target)
        return form


USUAL_FORM = OutForm()


def apply(
    run: Path,
    new_data: str,
    pick: str,
    out: str,
    written: OutForm = USUAL_FORM,
    data: str | None = None,
    source: WrittenSource = WRITTEN,
    allow_second_release: bool = False,
    force: bool = False,
    screen: Screen = PLAIN,
) -> None:
    """Recode new rows as a release shows the old ones.

    Suppresses new rows where both files together would otherwise break the promise of the release, and
    reports the k of both files together.
    """
    from paretonym.release import append_to_file, appended_before, check_release, open_rows

    check_address(data, new_data, out)
    target = Path(out)
    form = written.for_file(target)
    solution, old = RunData(data, source.engine, source.memory).picked(run, pick)
    check_release(target, force, [*inputs_of(run, data, *old.inputs), *filter(None, [local_file(new_data)])])
    screen.note("Reading old and new data …")
    try:
        new = open_rows(old, new_data, **source.keywords)
        before = appended_before(old, target)
        union, manifest = append_to_file(
            old, solution.recoding, new, target, force, allow_second_release, form
        )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    document = {"id": solution.id, "file": str(target), "union": _as_json(union), "manifest": manifest}
    lines, cautions = summary(union, str(target), before)
    hint = f"sha256 {manifest['output']['sha256']}  {target}"
    screen.show(View(document, lines, (*old.warnings, *cautions), hint))


def _as_json(union: CombinedRelease) -> dict[str, Any]:
    """The union; that persons are counted, and suppressed as a whole, is said only where they are."""
    apart: tuple[str, ...] = () if union.persons else ("persons", "most_rows")
    apart += () if union.unit != "row" else ("unit", "returning")
    return {name: value for name, value in asdict(union).items() if name not in apart}


def summary(
    union: CombinedRelease, out: str | Path, before: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Sentences about what was written and what the two files give together, and warnings."""
    from paretonym.base.sentence_parts import several

    dropped = f", {union.dropped:,} of them dropped for a missing value" if union.dropped else ""
    lines = [
        f"{several(union.read, 'new row', 'new rows')} read{dropped}. {union.stay:,} written to {out}; "
        f"{_suppressed(union)}.",
        f"Old release and new rows together: {several(union.old + union.stay, 'row', 'rows')}, "
        f"k = {union.k:,}{' persons' if union.persons else ''} "
        f"(with all new rows it would be {union.k_of_all:,}).",
    ]
    if union.nowhere:
        lie = several(union.nowhere, "of those rows lies", "of those rows lie")
        lines.append(f"{lie} outside everything that the release shows.")
    if union.returning:
        belong = several(union.returning, "of those rows belongs", "of those rows belong")
        lines.append(
            f"{belong} to {union.unit}s that the old release suppressed: they stay suppressed as a whole."
        )
    warnings = []
    if not union.holds:
        warnings.append(
            "Not every class of both files together meets the solution's requirements. The old "
            "release is unchanged, but the new rows changed the distribution that its classes are compared "
            "with."
        )
    if union.k_of_new < union.k:
        lines.append(
            f"In the new file alone the smallest class has {several(union.k_of_new, *_unit(union))}: "
            "somebody who knows that a person is among the new rows searches only there. If that matters, "
            "publish both as one table, without saying which rows are new."
        )
    if before:
        warnings.append(
            f"New rows were written to {', '.join(before)} before, and are not counted here, and the "
            "difference of two such files stands alone, in classes as small as one row: give all rows that "
            f"are new since the release at once, publish {out} alone and withdraw {', '.join(before)}."
        )
    return lines, warnings


def _unit(union: CombinedRelease) -> tuple[str, str]:
    return ("person", "people") if union.persons else ("row", "rows")


def _suppressed(union: CombinedRelease) -> str:
    from paretonym.base.sentence_parts import several

    rows = several(union.left_out, "row", "rows")
    classes = several(union.classes_left_out, "class", "classes")
    if not union.classes_left_out:
        return f"{rows} suppressed"
    if union.unit != "row":
        return f"{rows} suppressed, all of a {union.unit} together, because {classes} would be too small"
    if not union.nowhere:
        return f"{rows} in {classes} suppressed"
    return f"{rows} suppressed, {union.left_out - union.nowhere:,} of them in {classes}"
