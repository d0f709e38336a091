"""Can a purpose be achieved? A release of the lattice that meets requirement and purpose at the least risk,
or the proof that there is none, with the nearest misses; of other methods, what their frontier has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.sentence_parts import listed
from paretonym.engine.counts import Counted
from paretonym.engine.frontier import Frontier, Microdata, RunFiles, Solution
from paretonym.engine.measures import CLASS_SIZE, Limit, Realized, card_of, measured
from paretonym.engine.measures.estimates import DeclaredAnalysis, Result, check_purposes, declared
from paretonym.engine.recoding import Classes
from paretonym.engine.search import Problem, evaluator, stretches
from paretonym.engine.spaces.lattice.lattice_space import lattice_problem, solved
from paretonym.engine.spaces.space import Question
from paretonym.engine.spaces.space_registry import USUAL_SPACE
from paretonym.tables.schema.hierarchies import NOT_SHOWN

# A larger lattice is not enumerated.
MOST_NODES = 1_000_000
# So many groups that lose rows are named.
MOST_GROUPS_NAMED = 2
# More than rounding moves a share by.
_ROUNDING = 1e-9
# Any shortfall at all.
_ANY = 1e-300


class Trial(NamedTuple):
    """A release and the analyses of the purpose, measured on it."""

    solution: Solution
    results: tuple[Result, ...]

    @property
    def met(self) -> bool:
        return all(result.met for result in self.results)

    def as_json(self) -> dict[str, Any]:
        return {**self.solution.as_json(), "analyses": [result.as_json() for result in self.results]}


class Miss(NamedTuple):
    """Change that would be needed, in words, and the release that there is then."""

    words: str
    trial: Trial


@dataclass(frozen=True)
class PurposeAnswer:
    """Answer about a purpose and limits. `best` is the release with the largest k that meets
    both; `proven` says that every release with one level per column was decided: evaluated, or excluded by a
    bound. `candidates` meet the limits, `evaluated` of them were measured. `misses` are the nearest ones;
    `lost` says what the best release does not show."""

    purpose: str
    limits: tuple[Limit, ...]
    best: Trial | None
    proven: bool
    candidates: int
    evaluated: int
    misses: tuple[Miss, ...] = ()
    others: tuple[str, ...] = ()
    lost: str = ""

    @property
    def verdict(self) -> str:
        """The answer in one word or two: achievable, not achievable, or not found."""
        if self.best is not None:
            return "achievable"
        return "not achievable" if self.proven else "not found"

    def __str__(self) -> str:
        values = {
            "purpose": self.purpose,
            "limits": _(" and ").join(map(str, self.limits)) or _("no requirement"),
            "candidates": format_number(self.candidates),
            "evaluated": format_number(self.evaluated),
        }
        if self.best is not None:
            return _(
                "'{purpose}' is achievable with {limits}: release {id} with k {k}, the largest of all that "
                "were decided ({sure}){lost}.",
                lost=_(", but {lost}", lost=self.lost) if self.lost else "",
                id=self.best.solution.id,
                k=measured(CLASS_SIZE, self.best.solution.values[CLASS_SIZE]),
                sure=_("proven among one level per column")
                if self.proven
                else _("that no other has a larger one is not proven"),
                **values,
            )
        if not self.proven:
            return _("'{purpose}' was not found with {limits}: nothing is proven.", **values) + self._tried
        sentence = _(
            "'{purpose}' is not achievable with {limits}, proven among one level per column: {candidates} "
            "such releases meet the requirement; measured: {evaluated}, the others are excluded by a bound.",
            **values,
        )
        return sentence + self._tried

    @property
    def _tried(self) -> str:
        """The methods that were tried without proof."""
        if not self.others:
            return ""
        return " " + _("Without proof also tried: the releases by {methods}.", methods=", ".join(self.others))

    def as_json(self) -> dict[str, Any]:
        return {
            "purpose": self.purpose,
            "limits": [limit.as_json() for limit in self.limits],
            "verdict": self.verdict,
            "proven": self.proven,
            "text": str(self),
            "candidates": self.candidates,
            "evaluated": self.evaluated,
            "other_methods": list(self.others),
            "answer": None if self.best is None else self.best.as_json(),
            "misses": [{"words": miss.words, **miss.trial.as_json()} for miss in self.misses],
        }


def achieve(
    frontier: Frontier,
    data: Microdata,
    purpose: str,
    limits: Sequence[Limit] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> PurposeAnswer:
    """Answer whether a purpose can be achieved with the releases that a run is about."""
    if frontier.record is None:
        raise InputError.of("the run", "it does not record how it was made", "explore again")
    cube, names = data.cube, [each.name for each in data.cube.purposes]
    if purpose not in names:
        remedy = did_you_mean(purpose, names) if names else "add [[purpose]] to the schema, and explore again"
        raise InputError.of(Field("purpose"), f"the schema declares no purpose '{purpose}'", remedy)
    check_purposes(cube)
    question = Question.of_run(frontier.record)
    every = tuple(dict.fromkeys((*question.limits, *limits)))
    analyses = declared(cube, [purpose])
    elsewhere = [s for s in frontier.solutions if s.space != USUAL_SPACE.name and frontier.is_joint]
    lattice = any(method.space == USUAL_SPACE.name for method in frontier.methods)
    if not lattice:
        elsewhere = list(frontier.solutions)
    best = _best_of(data, analyses, elsewhere, every)
    others = tuple(_(m.words) for m in frontier.methods if m.space != USUAL_SPACE.name)
    counted = tuple(filter(_is_counted, question.objectives)) or (CLASS_SIZE,)
    problem = lattice_problem(replace(question, objectives=counted, limits=every), cube) if lattice else None
    if problem is None or problem.lattice.size > MOST_NODES:
        number = len(elsewhere)
        lost = "" if best is None else _lost(data, best.solution)
        return PurposeAnswer(purpose, every, best, False, number, number, (), others, lost)
    walk = _Enumeration(problem, analyses, progress)
    least = 0.0 if best is None else best.solution.values[CLASS_SIZE]
    found = walk.best(least)
    best = _whole(frontier, data, question, found) if found else best
    misses = tuple(walk.misses()) if best is None else ()
    # The largest k of all: unless a release of another method has it.
    proven = found is not None or best is None
    lost = "" if best is None else _lost(data, best.solution)
    return PurposeAnswer(purpose, every, best, proven, walk.candidates, walk.evaluated, misses, others, lost)


def _whole(frontier: Frontier, data: Microdata, question: Question, trial: Trial) -> Trial:
    """A trial whose release has values of all objectives of a run and, if that does not know it, is kept in
    its folder: a release that is recommended can be written."""
    solution = trial.solution
    missing = [o.name for o in frontier.objectives if o.name not in solution.values]
    if missing:
        seen = data.realized(solution.recoding)
        values = {**solution.values, **seen.measure(*missing, settings=question.parameters)}
        solution = replace(solution, values=values)
    solution = replace(solution, space=USUAL_SPACE.name)
    if data.run is not None and not frontier.knows(solution):
        RunFiles(data.run).keep({"space": solution.space, **solution.as_json()})
    return Trial(solution, trial.results)


def _lost(data: Microdata, solution: Solution) -> str:
    """Words for columns and rows that a release does not show, and the groups that lose most."""
    facts = data.facts(solution.recoding)
    hidden = [column.name for column in facts.columns if column.words.words == NOT_SHOWN]
    parts = []
    if hidden:
        columns = listed(hidden, _("and"))
        parts.append(
            ngettext("{columns} is not shown", "{columns} are not shown", len(hidden), columns=columns)
        )
    if solution.suppressed:
        groups = [
            _(
                "{gone} of {rows} with {column} {value}",
                gone=format_number(group.gone),
                rows=format_number(group.rows),
                column=group.column,
                value=group.shown,
            )
            for group in facts.suppressed[:MOST_GROUPS_NAMED]
        ]
        number = ngettext("{number} row is left out", "{number} rows are left out", solution.suppressed)
        parts.append(f"{number} ({', '.join(groups)})" if groups else number)
    return listed(parts, _("and")) if parts else ""


def _is_counted(name: str) -> bool:
    """True if a measure follows from counts; which candidates there are does not depend on the others."""
    card = card_of(name)
    return card is not None and card.counted.from_classes is None


def _best_of(
    data: Microdata,
    analyses: Sequence[DeclaredAnalysis],
    solutions: Iterable[Solution],
    limits: Sequence[Limit],
) -> Trial | None:
    """Of some releases, the one with the largest k that meets limits and purpose."""
    for solution in sorted(solutions, key=lambda s: -s.values[CLASS_SIZE]):
        seen = data.realized(solution.recoding)
        further = [limit.name for limit in limits if limit.name not in solution.values]
        values = {**solution.values, **seen.measure(*further)}
        if all(limit.allows(values[limit.name]) for limit in limits):
            trial = Trial(solution, tuple(analysis.result(seen) for analysis in analyses))
            if trial.met:
                return trial
    return None


class _Enumeration:
    """Every candidate of a lattice, node by node: the thresholds of a node share its classes."""

    def __init__(
        self, problem: Problem, analyses: Sequence[DeclaredAnalysis], progress: Callable[[int, int], None]
    ) -> None:
        self.problem, self.progress = problem, progress
        # The cheapest first: one that fails settles a candidate.
        self.in_order = sorted(analyses, key=lambda a: (len(a.analysis.terms), len(a.original.weights)))
        self.analyses = [*self.in_order]
        evaluate = evaluator(problem)
        self.counted = Counted.joined([evaluate(nodes) for nodes in stretches(problem)])
        self.facts = problem.facts(self.counted)
        self.admissible = problem.admissible(self.facts)
        self.candidates, self.evaluated = int(self.admissible.sum()), 0
        self.nearest: tuple[float, int] | None = None
        # Candidates by k, the largest first, then by the rows that go.
        keys = (self.facts.node, self.facts.gone, -self.facts.smallest)
        self.rank = np.empty(len(self.facts), dtype=np.int64)
        self.rank[np.lexsort(keys)] = np.arange(len(self.facts))
        self.least = self.least_shortfalls()
        self.last: dict[int, Classes] = {}

    def least_shortfalls(self) -> Floats:
        """The least shortfall of each candidate: some columns are not shown at all, and a table
        moves by no more than the share of the rows that is suppressed."""
        axes = self.problem.cube.axes
        nodes, of_candidate = np.unique(self.facts.node, return_inverse=True)
        levels = self.problem.lattice.level_table(nodes)
        hidden, place = np.unique(
            levels == [axis.hierarchy.height for axis in axes], axis=0, return_inverse=True
        )
        bounds = []
        for row in hidden.tolist():
            names = frozenset(axis.name for axis, top in zip(axes, row, strict=True) if top)
            bounds.append(max(analysis.least_shortfall(names) for analysis in self.analyses))
        least = np.array(bounds)[place.reshape(-1)][of_candidate]
        for analysis in self.analyses:
            if analysis.analysis.kind == "table":
                excess, rows = self.whole_tables(analysis, levels)[:, of_candidate]
                np.maximum(least, excess - self.facts.gone / rows - _ROUNDING, out=least)
        return least

    def whole_tables(self, analysis: DeclaredAnalysis, levels: Integers) -> Floats:
        """For each node by how much a table is beyond its tolerance while no row is suppressed, and how many
        rows it has. Only the levels of its own columns matter, so the others are at their highest."""
        cube, used = self.problem.cube, analysis.analysis.used
        own = [j for j, axis in enumerate(cube.axes) if axis.name in used]
        highest, results = levels.max(axis=0), []
        choices, place = np.unique(levels[:, own], axis=0, return_inverse=True)
        for choice in choices:
            highest[own] = choice
            classes = Classes.at_levels(cube, self.problem.lattice.named(highest.tolist()))
            whole = Realized(cube, classes, np.ones(len(classes), dtype=np.bool_))
            results.append(analysis.table_excess(whole))
        return np.array(results).T[:, place.reshape(-1)]

    def shortfall(self, place: int, enough: float) -> float:
        """By how much a candidate misses the purpose; at least `enough` if it is at least that."""
        worst = float(self.least[place])
        if worst >= enough > 0:
            return worst
        seen, worst = self.problem.realized(self.facts, place, self.last), 0.0
        self.evaluated += 1
        for number, analysis in enumerate(self.analyses):
            worst = max(worst, analysis.result(seen).shortfall)
            if worst >= enough > 0:
                # It may settle the next candidate, too.
                self.analyses.insert(0, self.analyses.pop(number))
                break
        return worst

    def first(self, places: Integers, enough: float | None = None) -> int | None:
        """Of some candidates that meet the purpose the one with the largest k; None if none does. The nearest
        miss is kept, unless it is said from which shortfall on nothing more is asked. Those that may meet it
        come first: the others are then soon excluded by their bound."""
        best: int | None = None
        nodes = self.facts.node[places]
        first_rank = np.full(int(nodes.max(initial=0)) + 1, len(self.facts))
        np.minimum.at(first_rank, nodes, self.rank[places])
        least = np.full(len(first_rank), np.inf)
        np.minimum.at(least, nodes, self.least[places])
        ordered = places[np.lexsort((self.rank[places], first_rank[nodes], least[nodes]))]
        for number, place in enumerate(ordered.tolist()):
            if best is not None and self.rank[place] > self.rank[best]:
                continue
            limit = enough or (np.inf if self.nearest is None else self.nearest[0])
            missed = self.shortfall(place, limit)
            if missed <= 0:
                best = place
            elif missed < limit or (self.nearest is None and enough is None):
                self.nearest = (missed, place)
            self.progress(number + 1, len(ordered))
        return best

    def best(self, least: float = 0.0) -> Trial | None:
        """The candidate with the largest k, above the least, that meets requirement and purpose."""
        place = self.first(np.flatnonzero(self.admissible & (self.facts.smallest > least)))
        return None if place is None else self.trial(place)

    def trial(self, place: int) -> Trial:
        (solution,) = solved(self.problem, self.counted.take(np.array([place])))
        seen = self.problem.realized(self.facts, place, self.last)
        return Trial(solution, tuple(analysis.result(seen) for analysis in self.in_order))

    def misses(self) -> Iterable[Miss]:
        """The nearest release with other tolerances, with another level of one column, and with less than is
        required."""
        evaluated = self.evaluated
        if self.nearest is not None:
            trial = self.trial(self.nearest[1])
            tolerances = [words for result in trial.results for words in result.misses]
            yield Miss(_("if the tolerance were otherwise: {values}", values="; ".join(tolerances)), trial)
            yield from self.of_one_column(int(self.facts.node[self.nearest[1]]))
        place = self.first(np.flatnonzero(~self.admissible), _ANY)
        if place is not None:
            trial = self.trial(place)
            yield Miss(_("with k = {k}", k=int(self.facts.smallest[place])), trial)
        self.evaluated = evaluated

    def of_one_column(self, node: int) -> Iterable[Miss]:
        """The release with the largest k that differs from a node in the level of one column, and meets the
        purpose."""
        levels = self.problem.lattice.level_table(self.facts.node)
        mine = self.problem.lattice.level_table(np.array([node]))[0]
        alike = np.flatnonzero((levels != mine).sum(axis=1) == 1)
        place = self.first(alike, _ANY)
        if place is not None:
            j = int(np.flatnonzero(levels[place] != mine)[0])
            axis, level = self.problem.cube.axes[j], int(levels[place, j])
            words = _(
                "with {column} at level {level} instead of {other} (k = {k})",
                column=axis.name, level=level, other=int(mine[j]), k=int(self.facts.smallest[place]),
            )  # fmt: skip
            yield Miss(words, self.trial(place))
