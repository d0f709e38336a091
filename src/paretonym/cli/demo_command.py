"""`paretonym demo`: the main job on the built-in example."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import Force, Json, Quiet
from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.cli.option_flags import in_shell
from paretonym.errors import Bug
from paretonym.outputs import Kind, Output, check_outputs, new_folder, write_output
from paretonym.sentence_parts import percentage

if TYPE_CHECKING:
    from paretonym.audit import Audit
    from paretonym.run import Run, Solution, Study

# The file of the release that the demo explains and writes.
RELEASE = "adult-public.csv"
EXAMPLES = """Examples:

\b
  paretonym demo
  paretonym demo --out adult-demo
"""


# The largest k with at most 40 % loss.
QUESTION: dict[str, Any] = {"at_most": {"loss": 0.4}, "best": "k"}


def demo(
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Keep everything in this new folder.",
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the whole trade-off for a built-in census table of 30,162 people."""
    if out is not None:
        check_outputs([Output(out, Kind.FOLDER)], force)
    hushed = quiet or as_json
    # Imported here because --help needs neither numpy nor the rest.
    from paretonym.cli.frontier_tables import frontier_view
    from paretonym.recoding import Lattice
    from paretonym.run import example

    study = example("adult")
    nodes = Lattice.of(study.cube).size
    note(
        f"UCI Adult: {study.cube.rows:,} people, {len(study.cube.axes)} quasi-identifiers that can be "
        f"generalized in {nodes:,} ways.",
        hushed,
    )
    try:
        with live_progress("Exploring", hushed) as progress:
            frontier = study.explore(
                "k",
                "loss",
                suppress="1%",
                space="lattice",
                progress=progress,
                remark=lambda text: note(text.said(in_shell), hushed),
            )
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    checked = _made_for_a_moment(study, frontier) if out is None else _keep(study, frontier, out, force)
    if as_json:
        print_json(frontier.as_json())
        return
    output().print(frontier_view(frontier))
    output().print(_asked(frontier))
    note(
        f"{frontier}.\n\n{_reading(frontier)}\n\n{_released(frontier, checked)}\n\n{_next_steps(out)}", quiet
    )


def _chosen(frontier: Run) -> Solution:
    """The release that answers the demo's question."""
    return frontier.ask(**QUESTION)


def _made_for_a_moment(study: Study, frontier: Run) -> Audit:
    """The audit of the chosen release, written to a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="paretonym-") as folder:
        return _release(study, _chosen(frontier), Path(folder))


def _release(study: Study, chosen: Solution, folder: Path, run: Path | None = None) -> Audit:
    """Write the release and audit it. At most the run logs it: the user's release log is for the user's
    tables."""
    from paretonym.audit import audit
    from paretonym.release import ReleaseLog, publish_release

    path = folder / RELEASE
    publish_release(study, chosen.recoding, path, log=ReleaseLog.of_run(run))
    return audit(path)


def _released(frontier: Run, checked: Audit) -> str:
    chosen = _chosen(frontier)
    judged = sum(check.holds is not None for check in checked.checks)
    found = float(checked["risk-average"] or 0)
    verdict = f"all {judged} checks hold" if checked.passed else "NOT all checks hold"
    return (
        f"Release {chosen.id} was written ({checked.rows:,} of {frontier.table.rows:,} rows) and audited by "
        f"code that shares nothing with the search: {verdict}.\n"
        f"The file alone shows that k = {checked['k']:.0f}, that somebody who knows the quasi-identifiers "
        f"picks the right row with a probability of {percentage(found)} on average, and that each "
        f"equivalence class has at least {checked['l-distinct']:.0f} different occupations."
    )


def _keep(study: Study, frontier: Run, out: Path, force: bool) -> Audit:
    """Write the table as a CSV file, its schema, the run and a release to one new folder; return the audit of
    the release."""
    from paretonym.source.example_data import example_path, write_adult_csv

    with new_folder(Output(out, Kind.FOLDER), force) as draft:
        write_adult_csv(draft / "adult.csv")
        shutil.copyfile(example_path("adult.toml"), draft / "adult.toml")
        if frontier.record is None:
            raise Bug("a frontier that was just found has no record")
        record = replace(frontier.record, path=str(out.absolute() / "adult.csv"))
        kept = replace(frontier, record=record)
        kept.save(draft / "run")
        _report(kept, draft / "report.html")
        return _release(study, _chosen(frontier), draft, draft / "run")


def _report(frontier: Run, path: Path) -> None:
    """Write the officer's page about the release that answers the demo's question."""
    from paretonym.frontier.queries import Question
    from paretonym.report import tell
    from paretonym.report.pages import report_page

    page = report_page(tell(frontier, frontier.data, None, Question.of(**QUESTION)), "officer")
    write_output(Output(path, private=True), page.encode())


def _asked(frontier: Run) -> str:
    """One question and its answer."""
    from paretonym.frontier.queries import bought

    found = frontier.answer(**QUESTION)
    more = "\n".join(f"  {line}" for line in bought(found))
    return f"\n{found}\nIt shows {_chosen(frontier).describe()}\nRelaxing a limit would give:\n{more}\n"


def _reading(frontier: Run) -> str:
    """An explanation of one line of the table, with its numbers."""
    from paretonym.measures import measured

    example_solution = _chosen(frontier)
    return (
        "How to read it: each line is a release that no other dominates. In release "
        f"{example_solution.id} everybody looks the same as at least {example_solution.values['k'] - 1:.0f} "
        f"others; that costs {measured('loss', example_solution.values['loss'])} of the detail, including "
        f"{example_solution.suppressed:,} suppressed people."
    )


def _next_steps(out: Path | None) -> str:
    if out is None:
        return (
            "Next: 'paretonym serve' shows the explorer in your browser, with this example or your file;\n"
            "'paretonym demo -o adult-demo' keeps the table, schema, run, report and release in a folder."
        )
    return (
        f"Kept in {out}: adult.csv, adult.toml (every choice explained), run/, report.html, and the release "
        f"{RELEASE} with its manifest.\n"
        f"Next: paretonym serve {out / 'run'}\n"
        f"or paretonym ask {out / 'run'} --at-most loss=25% --best k\n"
        f"or change a hierarchy in {out / 'adult.toml'}, then\n"
        f"  paretonym explore {out / 'adult.csv'} --schema {out / 'adult.toml'} -o {out / 'my-run'}"
    )
