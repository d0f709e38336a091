"""The relaxed choice: a release drawn at random among those that cost nearly as little as the chosen one.

Somebody who knows that a publisher takes the release with the least loss can conclude that every finer one
fails: minimality and downcoding attacks do. A random choice among near-best releases weakens that conclusion
and does not prevent it. Drawn once: the same table, choice and tolerance give the same release in every run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from paretonym.budget import Limits
from paretonym.errors import Field, InputError
from paretonym.frontier import Frontier, Microdata, Solution
from paretonym.measures import CLASS_SIZE, LOSS, Limit, card_of
from paretonym.number_text import format_fraction, parse_fraction
from paretonym.recoding import digest
from paretonym.release.draw_key import Draw, find_key, key_mark
from paretonym.release.release_log import ReleaseLog
from paretonym.sentence_parts import several
from paretonym.spaces import SPACES, Pool, Question, Vicinity, space_named

FEWEST = 10
_PLACE = Field("random_pick")


@dataclass(frozen=True, slots=True)
class RelaxedChoice:
    """The release that was drawn, from how many, and the mark of the key that it was drawn with."""

    solution: Solution
    pool: int
    mark: str


def parse_tolerance(text: str | float) -> Fraction:
    """How much more the drawn release may lose, as a share of the loss of the chosen one."""
    tolerance = parse_fraction(str(text), _PLACE)
    if not 0 < tolerance <= 1:
        raise InputError.of(_PLACE, f"'{text}' is not above 0 and at most 100 %", "give, for example, 5%")
    return tolerance


def relaxed_choice(
    frontier: Frontier,
    chosen: Solution,
    data: Microdata,
    tolerance: Fraction,
    limits: Limits,
    log: ReleaseLog,
) -> RelaxedChoice:
    """Draw among all candidates, dominated ones too, that lose at most this much more than the chosen one and
    are no worse in k, in any privacy objective and in any requirement of the run."""
    pool = _pool(frontier, data, Vicinity(chosen, _within(frontier, chosen, tolerance)), limits)
    if pool.size < FEWEST:
        more = format_fraction(100 * tolerance)
        raise InputError.of(
            _PLACE,
            f"{several(pool.size, 'release is', 'releases are')} as private as {chosen.id}, itself included, "
            f"with a loss at most {more} % higher; fewer than {FEWEST} hide little",
            "allow a higher loss, choose another release, or publish the chosen one itself",
        )
    key = find_key(log)
    purpose = f"choice within {format_fraction(tolerance)}"
    numbers = Draw(key, digest(chosen.recoding)).numbers(purpose, 4)
    place = sum(int(number) << 64 * i for i, number in enumerate(numbers)) % pool.size
    return RelaxedChoice(pool.at(place), pool.size, key_mark(key))


def _within(frontier: Frontier, chosen: Solution, tolerance: Fraction) -> tuple[Limit, ...]:
    """What a release must meet to be as good as the chosen one."""
    private = dict.fromkeys((CLASS_SIZE, *(o.name for o in frontier.objectives)))
    cards = {name: card for name in private if (card := card_of(name)) and card.family == "privacy"}
    most = min(1.0, float((1 + tolerance) * Fraction(chosen[LOSS])))
    return (
        Limit(LOSS, "at-most", most),
        *(
            Limit(name, card.good_side, chosen[name])
            for name, card in cards.items()
            if not math.isinf(chosen[name])
        ),
    )


def _pool(frontier: Frontier, data: Microdata, near: Vicinity, limits: Limits) -> Pool:
    """The candidates as good as the chosen one: those of a sweep are stored, those of levels are counted
    again."""
    record, space = frontier.record, space_named(frontier.search.space)
    if frontier.candidates:
        kept = [each for each in frontier.candidates if near.allows(each)]
        return Pool(len(kept), kept.__getitem__)
    if space.pool is None or record is None:
        known = " or ".join(str(Field("space", name)) for name, each in SPACES.items() if each.pool)
        raise InputError.of(
            _PLACE,
            f"the candidates of space {space.name} are not kept, and are too many to count again",
            f"explore again with {known}, or with a sweep",
        )
    return space.pool(Question.of_run(record), data.cube, near, limits)
