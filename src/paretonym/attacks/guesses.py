"""Attacks that guess, each beside what is reached without it. None of them decides a verdict."""

from __future__ import annotations

from paretonym.attacks.attack_case import Case
from paretonym.attacks.definetti import learned_guesses
from paretonym.attacks.findings import Estimate
from paretonym.attacks.minimality import inferred_from_the_choice
from paretonym.attacks.partial_knowledge import with_other_knowledge


def estimated(case: Case) -> tuple[Estimate, ...]:
    """All estimates that the files allow."""
    return (*with_other_knowledge(case), *learned_guesses(case), *inferred_from_the_choice(case))
