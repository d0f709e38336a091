"""The manifest of a release: its claims, measured from the values that the file alone shows, and its
statements; nothing about the input that the release does not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.base.arrays import Codes, Integers
from paretonym.base.errors import Bug
from paretonym.base.factorize import distinct_rows, group_sums
from paretonym.base.number_text import number_to_json
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Statistic
from paretonym.engine.measures import (
    CLASS_SIZE,
    GENERALIZATION,
    HOUSEHOLD_SIZE,
    MEASURES,
    POPULATION_SIZE,
    Facts,
    Measure,
    card_of,
)
from paretonym.engine.recoding import ClassCondition, Keep, Recoding, ShownRelease, keep_as_json
from paretonym.release.bucketized_rows import Bucketed
from paretonym.release.release_writer import names_in_file
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import DECIMALS, Cost, published_costs
from paretonym.tables.schema import Unit
from paretonym.version import __version__

# The number of counts of values that are laid out at once.
_MOST_CELLS = 1 << 21


def claims(released: Released, names: Mapping[str, str] | None = None) -> dict[str, float]:
    """Every claim, by name. With several sensitive columns, each has its own (`l@diagnosis`), and the plain
    name has the worst. `names` are the columns' names in the file, if they differ. If rows are not people, no
    risk of people is claimed."""
    codes, counts = released.codes, released.counts
    quasi = released.with_role("quasi")
    widths = [len(released.columns[place]) + 1 for place in quasi]
    _, classes, _ = distinct_rows([codes[place] for place in quasi], widths)
    sizes = group_sums(classes, counts)
    facts = Facts.of_sizes(int(sizes.sum()), sizes, sizes)
    # A risk of people can be computed from a file in which every row is a person.
    people = released.unit.is_person and not released.unit.several_rows
    result = {card.name: card.value(facts) for card in claimed_of_sizes(people)}
    cells = {
        released.columns[place].name: _cells(classes, codes[place], counts)
        for place in released.with_role("sensitive")
    }
    for card in claimed_of_values() if cells else ():
        statistics = [_statistic(card, column) for column in cells]
        measured = {s: np.array([cells[s.column].value(s)]) for s in statistics}
        of_values = replace(facts, statistics=measured)
        result[card.name] = card.value(of_values.scoped(statistics))
        for one in statistics if len(statistics) > 1 else ():
            column = (names or {}).get(one.column, one.column)
            result[f"{card.name}@{column}"] = card.value(of_values.scoped([one]))
    return {name: float(rounded(value)[0]) for name, value in result.items()}


def claimed_of_sizes(people: bool = True) -> list[Measure]:
    """The claims about the sizes of classes; risks of people only if rows are people."""
    claimed = [card for card in MEASURES.values() if card.published.claimed and card.counted.over is None]
    return [card for card in claimed if people or not card.published.of_people]


def claimed_of_values() -> list[Measure]:
    """The claims about the values of sensitive columns."""
    return [card for card in MEASURES.values() if card.published.claimed and card.counted.over is not None]


def _statistic(card: Measure, column: str) -> Statistic:
    statistic = card.counted.statistic
    if statistic is None:
        raise Bug(f"{card.name} has no statistic of classes")
    return Statistic(statistic, column, card.counted.against == "release")


@dataclass(frozen=True, eq=False)
class Cells:
    """The values that occur in each class, class by class: how often in the class, how often in the release.
    There is no cell for a value that a class does not have: classes × values may not fit into memory.
    `distinct` counts the cells of each class."""

    counts: Integers
    totals: Integers
    distinct: Integers
    rows: int

    def value(self, statistic: Statistic) -> float:
        """A statistic combined over all classes, against the release's own distribution."""
        values = [statistic.exact(None, counts, totals / self.rows) for counts, totals in self._tables()]
        return statistic.combined(np.concatenate(values))

    def _tables(self) -> Iterator[tuple[Integers, Integers]]:
        """Counts and totals as tables, one row for a class, classes of about as many values together. The
        last column represents all values that the class does not have: no statistic distinguishes these."""
        starts = np.cumsum(self.distinct) - self.distinct
        for places in self._alike():
            width = int(self.distinct[places].max())
            inside = np.arange(width) < self.distinct[places][:, None]
            cells = np.where(inside, starts[places][:, None] + np.arange(width), 0)
            counts = np.where(inside, self.counts[cells], 0)
            totals = np.where(inside, self.totals[cells], 0)
            lacking = self.rows - totals.sum(axis=1, keepdims=True)
            yield np.append(counts, np.zeros_like(lacking), axis=1), np.append(totals, lacking, axis=1)

    def _alike(self) -> Iterator[Integers]:
        """Places of classes whose numbers of values differ by less than a factor of two."""
        scale = np.frexp(self.distinct.astype(np.float64))[1]
        for exponent in np.unique(scale).tolist():
            places = np.flatnonzero(scale == exponent)
            step = max(_MOST_CELLS >> exponent, 1)
            yield from (places[start : start + step] for start in range(0, len(places), step))


def _cells(classes: Integers, values: Codes, counts: Integers) -> Cells:
    size = int(values.max()) + 1
    keys, inverse = np.unique(classes * size + values, return_inverse=True)
    cells = group_sums(inverse, counts)
    totals = group_sums(keys % size, cells)
    return Cells(cells, totals[keys % size], np.bincount(keys // size), int(cells.sum()))


FORMAT = "paretonym.manifest/2"
ENDING = ".manifest.json"
# Written in place of a condition on the distance from the input's distribution: that there was one.
CLOSENESS = "closeness"
# What two of the statements count: not what only suppressed rows have.
DOMAIN = "gl and loss count the values of the rows that stay"
# The smallest number of persons in a class: the file does not show it, since it does not say whose a row is.
PERSONS_STATED = "k-persons"


def manifest_path(path: Path) -> Path:
    """
    >>> manifest_path(Path("out/adult.csv")).name
    'adult.csv.manifest.json'
    """
    return path.with_name(path.name + ENDING)


def manifest(
    release: Released | Bucketed,
    written: Mapping[str, Any],
    kind: str,
    recoding: Recoding,
    cost: Cost,
    applied: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The manifest of a file that holds a release; `kind` is the ending of its name. `applied` describes the
    older release that its rows belong to."""
    bucket = release.column if isinstance(release, Bucketed) else ""
    rows = release.mixed if isinstance(release, Bucketed) else release
    names = names_in_file(rows, kind)
    # A file shows rows, not whose they are: its claims are about rows.
    claimed = bucket_claims(release, names) if isinstance(release, Bucketed) else claims(rows, names)
    return {
        "format": FORMAT,
        "output": dict(written),
        "roles": {names[column.name]: column.role for column in rows.columns},
        **counted_as(rows.unit, rows.suppress_unit),
        "recoding": shown_recoding(rows, recoding, names, bucket),
        **numbers(claimed, cost, len(rows), applied),
        "version": __version__,
        **({} if applied is None else {"applied": dict(applied)}),
    }


def bucket_claims(release: Bucketed, names: Mapping[str, str]) -> dict[str, float]:
    """The claims of a release in buckets: sizes are those of rows that look the same; claims about sensitive
    values are about buckets."""
    of_sizes = {card.name for card in claimed_of_sizes()}
    secret = {name: value for name, value in claims(release.apart, names).items() if name not in of_sizes}
    sizes = {name: value for name, value in claims(release.shown).items() if name in of_sizes}
    return {**sizes, **secret}


def counted_as(unit: Unit, suppressed: str) -> dict[str, Any]:
    """The unit of a row, if it is not a person: k then counts rows, and readers of the claims must know that.
    Where a person may have several rows, also what was suppressed together: single rows, or all of a
    person."""
    together = {"suppress": {"unit": suppressed}} if unit.several_rows or suppressed != "row" else {}
    if unit.several_rows:
        return {"rows": "persons", **together}
    return together if unit.is_person else {"rows": "events", **together}


def numbers(
    claimed: Mapping[str, float], cost: Cost, rows: int, applied: Mapping[str, int] | None
) -> dict[str, Any]:
    """The claims, and the statements that may accompany them."""
    k = int(claimed[CLASS_SIZE]) if applied is None else applied[CLASS_SIZE]
    stated: dict[str, float] = dict(published_costs(cost, rows, k))
    if cost.persons is not None:
        stated[PERSONS_STATED] = cost.persons
    if cost.households is not None:
        # Nor does it say which rows belong to one household.
        stated[HOUSEHOLD_SIZE] = cost.households
    if cost.population is not None:
        # A table of the population proves it, not the file.
        stated[POPULATION_SIZE] = cost.population
        stated |= {name: round(value, DECIMALS) for name, value in cost.presence.items()}
    return {
        "claims": {name: number_to_json(value) for name, value in claimed.items()},
        "statements": {name: number_to_json(value) for name, value in stated.items()},
        **({"domain": DOMAIN} if GENERALIZATION in stated else {}),
    }


def shown_recoding(
    released: Released, recoding: Recoding, names: Mapping[str, str], bucket: str
) -> dict[str, Any]:
    """The recoding as far as the release shows it: if a space lists values, only the labels that
    occur in the release are written. `bucket` is the column with the numbers of buckets."""

    def labels() -> dict[str, list[str]]:
        quasi = (released.columns[place] for place in released.with_role("quasi"))
        return {names[column.name]: column.texts.to_pylist() for column in quasi}

    return recoding.manifest(ShownRelease(names, labels, shown_keep(recoding.keep), bucket))


def shown_keep(keep: Keep) -> dict[str, Any]:
    """The conditions on a class, as far as a file alone shows them. A distance from the input's distribution
    would disclose something about suppressed rows: the manifest says that there was such a condition, but not
    which.

    >>> from paretonym.engine.recoding.suppression import parse_keep
    >>> shown_keep(parse_keep({"k": ">=5", "t": "<=0.41239"}))
    {'keep': {'k': '>=5'}, 'further': 'closeness'}
    """
    conditions = tuple(filter(_is_shown, keep))
    return {
        "keep": keep_as_json(conditions),
        **({"further": CLOSENESS} if len(conditions) < len(keep) else {}),
    }


def _is_shown(condition: ClassCondition) -> bool:
    """True if a file alone shows it: one measure, or two that order classes."""
    cards = map(card_of, condition.measures)
    return all(card is not None and card.conditional for card in cards)
