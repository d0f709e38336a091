"""Facts that a report tells: gathered once, for every kind of page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.base.errors import Field, InputError
from paretonym.base.language import _
from paretonym.engine.frontier import (
    Description,
    Frontier,
    Microdata,
    RunRecord,
    Solution,
    cautions,
    describe,
    verdict,
)
from paretonym.engine.frontier.queries import (
    Answer,
    Choice,
    Question,
    answer,
    sentence,
    shortlist,
)
from paretonym.engine.measures import Limit, card_of
from paretonym.engine.risk import Disclosure, Risk, disclosures, risk
from paretonym.engine.spaces import Space, part_limits, space_named, space_of
from paretonym.tables.schema import Unit


@dataclass(frozen=True, eq=False)
class Chosen:
    """The chosen release: in words, its risk, and why it was chosen."""

    solution: Solution
    described: Description
    risk: Risk
    warnings: tuple[str, ...]
    disclosures: tuple[Disclosure, ...]
    why: str
    answer: Answer | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """A frontier, what is worth a look on it, and what was chosen, if anything was, of which data."""

    frontier: Frontier
    data: Microdata
    record: RunRecord
    shortlist: tuple[Choice, ...]
    chosen: Chosen | None

    @property
    def unit(self) -> Unit:
        """The unit of a row of the table."""
        return self.record.schema.unit

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that must be known before anything here is used."""
        return self.frontier.warnings if self.chosen is None else self.chosen.warnings

    @property
    def verdict(self) -> tuple[str, ...]:
        """Verdict on the chosen release: what was done, what attackers can still do, what is not covered."""
        return () if self.chosen is None else verdict(self.chosen.solution, self.data)

    @property
    def required(self) -> tuple[Limit, ...]:
        """Limits required of every class, since of every release, and those that each part or bucket of the
        chosen one keeps. A limit to the worse side of a measure holds for a release, not for its classes."""
        limits = () if self.chosen is None else part_limits(self.chosen.solution.recoding)
        names = [limit.name for limit in limits]
        release_limits = (limit for limit in self.record.required if limit.name not in names)
        return (*(limit for limit in release_limits if limit.is_good_side), *limits)

    @property
    def asked_of_values(self) -> tuple[str, ...]:
        """The measures of sensitive values that were asked for: as an objective, as what was required, or as
        what a class must have to stay."""
        names = [objective.name for objective in self.frontier.objectives]
        names += [limit.name for limit in self.required]
        if self.chosen is not None:
            names += [name for condition in self.chosen.solution.recoding.keep for name in condition.measures]
        return tuple(dict.fromkeys(name for name in names if _is_of_values(name)))

    @property
    def certain(self) -> tuple[str, ...]:
        """The sensitive columns of which somebody's value is certain in the chosen release."""
        disclosed = () if self.chosen is None else self.chosen.disclosures
        names = [disclosure.known.column for disclosure in disclosed if disclosure.known.certain]
        coarse = [name for name in names if self.record.schema.column(name).measured_coarser]
        return tuple(
            _("{column} (at its measured level)", column=name) if name in coarse else name for name in names
        )

    @property
    def mixed(self) -> bool:
        """True if quasi-identifiers are shown as they are, and sensitive values in random order."""
        return self.space.publish is not None

    @property
    def space(self) -> Space:
        """The space of the chosen release, or the first one that was searched."""
        if self.chosen is not None:
            return space_of(self.chosen.solution.recoding)
        return space_named(self.frontier.search.space)


def tell(
    frontier: Frontier,
    data: Microdata | None,
    pick: str | None,
    question: Question | None = None,
) -> Story:
    """Gather what a report tells. The chosen release is picked by id, or is what a question answers, proven
    or not, or the only one that was made from this run."""
    if frontier.record is None or data is None:
        raise InputError.of("the run", "it does not record how it was made", "explore again")
    choices = shortlist(frontier)
    chosen = _chosen(frontier, data, choices, pick, question)
    return Story(frontier, data, frontier.record, choices, chosen)


def _chosen(
    frontier: Frontier,
    data: Microdata,
    choices: tuple[Choice, ...],
    pick: str | None,
    question: Question | None,
) -> Chosen | None:
    if pick is not None and question is not None:
        raise InputError.of(Field("pick"), f"given together with {Field('best')}", "give only one of the two")
    if question is not None:
        best = answer(frontier, question, allow_unproven=True)
        return chosen_release(best.solution, data, sentence(best), best)
    made = {str(r["id"]) for r in _releases(frontier) if r.get("id") and "withdrawn" not in r}
    if pick is None and len(made) != 1:
        return None
    solution = frontier.pick(pick if pick is not None else made.pop())
    reasons = [reason for choice in choices if choice.solution.id == solution.id for reason in choice.reasons]
    why = _("It was picked from the frontier by a person.")
    if reasons:
        why = _("It is on the shortlist: {reasons}.", reasons="; ".join(reasons))
    return chosen_release(solution, data, why)


def _releases(frontier: Frontier) -> tuple[Mapping[str, Any], ...]:
    return () if frontier.record is None else frontier.record.releases


def chosen_release(solution: Solution, data: Microdata, why: str, reply: Answer | None = None) -> Chosen:
    """A release with what is said about it, and why it was chosen."""
    # This asks for the data, and says what to do if they are gone or changed.
    realized = data.realized(solution.recoding)
    return Chosen(
        solution,
        describe(solution, data),
        risk(realized, data.unit),
        cautions(solution, data),
        disclosures(realized),
        why,
        reply,
    )


def _is_of_values(name: str) -> bool:
    card = card_of(name)
    return card is not None and card.limits_inference
