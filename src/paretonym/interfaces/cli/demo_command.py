"""`paretonym demo`: the main job on the built-in example."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paretonym.base.errors import Bug
from paretonym.base.files import Kind, Output, check_outputs, new_folder, write_output
from paretonym.base.sentence_parts import percentage
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import PLAIN, Screen, View, note

if TYPE_CHECKING:
    from paretonym.audit import Audit
    from paretonym.study import Run, Solution, Study

# The file of the release that the demo explains and writes.
RELEASE = "adult-public.csv"
EXAMPLES = """Examples:

\b
  paretonym demo
  paretonym demo --out adult-demo
"""


# The largest k with at most 20 % loss.
QUESTION: dict[str, Any] = {"at_most": {"loss": 0.2}, "best": "k"}


def demo(out: Path | None = None, force: bool = False, screen: Screen = PLAIN) -> None:
    """Show the whole trade-off for a built-in census table of 30,162 people."""
    if out is not None:
        check_outputs([Output(out, Kind.FOLDER)], force)
    # Imported here because --help needs neither numpy nor the rest.
    from paretonym.engine.frontier.queries import sentence, shortlist
    from paretonym.engine.recoding import Lattice
    from paretonym.interfaces.cli.frontier_view import MOST_CHOICES, choice_lines
    from paretonym.study import example

    study = example("adult")
    nodes = Lattice.of(study.cube).size
    screen.note(
        f"UCI Adult: {study.cube.rows:,} people, {len(study.cube.axes)} quasi-identifiers that can be "
        f"generalized in {nodes:,} ways."
    )
    try:
        with screen.progress("Exploring") as progress:
            frontier = study.explore(
                "k",
                "loss",
                suppress="1%",
                progress=progress,
                remark=lambda text: screen.note(text.said(in_shell)),
            )
            alike = study.explore("k", "loss", suppress="1%", space="lattice")
    except KeyboardInterrupt:
        note("\nInterrupted: nothing was written.")
        raise click.exceptions.Exit(130) from None
    checked = _made_for_a_moment(study, frontier) if out is None else _keep(study, frontier, out, force)
    lines = [f"{frontier}.", sentence(frontier.answer(**QUESTION)), _beside_one_level(frontier, alike)]
    lines += [_released(frontier, checked), "Others worth a look:"]
    lines += choice_lines(frontier, shortlist(frontier, MOST_CHOICES))
    screen.show(View(frontier.as_json(), lines, hint=_next_steps(out)))


def _chosen(frontier: Run) -> Solution:
    """The release that answers the demo's question."""
    return frontier.ask(**QUESTION)


def _beside_one_level(frontier: Run, alike: Run) -> str:
    """Sentence on one level per column instead, and what no generalization can do: of the question's k and
    loss."""
    from paretonym.engine.measures import measured

    k = _chosen(frontier)["k"]
    largest, least = _chosen(alike)["k"], alike.ask(at_least={"k": k}, best="loss")["loss"]
    instead = f"k {measured('k', largest)}, and lose {measured('loss', least)} for k {measured('k', k)}"
    bound = frontier.least_cost.sentence(k) if frontier.least_cost else ""
    return f"One level per column would give only {instead}{f'; {bound}' if bound else ''}."


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
    judged = sum(check.holds is not None for check in checked.checks)
    average = float(checked["risk-average"] or 0)
    verdict = f"all {judged} checks hold" if checked.passed else "NOT all checks hold"
    return (
        f"It was written ({checked.rows:,} of {frontier.table.rows:,} rows) and audited by code that shares "
        f"nothing with the search: {verdict}, k is {checked['k']:.0f}, and the re-identification risk is "
        f"{percentage(average)} on average."
    )


def _keep(study: Study, frontier: Run, out: Path, force: bool) -> Audit:
    """Write the table as a CSV file, its schema, the run and a release to one new folder; return the audit of
    the release."""
    from paretonym.tables.source.example_data import example_path, write_adult_csv

    with new_folder(Output(out, Kind.FOLDER), force) as draft:
        write_adult_csv(draft / "adult.csv")
        shutil.copyfile(example_path("adult.toml"), draft / "adult.toml")
        if frontier.record is None:
            raise Bug("a frontier that was just found has no record")
        record = replace(frontier.record, path=str(out.absolute() / "adult.csv"))
        run = replace(frontier, record=record)
        run.save(draft / "run")
        _report(run, draft / "report.html")
        return _release(study, _chosen(frontier), draft, draft / "run")


def _report(frontier: Run, path: Path) -> None:
    """Write the officer's page about the release that answers the demo's question."""
    from paretonym.engine.frontier.queries import Question
    from paretonym.report import tell
    from paretonym.report.pages import report_page

    page = report_page(tell(frontier, frontier.data, None, Question.of(**QUESTION)), "officer")
    write_output(Output(path, private=True), page.encode())


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
