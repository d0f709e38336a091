"""The deFinetti attack: sensitive values are guessed from what the quasi-identifiers of people with the same
value have in common.

The random-worlds assumption says that all people of a class are equally likely to have each of its values.
But an attacker who knows everybody's quasi-identifiers can learn from all classes together which of them go
with which value, and so rank the people of one class. Reference: Kifer 2009, "Attacks on privacy and
deFinetti's theorem". The model is naive Bayes, fitted by expectation maximisation: in each round people have
values in proportion to the model, adjusted so that each class has as many of each value as it shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Integers
from paretonym.attacks.background_knowledge import measured
from paretonym.attacks.findings import Estimate
from paretonym.attacks.possible_worlds import Case
from paretonym.attacks.published_file import Tally
from paretonym.audits import Original

ROUNDS, BALANCE = 12, 4
MOST_VALUES, MOST_NUMBERS = 100, 20_000_000
REFERENCE = "Kifer 2009, Attacks on privacy and deFinetti's theorem"


def learned_guesses(case: Case) -> list[Estimate]:
    """For each file and sensitive column, the share of correct guesses, with the model and by the class
    alone."""
    found = []
    for place, release in enumerate(case.releases):
        for tally in release.tallies:
            for name in [name for name in case.sensitive if name in tally.columns]:
                scores = _scores(case, place, tally, name)
                if scores is not None:
                    found.append(
                        Estimate(
                            "deFinetti",
                            release.place,
                            name,
                            "somebody knows everybody's quasi-identifiers and learns from all classes "
                            "which of them go with which value",
                            f"of the values of {name} are guessed correctly from {release.name}",
                            *scores,
                            True,
                            REFERENCE,
                        )
                    )
    return found


def _scores(case: Case, place: int, tally: Tally, name: str) -> tuple[float, float] | None:
    """Shares of correct guesses: by the model, and by the most frequent value of the class."""
    if case.original is None or case.truth is None:
        return None
    single = np.array(
        [one[place][0] if len(one[place]) == 1 else -1 for one in case.kinds.fitting], dtype=np.int64
    )[case.kinds.of_person]
    people = np.flatnonzero(single >= 0)
    values = measured(case.original, case.book, name)
    known, column = np.unique(values[tally.cells[:, tally.columns.index(name)]], return_inverse=True)
    number = case.kinds.number(single >= 0)
    if not number or len(known) > MOST_VALUES or number * len(known) > MOST_NUMBERS:
        return None
    often = np.ones(len(people)) if case.kinds.weights is None else case.kinds.weights[people]
    group = tally.group_of[single[people]]
    counts = np.zeros((int(tally.group.max()) + 1, len(known)))
    np.add.at(counts, (tally.group, column.reshape(-1)), tally.n)
    truth = np.searchsorted(known, values[case.truth[people, case.book.columns.index(name)]])
    weights = learn(_leaves(case.original, people), group, counts, often)
    plain = counts.argmax(axis=1)[group]
    right = weights.argmax(axis=1) == truth
    return float(often[right].sum() / number), float(often[plain == truth].sum() / number)


def _leaves(original: Original, people: Integers) -> list[Integers]:
    return [np.unique(one.leaves[people], return_inverse=True)[1].reshape(-1) for one in original.quasi]


def learn(
    leaves: list[Integers], group: Integers, counts: Floats, often: npt.NDArray[Any] | None = None
) -> Floats:
    """The probability that each person has each value, given everybody's attributes and how often each group
    contains each value. An entry stands for as many people, all alike, as `often` says, or for one.

    Two groups of two; whoever has attribute 1 has the second value where it is known:

    >>> leaves = [np.array([0, 1, 0, 0, 1, 1])]
    >>> group = np.array([0, 0, 1, 1, 2, 2])
    >>> learn(leaves, group, np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])).argmax(axis=1).tolist()
    [0, 1, 0, 0, 1, 1]
    """
    size = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    weights = (counts / size)[group]
    many = np.ones(len(group)) if often is None else often
    for _ in range(ROUNDS):
        each = weights * many[:, None]
        with np.errstate(divide="ignore"):
            score = np.log(each.sum(axis=0))[None, :].repeat(len(group), axis=0)
        for own in leaves:
            table = np.ones((int(own.max()) + 1, counts.shape[1]))
            for value in range(counts.shape[1]):
                table[:, value] += np.bincount(own, each[:, value], len(table))
            score += np.log(table / table.sum(axis=0))[own]
        score -= score.max(axis=1, keepdims=True)
        weights = np.exp(score) * (counts[group] > 0)
        weights = _balanced(weights, group, counts, many)
    found: Floats = weights
    return found


def _balanced(weights: Floats, group: Integers, counts: Floats, often: npt.NDArray[Any]) -> Floats:
    """The probabilities, scaled so that each group has its values and everybody has one."""
    for _ in range(BALANCE):
        sums = np.stack([np.bincount(group, each * often, len(counts)) for each in weights.T], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = weights * np.nan_to_num(counts / sums, posinf=0.0)[group]
            weights = np.nan_to_num(weights / weights.sum(axis=1, keepdims=True))
    return weights
