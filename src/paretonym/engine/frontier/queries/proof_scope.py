"""Scope of a proof: which questions a frontier can answer, and which answers are proven."""

from __future__ import annotations

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.language import _
from paretonym.engine.frontier.pareto_frontier import Frontier
from paretonym.engine.frontier.queries.query import Question
from paretonym.engine.frontier.search_facts import SearchFacts
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import GENERALIZATION, LOSS, MEASURES, SUPPRESSION, Limit, card_of


def check_question(
    frontier: Frontier, question: Question, allow_unproven: bool, solution: Solution | None = None
) -> tuple[str, ...]:
    """Raise unless the frontier can answer; with `allow_unproven` return why the answer is not proven.

    A frontier proves answers about limits on the better side of its own objectives: for every release that
    meets such limits, one on the frontier is nowhere worse and meets them too. For any other question, only
    its own releases are known. On a joint frontier an answer is a `solution` of one method, and proven among
    the releases of that method; a solution at the floor is proven among all generalizations.
    """
    names = [objective.name for objective in frontier.objectives]
    if question.best is not None and question.best not in names:
        raise InputError.of(
            Field("best"),
            f"'{question.best}' is not an objective of this run",
            _instead(question.best, names),
        )
    doubts = [
        doubt for limit in question.limits if (doubt := _doubt(frontier, question, limit, allow_unproven))
    ]
    method = frontier.search if solution is None else frontier.method_of(solution)
    if solution is None and frontier.is_joint:
        measured = [_(method.words) for method in frontier.methods if not method.complete]
        if measured:
            doubts.append(
                _("these methods do not prove their frontiers: {methods}", methods=", ".join(measured))
            )
    elif not method.complete and not (solution and reaches_floor(frontier, question, solution)):
        doubts.append(_unproven(method) + _bounded(frontier, question, method))
    return tuple(doubts)


def reaches_floor(frontier: Frontier, question: Question, solution: Solution) -> bool:
    """True if no generalization by the hierarchies can be better than the solution that answers."""
    bound = frontier.least_cost
    if bound is None or not frontier.method_of(solution).by_hierarchies:
        return False
    if question.best == bound.cost:
        return solution.values[bound.cost] <= bound.at(_least(question, bound.by))
    most = [limit.bound for limit in question.limits if (limit.name, limit.sense) == (bound.cost, "at-most")]
    reach = bound.within(min(most)) if most and question.best == bound.by else None
    return reach is not None and solution.values[bound.by] >= reach


def floor_sentence(frontier: Frontier, question: Question, solution: Solution) -> str:
    """Sentence on what no generalization by the hierarchies can do, in the question's words; empty if not
    known. A solution that cuts between values may be below it."""
    bound = frontier.least_cost
    if bound is None or question.best not in (bound.cost, bound.by):
        return ""
    if question.best == bound.cost:
        return bound.sentence(max(_least(question, bound.by), 1))
    limits = [limit for limit in question.limits if (limit.name, limit.sense) == (bound.cost, "at-most")]
    return bound.about(limits, (solution,)) if limits else ""


def _least(question: Question, name: str) -> float:
    """The least value of a measure that a question asks for."""
    return max(
        (limit.bound for limit in question.limits if (limit.name, limit.sense) == (name, "at-least")),
        default=0.0,
    )


def _unproven(search: SearchFacts) -> str:
    """Why a frontier is not proven: only a search that looks everywhere can have been cut short."""
    if not search.open:
        return _("the search '{method}' does not prove its frontier", method=search.method)
    if search.interrupted or search.everywhere:
        return _("the search was stopped: {left} remain that may contain better releases", left=search.left)
    return _(
        "the search '{method}' covers only part of the space: {left} remain that may contain better releases",
        method=search.method,
        left=search.left,
    )


def _bounded(frontier: Frontier, question: Question, method: SearchFacts) -> str:
    """The bound that is proven although the search was stopped, in the words of the question."""
    bound = method.bound
    about = bound.about(question.limits, frontier.solutions) if bound and len(frontier) else ""
    return f"; {about}" if about else ""


def _instead(best: str, names: list[str]) -> str:
    if best in MEASURES:
        return f"choose {' or '.join(names)}, or explore again with {_objectives(*names, best)}"
    return did_you_mean(best, names)


def _objectives(*names: str) -> Field:
    return Field("objectives", ",".join(names))


def _doubt(frontier: Frontier, question: Question, limit: Limit, allow_unproven: bool) -> str | None:
    """Why an answer under this limit is not proven; None if it is."""
    is_objective = any(o.name == limit.name for o in frontier.objectives)
    if is_objective and limit.is_good_side:
        return None
    if any(
        condition.implies(limit) for condition in (*conditions(frontier), *_consequences(frontier, question))
    ):
        return None
    doubt, remedy = _worse_side(limit) if is_objective else _outside(frontier, limit)
    if not allow_unproven:
        raise InputError.of(
            f"the limit '{limit}'",
            doubt,
            f"{remedy}, or use {Field('allow_unproven', True)} for an answer that is not proven",
        )
    return doubt


def _outside(frontier: Frontier, limit: Limit) -> tuple[str, str]:
    place, again = (
        f"the limit '{limit}'",
        _objectives(*(o.name for o in frontier.objectives), limit.name),
    )
    if card_of(limit.name) is None:
        wrong = f"unknown measure '{limit.name}'"
        raise InputError.of(place, wrong, did_you_mean(limit.name, MEASURES))
    column, sensitive = limit.name.partition("@")[2], frontier.table.sensitive
    if column and column not in sensitive:
        remedy = did_you_mean(column, sensitive) if sensitive else "no column has the role sensitive"
        raise InputError.of(place, f"there is no sensitive column '{column}'", remedy)
    if any(limit.name not in solution.values for solution in frontier):
        wrong = f"this run did not measure {limit.name}"
        raise InputError.of(place, wrong, f"explore again with {again}")
    return (
        _(
            "{measure} was not an objective of this run, so the best release within this limit may not be on "
            "its frontier",
            measure=limit.name,
        ),
        f"explore again with {again} or with {limit.option}",
    )


def _worse_side(limit: Limit) -> tuple[str, str]:
    return (
        _(
            "it limits {measure} on its worse side, where there may be releases that are not on the frontier",
            measure=limit.name,
        ),
        "omit it",
    )


def conditions(frontier: Frontier) -> tuple[Limit, ...]:
    """Limits that every release of this run meets: its suppression rule and its requirements."""
    rule = frontier.search.rule
    # A rule that is specific to one space implies no share, and none does of rows by their weight.
    unknown = rule is None or frontier.parameters(SUPPRESSION)
    allowed = () if rule is None or unknown else (Limit(SUPPRESSION, "at-most", float(rule.fraction)),)
    return (*allowed, *_required(frontier))


def _required(frontier: Frontier) -> tuple[Limit, ...]:
    return () if frontier.record is None else frontier.record.required


def _consequences(frontier: Frontier, question: Question) -> tuple[Limit, ...]:
    """gl and sl are parts of loss: what bounds loss bounds them, if all three count rows alike."""
    if frontier.parameters(LOSS, GENERALIZATION, SUPPRESSION):
        return ()
    bounds = [limit.bound for limit in question.limits if (limit.name, limit.sense) == (LOSS, "at-most")]
    return tuple(Limit(part, "at-most", bound) for bound in bounds for part in (GENERALIZATION, SUPPRESSION))


def scope(frontier: Frontier, question: Question) -> tuple[Limit, ...]:
    """Requirements of the run beyond the question: answers are about releases that meet them."""
    return tuple(
        limit for limit in _required(frontier) if not any(other.implies(limit) for other in question.limits)
    )
