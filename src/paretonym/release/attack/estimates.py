"""Attacks that guess, each beside what is reached without it. None of them decides a verdict."""

from __future__ import annotations

from paretonym.release.attack.case import Case
from paretonym.release.attack.definetti import learned_guesses
from paretonym.release.attack.findings import Estimate
from paretonym.release.attack.minimality import inferred_from_the_choice
from paretonym.release.attack.partial_knowledge import with_other_knowledge


def estimated(case: Case) -> tuple[Estimate, ...]:
    """All estimates that the files allow."""
    return (*with_other_knowledge(case), *learned_guesses(case), *inferred_from_the_choice(case))
