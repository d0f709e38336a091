"""Every measure, in one table that can be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paretonym.errors import InputError, did_you_mean
from paretonym.measures import losses, sizes
from paretonym.measures.card import Algebra, Measure

_ALL = (
    Measure(
        name="k",
        direction="max",
        lowest=1,
        highest=None,
        question="How many people at least look the same?",
        formula="min |C|",
        reference="Samarati & Sweeney 1998",
        value=sizes.k,
        algebra=Algebra(unsuppressed="rises", limited="rises", suppression="rises"),
    ),
    Measure(
        name="weighted-k",
        direction="max",
        lowest=1,
        highest=None,
        question="How many people look the same as an average person?",
        formula="Σ |C|² / N, before suppression",
        reference="Dewri et al., trade-offs, Eq. 6",
        value=sizes.weighted_k,
        algebra=Algebra(unsuppressed="rises", limited="rises", suppression="constant"),
        caution="says nothing about the smallest class",
    ),
    Measure(
        name="gl",
        direction="min",
        lowest=0,
        highest=1,
        question="How much detail do the rows that stay lose?",
        formula="Σ w·(shown − 1)/(D − 1) / (N·Σw)",
        reference="Iyengar 2002",
        value=losses.generalization_loss,
        algebra=Algebra(unsuppressed="rises", suppression="falls"),
        costs=("generalization",),
        caution="falls when rows are suppressed",
    ),
    Measure(
        name="sl",
        direction="min",
        lowest=0,
        highest=1,
        question="Which share of the rows is left out?",
        formula="suppressed / N",
        reference="Dewri et al., trade-offs, Section 4",
        value=sizes.suppressed_share,
        algebra=Algebra(unsuppressed="constant", suppression="rises"),
    ),
    Measure(
        name="loss",
        direction="min",
        lowest=0,
        highest=1,
        question="How much detail is lost in all?",
        formula="gl + sl",
        reference="Iyengar 2002 (GLM)",
        value=losses.loss,
        algebra=Algebra(unsuppressed="rises", suppression="rises"),
        costs=("generalization",),
    ),
    Measure(
        name="discernibility",
        direction="min",
        lowest=1,
        highest=None,
        question="How many pairs of rows cannot be told apart?",
        formula="Σ |C|² + suppressed·N",
        reference="Bayardo & Agrawal 2005",
        value=sizes.discernibility,
        algebra=Algebra(unsuppressed="rises", suppression="rises"),
        caution="grows with the square of the number of rows",
    ),
)

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _ALL}


def measure(name: str, place: str = "--objectives") -> Measure:
    """The measure of that name; an unknown name answers with the known ones."""
    if name not in MEASURES:
        raise InputError.of(place, f"there is no measure '{name}'", did_you_mean(name, MEASURES))
    return MEASURES[name]


def measures(names: Iterable[str], place: str = "--objectives") -> tuple[Measure, ...]:
    """Several measures, none of them twice and at least one."""
    wanted = list(names)
    if not any(wanted):
        raise InputError.of(place, "no objective is named", "name at least one, such as k,loss")
    for name in wanted:
        if wanted.count(name) > 1:
            raise InputError.of(place, f"'{name}' is named twice", "name each objective once")
    return tuple(measure(name, place) for name in wanted)
