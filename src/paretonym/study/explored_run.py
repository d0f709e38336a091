"""Run and Solution as users have them: a frontier together with its data; and saved runs, opened again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

from paretonym.base.budget import Progress
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.language import ENGLISH
from paretonym.engine.counts import declared_purposes
from paretonym.engine.frontier import (
    Description,
    Frontier,
    Microdata,
    ProvenBound,
    RunRecord,
    cautions,
    describe,
)
from paretonym.engine.frontier import Solution as PlainSolution
from paretonym.engine.frontier.queries import Answer, Choice, Question, answer, shortlist_within
from paretonym.engine.measures import (
    CLASS_SIZE,
    LOSS,
    Bounds,
    Limit,
    card_of,
)
from paretonym.engine.measures.estimates import DeclaredAnalysis, check_purposes, declared
from paretonym.engine.risk import Risk, risk
from paretonym.engine.spaces import PurposeAnswer, achieve, space_of
from paretonym.study.population_table import OPTION, population_files, same_population, stored_fraction
from paretonym.study.progress_bar import shown_progress
from paretonym.study.run_folder import load_run, save_run
from paretonym.tables.data_address import local_file
from paretonym.tables.data_kinds import Data, OwnFrame
from paretonym.tables.schema import Analysis, wanted_of
from paretonym.tables.source import Counts, TableForm
from paretonym.tables.source.engines import is_folder_or_pattern, open_source

if TYPE_CHECKING:
    import pandas
    import polars

    from paretonym.evidence.utility import AnalystUtility
    from paretonym.release import CombinedRelease
    from paretonym.report.figures import Drawing
    from paretonym.study.notebook_tables import ReportPage


class Values(dict[str, float]):
    """The values of measures, which never change.

    >>> Values(k=5)["k"] = 50
    Traceback (most recent call last):
    TypeError: the values of a solution never change
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the values of a solution never change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[type[Values], tuple[dict[str, float]]]:
        return Values, (dict(self),)


@dataclass(frozen=True, slots=True, repr=False)
class Solution(PlainSolution):
    """One release of a frontier. `values` holds every objective, and k, gl, sl and loss; `suppressed` counts
    rows; `data` is the table that it was found for, which answers what these numbers do not."""

    data: Microdata | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", Values(self.values))

    @classmethod
    def of(cls, plain: PlainSolution, data: Microdata | None) -> Solution:
        """A plain solution, with the table that it was found for."""
        return cls(
            plain.id, plain.values, plain.suppressed, plain.recoding, plain.rival, plain.space, data=data
        )

    @property
    def method(self) -> str:
        """The way in which it generalizes, in few words."""
        return space_of(self.recoding).words

    @overload
    def release(self) -> OwnFrame: ...
    @overload
    def release(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        allow_second_release: bool = False,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
    ) -> Path: ...
    def release(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
        allow_second_release: bool = False,
        separator: str | None = None,
        encoding: str | None = None,
        decimal: str | None = None,
    ) -> OwnFrame | Path:
        """The rows of this release, in the caller's own kind of dataframe.

        With a path (`.csv`, `.parquet` or `.xlsx`) they are written there instead, with the manifest beside
        them, and the path is returned: rows that fill a disk need not fit into memory. A second, different
        release of the same table, from whichever run, is refused unless `allow_second_release` is given: two
        releases can be joined. A dataframe alone is not recorded as a release. `separator`, `encoding`
        ("utf-8", "utf-8-sig" or "cp1252") and `decimal` are those of a CSV file: a German Excel expects ";",
        "utf-8-sig" and ",".
        """
        from paretonym.release import CsvForm, publish_release, release_dataframe

        if path is None:
            return release_dataframe(self.known_data, self.recoding)
        target = Path(path)
        form = CsvForm.of(separator, encoding, decimal)
        publish_release(self.known_data, self.recoding, target, force, allow_second_release, form=form)
        return target

    def withdraw(self, reason: str) -> None:
        """Take this release out of the log, since nobody got it: another one of the table may then be made.
        The reason stays in the log."""
        from paretonym.release import log_of

        log_of(self.known_data).withdraw(self.id, reason)

    @overload
    def apply(
        self,
        new: Data,
        *,
        table: str | None = None,
        query: str | None = None,
        engine: str = "auto",
        memory: str | int | None = None,
    ) -> tuple[OwnFrame, CombinedRelease]: ...
    @overload
    def apply(
        self,
        new: Data,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        allow_second_release: bool = False,
        table: str | None = None,
        query: str | None = None,
        engine: str = "auto",
        memory: str | int | None = None,
        out_separator: str | None = None,
        out_encoding: str | None = None,
        out_decimal: str | None = None,
    ) -> tuple[Path, CombinedRelease]: ...
    def apply(
        self,
        new: Data,
        path: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
        allow_second_release: bool = False,
        table: str | None = None,
        query: str | None = None,
        engine: str = "auto",
        memory: str | int | None = None,
        out_separator: str | None = None,
        out_encoding: str | None = None,
        out_decimal: str | None = None,
    ) -> tuple[OwnFrame | Path, CombinedRelease]:
        """New rows as this release shows the old ones, and what both give together:
        `rows, union = solution.apply("may.csv")`. They may be whatever a `Study` takes, `table` or `query` of
        a database too, and `engine` and `memory` are those of a `Study`. With a path they are written there
        instead, with a manifest, and the path is returned; `out_separator`, `out_encoding` and
        `out_decimal` are those of a CSV file, as in `release`."""
        from paretonym.release import (
            CsvForm,
            append_rows,
            append_to_file,
            of_output,
            open_rows,
        )

        with of_output():
            form = CsvForm.of(out_separator, out_encoding, out_decimal)
        data = self.known_data
        rows = open_rows(data, new, table=table, query=query, engine=engine, memory=memory)
        if path is None:
            return append_rows(data, self.recoding, rows)
        target = Path(path)
        union, _ = append_to_file(data, self.recoding, rows, target, force, allow_second_release, form)
        return target, union

    @property
    def k(self) -> int:
        """The size of the smallest equivalence class."""
        return int(self.values[CLASS_SIZE])

    @property
    def loss(self) -> float:
        """The information loss, between 0 and 1."""
        return self.values[LOSS]

    def describe(self) -> Description:
        """The release in words: how columns are shown, which rows are suppressed, what each column loses."""
        return describe(self, self.data)

    def risk(self) -> Risk:
        """The re-identification risk of the release, and the sizes of its classes; needs the data."""
        return risk(self.known_data.realized(self.recoding), self.known_data.unit)

    def utility(self, target: str | None = None, regression: str | None = None) -> AnalystUtility:
        """Utility of the release for analysts, beside the original: shares of values, associations of
        columns, pMSE; with `target`, a sensitive or class column, how well a model that is trained on the
        release predicts it; with `regression`, such as "hours ~ age * sex", its coefficients before and
        after, as a declared purpose has them. Estimates, for the publisher alone; needs the data."""
        from paretonym.evidence.utility import analyst_utility

        data = self.known_data
        analysis = None if regression is None else _regression(data, regression)
        return analyst_utility(data.realized(self.recoding), target, analysis)

    def warnings(self) -> tuple[str, ...]:
        """Warnings for a publisher before releasing this: what k counts, who is unique, for how many
        people a sensitive value is certain."""
        return cautions(self, self.data)

    def __str__(self) -> str:
        return "\n".join([f"{repr(self)[1:-1]}.", *(f"Warning: {text}" for text in self.warnings())])

    def _repr_html_(self) -> str:
        from paretonym.report.pages import solution_in_notebook

        return solution_in_notebook(self, self.data)

    @property
    def known_data(self) -> Microdata:
        """The table that it was found for; an error if that is not known."""
        if self.data is None:
            raise InputError.of(
                f"solution {self.id}",
                "its table is not known",
                "load its run, or explore again",
            )
        return self.data


def _regression(data: Microdata, formula: str) -> DeclaredAnalysis:
    """A regression that no purpose declares, ready to be compared with releases."""
    analysis = Analysis.of_formula(formula, {column.name: column.role for column in data.schema.columns})
    schema = replace(data.schema, purposes=(analysis,))
    purposes = declared_purposes(schema, data.source, data.bound)
    cube = replace(data.cube, margins={**data.cube.margins, "purposes": purposes})
    check_purposes(cube)
    return declared(cube, [analysis.purpose])[0]


@dataclass(frozen=True, slots=True, repr=False)
class Run(Frontier):
    """Solutions ordered by the first objective, best first. A sequence: iterate, index, slice.

    `candidates` are all releases of a sweep, in its order; the solutions are the best of them. `data` is the
    table that they were found for.
    """

    solutions: tuple[Solution, ...]
    candidates: tuple[Solution, ...] = ()
    least_cost: ProvenBound | None = None
    further: tuple[Solution, ...] = field(default=(), compare=False)
    data: Microdata | None = field(default=None, compare=False, kw_only=True)

    @classmethod
    def of(cls, plain: Frontier, data: Microdata | None) -> Run:
        """A plain frontier, whose solutions know the table that they were found for."""
        return cls(
            plain.table,
            plain.methods,
            plain.objectives,
            tuple(Solution.of(solution, data) for solution in plain.solutions),
            plain.record,
            tuple(Solution.of(candidate, data) for candidate in plain.candidates),
            plain.least_cost,
            tuple(Solution.of(release, data) for release in plain.further),
            data=data,
        )

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Solution, ...]: ...
    def __getitem__(self, index: int | slice) -> Solution | tuple[Solution, ...]:
        return self.solutions[index]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __reversed__(self) -> Iterator[Solution]:
        return reversed(self.solutions)

    def pick(self, name: str) -> Solution:
        """The solution with that id, or whose id or digest begins with it."""
        return cast(Solution, Frontier.pick(self, name))

    def ask(
        self,
        *,
        best: str,
        at_most: Bounds | None = None,
        at_least: Bounds | None = None,
        allow_unproven: bool = False,
    ) -> Solution:
        """The best solution within limits: `front.ask(at_most={"loss": 0.25}, best="k")`.

        Raises `NoSolution` with the nearest ones if there is none. Limits for which the frontier cannot prove
        an answer are refused unless `allow_unproven` is true. Limits on "inference", "linkability" and
        "singling-out" are measured, release after release, beside the control group of the study.
        """
        from paretonym.study.measured_release import answer_within_criteria, criteria_limits

        question, criteria = criteria_limits(Question.of(at_least, at_most, best))
        if criteria:
            within = answer_within_criteria(self, self.data, question, criteria, allow_unproven)
            return self.pick(within.solution.id)
        return cast(Solution, answer(self, question, allow_unproven).solution)

    def best(self, measure: str, *, allow_unproven: bool = False, **limits: float | str) -> Solution:
        """The best solution in one measure within limits on others: `front.best("k", loss="25%")`.

        A limit is an upper one where less is better, and a lower one where more is. For a hyphen in the name
        of a measure write an underscore. Otherwise the same as `ask`.
        """
        for name in (name for name, limit in limits.items() if isinstance(limit, bool)):
            raise InputError.of(
                f"'{name}'", "no limit is a yes or no", did_you_mean(name, ["allow_unproven"])
            )
        named = {name if card_of(name) else name.replace("_", "-"): limit for name, limit in limits.items()}
        more = {name for name in named if (card := card_of(name)) is not None and card.direction == "max"}
        return self.ask(
            best=measure,
            at_most={name: limit for name, limit in named.items() if name not in more},
            at_least={name: limit for name, limit in named.items() if name in more},
            allow_unproven=allow_unproven,
        )

    def answer(
        self,
        *,
        best: str,
        at_most: Bounds | None = None,
        at_least: Bounds | None = None,
        allow_unproven: bool = False,
    ) -> Answer:
        """The best solution within limits, with what relaxing each limit would give, what a stricter
        one would cost, and what to know before it is released."""
        reply = answer(self, Question.of(at_least, at_most, best), allow_unproven)
        return replace(reply, warnings=cautions(reply.solution, self.data))

    def purpose(
        self,
        name: str,
        limits: Sequence[Limit] = (),
        *,
        at_most: Bounds | None = None,
        at_least: Bounds | None = None,
        progress: Progress | None = None,
    ) -> PurposeAnswer:
        """Check if a purpose of the schema can be achieved within limits: by the release with the
        largest k, or not, proven among one level per column, with what comes nearest; needs the data."""
        if self.data is None:
            raise InputError.of("the run", "its table is not known", "load the run, or explore again")
        every = (*limits, *Question.of(at_least, at_most).limits)
        with shown_progress(progress) as advance:
            reply = achieve(self, self.data, name, every, advance)
        if reply.best is None:
            return reply
        # As every solution of a run, it can be released.
        return replace(reply, best=reply.best._replace(solution=Solution.of(reply.best.solution, self.data)))

    def shortlist(
        self,
        most: int = 7,
        *,
        at_most: Bounds | None = None,
        at_least: Bounds | None = None,
        allow_unproven: bool = False,
    ) -> tuple[Choice, ...]:
        """A few solutions worth a look, each with its reasons; within limits if some are given."""
        return shortlist_within(self, Question.of(at_least, at_most), allow_unproven, most)[0]

    def plot(
        self,
        kind: str = "frontier",
        pick: str | None = None,
        path: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> Drawing:
        """A figure: "frontier", the first two objectives with the third as colour, or "parallel", all of them
        side by side; `pick` is ringed.

        Notebooks show it; `path` (.svg, .png, .pdf) saves it too.
        """
        # Imported here, because drawing loads much that searching does not need.
        from paretonym.report import figure_of
        from paretonym.report.figures import draw

        if not self.solutions:
            raise InputError.of("the frontier", "it is empty", "explore again")
        drawing = draw(figure_of(self, kind, None if pick is None else self.pick(pick)))
        if path is not None:
            drawing.save(Path(path), force)
        return drawing

    def report(self, pick: str | None = None, reader: str = "officer", language: str = ENGLISH) -> ReportPage:
        """One page about this frontier and, with `pick`, about a chosen release: for the data protection
        "officer" (confidential) or, with a pick, for the "public", in English ("en") or German ("de").
        Notebooks show it; `save` writes it as HTML or PDF."""
        from paretonym.study.notebook_tables import report_of

        return report_of(self, self.data, pick, reader, language)

    def _repr_html_(self) -> str:
        from paretonym.report.pages import frontier_in_notebook

        return frontier_in_notebook(self)

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> None:
        """Write the folder of this run; an existing one is replaced only with `force`."""
        save_run(self, self.data, Path(folder), force)

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each solution: id, values, suppressed rows and the level of every quasi-identifier."""
        import pandas

        return pandas.DataFrame([_flat(solution) for solution in self.solutions])

    def to_polars(self) -> polars.DataFrame:
        """One row for each solution, as in `to_pandas`."""
        import polars

        return polars.DataFrame([_flat(solution) for solution in self.solutions], infer_schema_length=None)


def _flat(each: PlainSolution) -> dict[str, Any]:
    return {"id": each.id, **each.values, "suppressed": each.suppressed, **each.recoding.flat()}


def load(
    folder: str | os.PathLike[str],
    data: Data | Counts | None = None,
    *,
    engine: str | None = None,
    memory: str | int | None = None,
) -> Run:
    """The frontier of a run that was saved before. Its data are opened only when they are needed. `data` is
    their present place if they have moved; then they are read, and stored facts are not used. `engine` and
    `memory` say where rows are counted, if not where the run counted them."""
    try:
        path = Path(folder)
    except TypeError:
        wrong = f"{folder!r} is not the path of a folder"
        raise InputError.of("the run", wrong, "give the path of a folder that explore wrote") from None
    frontier, record, stored = load_run(path)
    places = (path, record.path if data is None else data)
    inputs = [str(local_file(place) or path) for place in places if isinstance(place, str | os.PathLike)]
    form = TableForm.of(record.options)
    opened = partial(_same_source, record, data, engine, memory, path)
    remembered = None
    if data is None and stored is not None:
        remembered = replace(stored, persons=frontier.table.persons, households=frontier.table.households)
    entry = record.options.get(OPTION)
    inputs += population_files(entry["path"] if entry else None)
    limit = record.options.get("memory") if memory is None else memory
    population = entry and partial(same_population, record.schema, entry, engine or record.engine, limit)
    fraction = stored_fraction(record.options)
    microdata = Microdata(record.schema, opened, inputs, path, form, remembered, population, fraction)
    return Run.of(frontier, microdata)


def _same_source(
    record: RunRecord,
    data: Data | Counts | None,
    engine: str | None,
    memory: str | int | None,
    folder: Path,
) -> Counts:
    """The table of a run, without its control group if it has one; any other one is refused."""
    place = record.path if data is None else data
    if place is None:
        raise InputError.of(
            "the data",
            "the run does not record where they are",
            f"give {Field('data', 'PATH')}",
        )
    if data is None and isinstance(place, str) and not _is_there(place):
        wrong = "this file, from which the run was made, no longer exists"
        raise InputError.of(place, wrong, f"give the new place of the data with {Field('data', 'PATH')}")
    form = TableForm.of(record.options)
    if isinstance(place, Counts):
        source = place.wanted(wanted_of(record.schema))
    else:
        chosen = engine or record.engine
        limit = record.options.get("memory") if memory is None else memory
        within = record.selection_at(place)
        wanted = wanted_of(record.schema)
        source = open_source(place, wanted, engine=chosen, memory=limit, form=form, **within)
    if entry := record.options.get("control"):
        from paretonym.release import control_share, without_control

        source = without_control(source, record.schema, control_share(entry["share"]), folder)
    if source.fingerprint != record.fingerprint:
        raise InputError.of(
            source.name,
            "the data have changed since this run was made",
            f"explore again, or give the unchanged data with {Field('data', 'PATH')}",
        )
    return source


def _is_there(place: str) -> bool:
    """True if data are still where they were, as far as that can be seen from here."""
    path = local_file(place)
    return path is None or path.exists() or is_folder_or_pattern(place)
