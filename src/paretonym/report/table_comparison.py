"""Releases of runs and anybody's tables on the same axes: risk with its interval, utility, and guarantees.

In words: which of them dominates which, and where that is not decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from paretonym.base.budget import Progress
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.sentence_parts import several
from paretonym.evidence.criteria import (
    CRITERIA,
    ClassGuarantee,
    Criterion,
    MeasuredCriteria,
    Referee,
    TableUtility,
    measure_criteria,
    table_utility,
)
from paretonym.tables.data_kinds import Data

FORMAT = "paretonym.table-comparison/1"
AXES = ("inference", "pmse")


class Candidate(NamedTuple):
    """A table to be compared: a release of a `run`, or a file, whose `run` is empty; and what whoever made it
    states about it."""

    name: str
    table: Callable[[], Data]
    run: str = ""
    id: str = ""
    stated: str = ""


class MeasuredTable(NamedTuple):
    """Measured values of one table."""

    name: str
    run: str
    id: str
    criteria: MeasuredCriteria
    utility: TableUtility
    guarantee: ClassGuarantee
    stated: str

    @property
    def guaranteed(self) -> str:
        """Formal guarantees, apart from everything measured."""
        return "; ".join(filter(None, (str(self.guarantee), self.stated and f"stated: {self.stated}")))

    def risk(self, name: str) -> Criterion | None:
        """The measured risk of that name; `inference@job` is about one column."""
        criterion, _, subject = name.partition("@")
        if not subject:
            return self.criteria.highest(criterion)
        of_subject = (
            one for one in self.criteria.criteria if (one.name, one.subject) == (criterion, subject)
        )
        return next(of_subject, None)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            **({"run": self.run, "id": self.id} if self.run else {}),
            **self.criteria.as_json(),
            "utility": self.utility.as_json(),
            **(
                {"analyses": [one.as_json() for one in analyses]}
                if (analyses := self.utility.analyses)
                else {}
            ),
            "guarantee": self.guarantee.as_json(),
            "stated": self.stated,
        }


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredTables:
    """Tables by one measured `risk` and one `cost`, less of both being better. `sample` is the utility of
    another sample of the population, the control: no table needs to be nearer to the original than that."""

    tables: tuple[MeasuredTable, ...]
    sample: TableUtility
    risk: str
    cost: str

    def __post_init__(self) -> None:
        costs = [*self.sample.values, *(f"prediction-error@{name}" for name in self.sample.prediction)]
        if self.cost not in costs:
            raise InputError.of(
                Field("measures"), f"'{self.cost}' is no utility of a table", did_you_mean(self.cost, costs)
            )
        for table in self.tables:
            if table.risk(self.risk) is None or self.cost not in table.utility.values:
                wrong = f"{self.risk} and {self.cost} cannot both be measured: a column is missing"
                raise InputError.of(table.name, wrong, f"compare by others, such as {AXES[1]}")

    def risk_of(self, table: MeasuredTable) -> Criterion:
        """The risk of a table on the axis of this comparison."""
        criterion = table.risk(self.risk)
        if criterion is None:
            raise KeyError(self.risk)
        return criterion

    def cost_of(self, table: MeasuredTable) -> float:
        """The cost of a table on the axis of this comparison."""
        return table.utility.values[self.cost]

    def dominates(self, one: MeasuredTable, other: MeasuredTable) -> bool | None:
        """True if one table is nowhere worse and certainly less risky; None where it would be if their
        intervals did not overlap."""
        if self.cost_of(one) > self.cost_of(other):
            return False
        first, second = self.risk_of(one), self.risk_of(other)
        if first.upper < second.lower:
            return True
        return False if second.upper < first.lower else None

    @property
    def sides(self) -> dict[str, list[MeasuredTable]]:
        """The tables of each run, and each file alone."""
        sides: dict[str, list[MeasuredTable]] = {}
        for table in self.tables:
            sides.setdefault(table.run or table.name, []).append(table)
        return sides

    @property
    def words(self) -> tuple[str, ...]:
        """Who is dominated by whom, a sentence for each pair of runs and files."""
        sides = list(self.sides.items())
        pairs = ((one, other) for i, one in enumerate(sides) for other in sides[i + 1 :])
        return tuple(self._verdict(*one, *other) for one, other in pairs)

    def _verdict(
        self, name: str, tables: Sequence[MeasuredTable], other: str, others: Sequence[MeasuredTable]
    ) -> str:
        """Words for what can be said of two runs or files."""
        beaten = [self._beaten(tables, others), self._beaten(others, tables)]
        parts = [
            f"{_of(losers, all_of, loser)} dominated by {winner}{self._example(*losers[0])}"
            for losers, all_of, loser, winner in (
                (beaten[0], tables, name, other), (beaten[1], others, other, name),
            )
            if losers
        ]  # fmt: skip
        if parts:
            return f"{'; '.join(parts)}."
        open_pairs = [
            (a, b) for a in tables for b in others if None in (self.dominates(a, b), self.dominates(b, a))
        ]
        if open_pairs:
            return f"Between {name} and {other} it is not decided: their intervals overlap."
        return f"{name} and {other} are different choices: what one loses less it risks more."

    def _beaten(
        self, tables: Sequence[MeasuredTable], others: Sequence[MeasuredTable]
    ) -> list[tuple[MeasuredTable, MeasuredTable]]:
        """The tables that others dominate, each with the least risky of those."""
        pairs = []
        for table in tables:
            winners = [other for other in others if self.dominates(other, table)]
            if winners:
                pairs.append((table, min(winners, key=lambda one: self.risk_of(one).upper)))
        return pairs

    def _example(self, loser: MeasuredTable, winner: MeasuredTable) -> str:
        """The figures of a table and of one that dominates it; releases of runs are named."""
        risks = " against ".join(self.risk_of(table).interval for table in (loser, winner))
        costs = " against ".join(f"{self.cost_of(table):.3g}" for table in (loser, winner))
        named = " by ".join(table.name for table in (loser, winner) if table.run)
        return f"{named and f', for example {named}'}: {self.risk} {risks}, {self.cost} {costs}"

    @property
    def head(self) -> tuple[str, ...]:
        """The columns of the table of figures."""
        return ("table", *self.risks, *self.sample.values, "formal guarantee")

    @property
    def risks(self) -> tuple[str, ...]:
        """The risks that every table was measured for."""
        names = [name for name in CRITERIA if all(table.criteria.highest(name) for table in self.tables)]
        return tuple(names if self.risk in names else [self.risk, *names])

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The figures of every table, and of another sample of the population."""
        for table in self.tables:
            risks = [table.risk(name) for name in self.risks]
            costs = (table.utility.values.get(name) for name in self.sample.values)
            yield (
                table.name,
                *(
                    "" if risk is None else f"{risk.interval}{'' if risk.beats_guessing else ' *'}"
                    for risk in risks
                ),
                *("" if cost is None else f"{cost:.3g}" for cost in costs),
                table.guaranteed,
            )
        yield (
            "another sample (the control)",
            *("" for _ in self.risks),
            *(f"{cost:.3g}" for cost in self.sample.values.values()),
            "",
        )

    def analyses(self) -> Iterator[tuple[str, ...]]:
        """Every declared analysis of every table: its values, and whether they are within tolerance."""
        for table in self.tables:
            for one in table.utility.analyses:
                values = ", ".join(f"{name} {value:.3g}" for name, value in one.values.items())
                verdict = "within tolerance" if one.met else "; ".join(filter(None, ("missed", one.remark)))
                yield f"{table.name}: {one.analysis}", values, verdict

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what limits the figures, table by table."""
        files = (table for table in self.tables if not table.run)
        return tuple(f"{table.name}: {text}" for table in files for text in table.criteria.remarks)

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "format": FORMAT,
            "audience": "publisher",
            "risk": self.risk,
            "cost": self.cost,
            "words": list(self.words),
            "tables": [table.as_json() for table in self.tables],
            "another_sample": self.sample.as_json(),
        }

    def __repr__(self) -> str:
        return one_line(self)

    def __str__(self) -> str:
        number = several(len(self.tables), "table", "tables")
        return f"{number} by {self.risk} and {self.cost}. {' '.join(self.words)}"

    def _repr_html_(self) -> str:
        return NotebookView(list(self.words), self.head, list(self.rows()), self.remarks).html()


def compare_tables(
    candidates: Sequence[Candidate],
    referee: Referee,
    axes: Sequence[str] = AXES,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
) -> MeasuredTables:
    """Measure every table by the same attacks and the same figures of utility."""
    if len(axes) != 2 or axes[0].partition("@")[0] not in CRITERIA:
        wrong = "tables are compared by one measured risk and one figure of utility"
        raise InputError.of(Field("measures"), wrong, f"use, for example, {','.join(AXES)}")
    tables = []
    for number, candidate in enumerate(candidates):
        table = referee.read(candidate.table(), candidate.name)
        tables.append(
            MeasuredTable(
                candidate.name,
                candidate.run,
                candidate.id,
                measure_criteria(table, seed=seed),
                table_utility(table),
                ClassGuarantee.of(table),
                candidate.stated,
            )
        )
        progress(number + 1, len(candidates))
    control, original = (table_utility(referee.read(data)) for data in (referee.control, referee.original))
    sample = TableUtility(
        control.marginal_error,
        control.association_error,
        control.pmse,
        original.prediction,
        control.analyses,
    )
    return MeasuredTables(tuple(tables), sample, *axes)


def named_candidates(tables: Mapping[str, Data], stated: Mapping[str, str]) -> Iterator[Candidate]:
    """Files and dataframes as candidates."""
    unknown = [name for name in stated if name not in tables]
    if unknown:
        wrong = f"no table is called '{unknown[0]}'"
        raise InputError.of(Field("stated"), wrong, did_you_mean(unknown[0], list(tables)))
    for name, table in tables.items():
        yield Candidate(name, lambda table=table: table, stated=stated.get(name, ""))  # type: ignore[misc]


def _of(some: Sequence[object], tables: Sequence[MeasuredTable], name: str) -> str:
    """Words for a number of some tables: the file itself where it is one."""
    if not tables[0].run:
        return f"{name} is"
    return f"{len(some)} of {len(tables)} releases of {name} {'is' if len(some) == 1 else 'are'}"
