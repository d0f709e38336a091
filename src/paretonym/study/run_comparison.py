"""`compare`: runs of one table by the same measures, or releases and anybody's tables beside a control."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

from paretonym.base.budget import Progress
from paretonym.base.errors import InputError
from paretonym.base.files import Inputs, Output, write_output
from paretonym.base.notebook_view import evenly
from paretonym.base.random_seed import checked_seed
from paretonym.engine.frontier import Microdata
from paretonym.engine.measures import SWEPT_OBJECTIVES, Settings, measured, settings_of
from paretonym.evidence.criteria import Referee, SchemaLike
from paretonym.report import (
    AXES,
    Candidate,
    Comparison,
    MeasuredTables,
    check_one_table,
    compare_frontiers,
    compare_tables,
    named_candidates,
)
from paretonym.study.explored_run import Run
from paretonym.study.progress_bar import shown_progress
from paretonym.tables.data_kinds import Data

if TYPE_CHECKING:
    from paretonym.report.figures import Drawing

Compared: TypeAlias = "Run | Data | Mapping[str, Run | Data]"
# Releases of a run that are measured beside tables, spread evenly over its frontier.
MOST_RELEASES = 8


@dataclass(frozen=True, slots=True, repr=False)
class TableComparison(MeasuredTables):
    """Tables measured alike, with their picture and page."""

    def plot(self) -> Drawing:
        """The picture: risk with intervals over what is lost."""
        from paretonym.report.figures import draw_tables

        return draw_tables(self)

    def save(self, path: str | os.PathLike[str], force: bool = False, inputs: Inputs = ()) -> None:
        """Write one page (`.html`) or all numbers (`.json`)."""
        from paretonym.report.pages import comparison_page

        if Path(path).suffix.lower() in (".html", ".htm"):
            text = comparison_page(self)
        else:
            text = json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        write_output(Output(Path(path)), text.encode(), force, inputs)


@overload
def compare(
    runs: Mapping[str, Run],
    /,
    *,
    measures: Sequence[str] = (),
    settings: Settings | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Comparison: ...
@overload
def compare(
    *tables: Compared,
    measures: Sequence[str] = (),
    settings: Settings | None = None,
    original: Data | None = None,
    control: Data | None = None,
    schema: SchemaLike | None = None,
    stated: Mapping[str, str] | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Comparison | TableComparison: ...
def compare(
    *tables: Compared,
    measures: Sequence[str] = (),
    settings: Settings | None = None,
    original: Data | None = None,
    control: Data | None = None,
    schema: SchemaLike | None = None,
    stated: Mapping[str, str] | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Comparison | TableComparison:
    """Compare runs and any tables about the same people: `compare(run, {"ARX": frame}, control=holdout)`.

    Runs alone, without a control, are compared by `measures`: every release is measured again, a run of a
    sweep with all its candidates. With a control (people whom no table was made from; a run that kept some
    out has one) releases and tables are measured by the same attacks and the same figures of utility, from
    the tables alone; `measures` are then one risk and one figure of utility, "inference" and "pmse" unless
    others are named. `original` and `schema` are those of the first run unless they are given. `stated` holds
    guarantees that somebody states of a table, such as {"MST": "ε = 1"}; nothing checks them.
    """
    checked_seed(seed)
    named = _named(tables)
    runs = {name: table for name, table in named.items() if isinstance(table, Run)}
    if len(runs) == len(named) and original is None and control is None:
        return _compare_runs(runs, measures or SWEPT_OBJECTIVES, settings, threads, progress)
    referee = _referee(runs, original, control, schema)
    with shown_progress(progress) as advance:
        candidates = list(_candidates(named, dict(stated or {})))
        facts = compare_tables(candidates, referee, measures or AXES, seed, advance)
    return TableComparison(facts.tables, facts.sample, facts.risk, facts.cost)


def _compare_runs(
    runs: Mapping[str, Run],
    measures: Sequence[str],
    settings: Settings | None,
    threads: int,
    progress: Progress | None,
) -> Comparison:
    """Runs of one table and schema: otherwise the same name would measure different things."""
    check_one_table(runs)
    data = _table_of(*next(iter(runs.items())))
    with shown_progress(progress) as advance:
        return compare_frontiers(runs, data, measures, settings_of(settings), threads, advance)


def _named(tables: Sequence[Compared]) -> dict[str, Run | Data]:
    """Every table with its name: a key, a path, or what it is with a number."""
    named: dict[str, Run | Data] = {}
    for table in tables:
        if isinstance(table, Mapping):
            entries = dict(table)
        elif isinstance(table, str | os.PathLike):
            name = Path(table).name
            entries = {str(table) if name in named else name: table}
        else:
            entries = {"run" if isinstance(table, Run) else f"table {len(named) + 1}": table}
        for name, entry in entries.items():
            if name in named:
                raise InputError.of(name, "this name is given twice", 'name each: {"ARX": table}')
            named[name] = entry
    if not named:
        raise InputError.of("compare", "nothing is given", "give runs, or runs and tables")
    return named


def _referee(
    runs: Mapping[str, Run], original: Data | None, control: Data | None, schema: SchemaLike | None
) -> Referee:
    """The original and the control that are given, or those of the first run, which all runs must have."""
    if runs:
        check_one_table(runs)
        data = _table_of(*next(iter(runs.items())))
        source = data.source
        control = source.control if control is None else control
        referee = Referee.of(source if original is None else original, control, schema or data.schema)
        if original is not None and referee.original.fingerprint != source.fingerprint:
            wrong = "its releases were made from other rows than the original"
            raise InputError.of(next(iter(runs)), wrong, "give the original of the run, or omit it")
        return referee
    if original is None or schema is None:
        missing = "original" if original is None else "schema"
        raise InputError.of(missing, "no run says which it is", "give it, or a run")
    return Referee.of(original, control, schema)


def _table_of(name: str, run: Run) -> Microdata:
    if run.data is None:
        raise InputError.of(name, "the table of this run is not known", "load it from its folder")
    return run.data


def _candidates(named: Mapping[str, Run | Data], stated: dict[str, str]) -> Iterator[Candidate]:
    """Releases of runs, spread over their frontiers, then tables."""
    files: dict[str, Data] = {}
    for name, table in named.items():
        if not isinstance(table, Run):
            files[name] = table
            continue
        for solution in evenly(table.solutions, MOST_RELEASES):
            objective = table.objectives[0].name
            label = f"{name} {solution.id} ({objective} {measured(objective, solution.values[objective])})"
            yield Candidate(label, solution.release, name, solution.id)
    yield from named_candidates(files, stated)
