"""Answers from a frontier, and what relaxing or tightening each limit would change; or the answer "no", with
the limits that cannot be met and the nearest releases. All of it also as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from paretonym.base.errors import NoSolution
from paretonym.base.language import ENGLISH, N_, _, format_number, in_language, ngettext
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.number_text import number_to_json
from paretonym.base.sentence_parts import several
from paretonym.engine.frontier.dominance import Scale
from paretonym.engine.frontier.pareto_frontier import Frontier
from paretonym.engine.frontier.queries.proof_scope import (
    check_question,
    conditions,
    floor_sentence,
    reaches_floor,
    scope,
)
from paretonym.engine.frontier.queries.query import Preference, Question, preference, those
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import (
    SUPPRESSION,
    Limit,
    apart,
    card_of,
    is_share,
    measured,
    written,
)

# "A little": one percentage point, as in the papers' example, or a tenth of a bound that is no share.
LITTLE_SHARE = 0.01
LITTLE_PART = 0.1
MOST_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Step:
    """Another bound for one limit, and the answer then. `limit` has few digits and just admits `value`, which
    the answer needs. `proven` as for an answer."""

    before: Limit
    limit: Limit
    value: float
    solution: Solution
    proven: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.limit.name,
            "from": number_to_json(self.before.bound),
            "to": number_to_json(self.value),
            "id": self.solution.id,
            "proven": self.proven,
            "values": self.solution.as_json()["values"],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The best solution within the limits.

    `relaxations`: for each limit, the smallest relaxation that improves the answer, and the best answer
    within a slightly larger one; `tightenings`: what the next stricter limit would cost.

    `parameters` are those of the measures in question that were set (`loss.weights=1`). `names` are the
    objectives, `releases` those among which it is best. `doubts` say why it is not proven;
    `scope` is what the run required in addition. `walls` are limits of the run itself, beyond which nothing
    is known. `warnings` are what the publisher should know before releasing the answer; they come from its
    data. `method` says how the answer generalizes, if there are several methods. `floor` says what no
    generalization by the hierarchies can do; where the answer does that, it is `optimal`.
    """

    question: Question
    solution: Solution
    relaxations: tuple[Step, ...]
    tightenings: tuple[Step, ...]
    names: tuple[str, ...]
    releases: str
    doubts: tuple[str, ...] = ()
    scope: tuple[Limit, ...] = ()
    walls: tuple[Limit, ...] = ()
    parameters: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    method: str = ""
    floor: str = ""
    optimal: bool = False

    @property
    def proven(self) -> bool:
        """True if the frontier proves that no release is better."""
        return not self.doubts

    @property
    def estimates(self) -> tuple[str, ...]:
        """The measures of the question that are estimates themselves: no search proves them."""
        measures = dict.fromkeys([self.best, *(limit.name for limit in self.question.limits)])
        return tuple(name for name in measures if (card := card_of(name)) is not None and card.is_estimate)

    @property
    def best(self) -> str:
        """The name of the measure that the answer is best in."""
        return self.question.best or ""

    @property
    def value(self) -> float:
        """The value of that measure."""
        return self.solution.values[self.best]

    def __str__(self) -> str:
        return "\n".join([sentence(self), *(_("Warning: {text}", text=text) for text in self.warnings)])

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        values = self.solution.values
        rows = [(name, measured(name, value)) for name, value in values.items()]
        return NotebookView([sentence(self)], ("measure", "value"), rows, self.warnings).html()

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "best": self.best,
            "limits": [limit.as_json() for limit in self.question.limits],
            "scope": [limit.as_json() for limit in self.scope],
            **({"parameters": list(self.parameters)} if self.parameters else {}),
            "text": sentence(self),
            "warnings": list(self.warnings),
            "proven": self.proven,
            "doubts": list(self.doubts),
            **({"floor": self.floor, "optimal": self.optimal} if self.floor else {}),
            "answer": self.solution.as_json(),
            "relaxations": [step.as_json() for step in self.relaxations],
            "tightenings": [step.as_json() for step in self.tightenings],
            "more_would_buy": list(bought(self)),
            "less_would_cost": list(priced(self)),
        }


def answer(frontier: Frontier, question: Question, allow_unproven: bool = False) -> Answer:
    """The best solution that meets all limits; ties go to the other objectives in their order.

    Raises `NoSolution` with the nearest ones if nothing meets them.
    """
    check_question(frontier, question, allow_unproven)
    key = preference(frontier, question.best)
    within = question.within(frontier.solutions)
    if not within:
        raise nothing(frontier, question, allow_unproven)
    best = key.first(within)
    optimal = reaches_floor(frontier, question, best)
    names = [question.best or "", *(limit.name for limit in question.limits)]
    return Answer(
        question,
        best,
        tuple(_relaxations(frontier, question, best, key)),
        tuple(_tightenings(frontier, question, best, key, within)),
        tuple(objective.name for objective in frontier.objectives),
        _("generalizations by these hierarchies") if optimal else frontier.method_of(best).releases,
        check_question(frontier, question, allow_unproven, best),
        scope(frontier, question),
        tuple(limit for limit in question.limits if limit in conditions(frontier)),
        parameters=frontier.parameters(*dict.fromkeys(names)),
        method=frontier.method_of(best).words if frontier.is_joint else "",
        floor=floor_sentence(frontier, question, best),
        optimal=optimal,
    )


def _relaxations(frontier: Frontier, question: Question, best: Solution, key: Preference) -> Iterator[Step]:
    for limit in question.limits:
        reach = question.without(limit).within(frontier.solutions)
        # Whatever also meets the limit is no better than the best.
        better = key.better(reach, best)
        if not better:
            continue
        gaps = [abs(solution.values[limit.name] - limit.bound) for solution in better]
        smallest = key.first(_up_to(better, gaps, min(gaps)))
        yield _step(frontier, question, limit, smallest, reach)
        near = _up_to(better, gaps, _little(limit))
        if near and key(nearest := key.first(near))[0] < key(smallest)[0]:
            yield _step(frontier, question, limit, nearest, reach)


def _up_to(solutions: list[Solution], gaps: list[float], most: float) -> list[Solution]:
    return [solution for solution, gap in zip(solutions, gaps, strict=True) if gap <= most]


def _tightenings(
    frontier: Frontier, question: Question, best: Solution, key: Preference, within: list[Solution]
) -> Iterator[Step]:
    for limit in question.limits:
        name, reached = limit.name, best.values[limit.name]
        stricter = [s for s in those(replace(limit, bound=reached), within) if s.values[name] != reached]
        if stricter:
            yield _step(frontier, question, limit, key.first(stricter), within)


def _little(limit: Limit) -> float:
    # One part in a million more: 0.26 − 0.25 is not 0.01 in binary.
    return (LITTLE_SHARE if is_share(limit.name) else LITTLE_PART * abs(limit.bound)) * (1 + 1e-6)


def _step(
    frontier: Frontier, question: Question, limit: Limit, solution: Solution, others: Iterable[Solution]
) -> Step:
    """A step to a solution, with a bound of few digits that admits no further value."""
    value = solution.values[limit.name]
    values = [other.values[limit.name] for other in others]
    if limit.upward:
        stop = min([v for v in values if v > value], default=None)
    else:
        stop = max([v for v in values if v < value], default=None)
    moved = limit.relaxed(value, stop)
    then = Question((*question.without(limit).limits, moved), question.best)
    return Step(limit, moved, value, solution, not check_question(frontier, then, True, solution))


def sentence(answer: Answer) -> str:
    """The answer in one sentence, and in a second one what no generalization can do."""
    limits = answer.question.limits
    values = {
        "measure": answer.best,
        "value": measured(answer.best, answer.value),
        "id": answer.solution.id,
        "sure": _sure(answer),
    }
    if limits:
        message = N_("With {limits}, the best {measure} is {value}: release {id} ({sure}).")
        text = _(message, limits=_and(limits), **values)
    else:
        text = _("Without any limit, the best {measure} is {value}: release {id} ({sure}).", **values)
    floor = answer.floor
    return f"{text} {floor[0].upper()}{floor[1:]}." if floor and not answer.optimal else text


def _sure(answer: Answer) -> str:
    """Words for how sure the answer is and among which releases, and which of its measures are estimates."""
    among = answer.releases
    if answer.scope:
        among = _("{releases}, with {limits}", releases=among, limits=_and(answer.scope))
    sure = _("not proven, among {releases}", releases=among) if answer.scope else _("not proven")
    if answer.proven and answer.optimal:
        sure = _("optimal among {releases}", releases=among)
    elif answer.proven and answer.estimates:
        sure = _("the search is complete among {releases}", releases=among)
    elif answer.proven:
        sure = _("proven among {releases}", releases=among)
    elif answer.method:
        sure = _("{method}, {sure}", method=_(answer.method), sure=sure)
    message = N_(", but {measure} is itself an estimate")
    sure = ", ".join((sure, *answer.parameters))
    return sure + "".join(_(message, measure=name) for name in answer.estimates)


def _and(limits: Iterable[Limit]) -> str:
    return _(" and ").join(map(str, limits))


def bought(answer: Answer) -> tuple[str, ...]:
    """Gains from relaxing each limit, one sentence per step."""
    steps = [f"{_moved(step)}: {_changed(answer, step)}" for step in answer.relaxations]
    held = {step.before for step in answer.relaxations}
    idle = [limit for limit in answer.question.limits if limit not in held]
    walls = [str(limit) for limit in idle if limit in answer.walls]
    idle_words = [str(limit) for limit in idle if limit not in answer.walls]
    if idle_words:
        only = _(" or only ").join(idle_words)
        steps.append(
            _("Relaxing only {limits} does not improve {measure}.", limits=only, measure=answer.best)
        )
    message = N_("{limit}: this is the limit of the run itself; relaxing it needs another run")
    steps += [_(message, limit=wall) for wall in walls]
    return tuple(steps)


def priced(answer: Answer) -> tuple[str, ...]:
    """Costs of the next stricter limit, one sentence per limit."""
    return tuple(f"{_moved(step)}: {_changed(answer, step)}" for step in answer.tightenings)


def _moved(step: Step) -> str:
    """The new limit, and how far it is from the old one."""
    old, new = step.before.bound, step.limit.bound
    name = step.limit.name
    if is_share(name):
        distance = abs(100 * (new - old))
        points = f"{distance:.0f}" if distance >= 10 else f"{distance:.2g}"
        moved = _points(points, new > old)
    else:
        moved = _("instead of {value}", value=written(name, old))
    return f"{step.limit} ({moved})"


def _points(points: str, more: bool) -> str:
    """A difference of shares; with decimals it is plural."""
    count, number = (1 if points == "1" else 2), format_number(points)
    if more:
        return ngettext(
            "{number} percentage point more", "{number} percentage points more", count, number=number
        )
    return ngettext("{number} percentage point less", "{number} percentage points less", count, number=number)


def _changed(answer: Answer, step: Step) -> str:
    """Every value that differs, the best first."""
    names = dict.fromkeys([answer.best, *(name for name in answer.names if name != step.limit.name)])
    before, after = answer.solution.values, step.solution.values
    changes = [
        _("{measure} {value} instead of {other}", measure=name, value=value, other=other)
        for name in names
        if after[name] != before[name]
        for value, other in [apart(name, after[name], before[name])]
    ]
    changed = ", ".join(changes) or _("the same {measure}", measure=answer.best)
    if step.proven:
        return _("{changes} (release {id})", changes=changed, id=step.solution.id)
    return _("{changes} (release {id}; not proven)", changes=changed, id=step.solution.id)


def nothing(frontier: Frontier, question: Question, allow_unproven: bool) -> NoSolution:
    """The refusal, in English as every error."""
    with in_language(ENGLISH):
        doubts = check_question(frontier, question, allow_unproven)
        return _refusal(frontier, question, doubts)


def _refusal(frontier: Frontier, question: Question, doubts: tuple[str, ...]) -> NoSolution:
    """That no release meets the limits, and why it is not proven if it is not; for each limit that alone
    cannot be met, how close a release comes."""
    lines = [f"No release {'on this frontier' if doubts else 'of this run'} has {_and(question.limits)}."]
    lines += [f"Not proven, another release may meet these limits: {doubt}." for doubt in doubts]
    for number, words in filter(None, map(frontier.table.most, question.limits)):
        has = f"it has only {several(number, *words)}"
        lines = [f"No release of this table has {_and(question.limits)}: {has}."]
    alone = [(limit, near) for limit in question.limits if (near := _nearest(frontier, question, limit))]
    lines += [_in_the_way(frontier, question, limit, near) for limit, near in alone]
    nearest = [near for _limit, near in alone]
    if not alone:
        nearest = _nearest_of_all(frontier, question)
        lines.append("Relaxing one limit is not enough: at least two must be relaxed. The closest releases:")
        lines += [f"  {row(frontier, solution)}" for solution in nearest]
    return NoSolution("\n".join(lines), {solution.id: solution for solution in nearest}.values())


def _nearest(frontier: Frontier, question: Question, limit: Limit) -> Solution | None:
    """The solution that meets all other limits and comes nearest to this one."""
    within = question.without(limit).within(frontier.solutions)
    if not within:
        return None
    gaps = [abs(solution.values[limit.name] - limit.bound) for solution in within]
    least = min(gaps)
    nearest = [solution for solution, gap in zip(within, gaps, strict=True) if gap == least]
    return preference(frontier, question.best).first(nearest)


def _in_the_way(frontier: Frontier, question: Question, limit: Limit, near: Solution) -> str:
    others = _and(question.without(limit).limits)
    value, _bound = apart(limit.name, near.values[limit.name], limit.bound)
    extreme = "lowest" if limit.sense == "at-most" else "highest"
    start = f"With {others}, the" if others else "The"
    return f"{start} {extreme} {limit.name} found is {value}:\n  {row(frontier, near)}"


def row(frontier: Frontier, solution: Solution) -> str:
    """One solution in one line."""
    names = dict.fromkeys([*(o.name for o in frontier.objectives), SUPPRESSION])
    values = (f"{name} {measured(name, solution.values[name])}" for name in names if name in solution.values)
    return f"{solution.id}: {', '.join(values)}"


def _nearest_of_all(frontier: Frontier, question: Question) -> list[Solution]:
    """The solutions that miss the limits by the least, each miss measured on the measure's own scale."""
    scales = {
        limit.name: Scale.of(
            [*(solution.values[limit.name] for solution in frontier), limit.bound], is_share(limit.name)
        )
        for limit in question.limits
    }

    def miss(solution: Solution) -> float:
        return sum(
            abs(scales[limit.name].place(solution.values[limit.name]) - scales[limit.name].place(limit.bound))
            for limit in question.limits
            if not limit.allows(solution.values[limit.name])
        )

    return sorted(frontier, key=miss)[:MOST_NEAREST]
