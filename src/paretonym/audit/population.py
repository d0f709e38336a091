"""Persons, households, populations and samples: statements that the file alone cannot show, measured beside
the original or a table of the population; and estimates, computed again from what they assume."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from paretonym.arrays import Floats, Integers, Mask
from paretonym.audit.audit_database import listed
from paretonym.audit.checks import NOTHING, WHOLE, Check, Requirement, passes, same, same_rounded
from paretonym.audit.class_counts import ClassCounts
from paretonym.audit.label_runs import UnreadableLabel
from paretonym.audit.manifest import (
    HOUSEHOLDS_STATED,
    PERSONS_STATED,
    POPULATION_STATED,
    STATED_DECIMALS,
    Manifest,
    StatedEstimates,
)
from paretonym.audit.measurer import ESTIMATE, Measurer
from paretonym.audit.original import Original
from paretonym.audit.original_comparison import Comparison
from paretonym.audit.placement import NotDecided, combined, place_rows
from paretonym.audit.released_table import ReleasedTable
from paretonym.audit.sql_formulas import line_of
from paretonym.errors import Field

_GIVE = f"give {Field('original')} and {Field('schema')}"
UNSHOWN_PERSONS = (
    f"the file does not say which person a row belongs to, so persons cannot be counted in it: {_GIVE}"
)
UNSHOWN_HOUSEHOLDS = f"cannot be verified: the file does not say which rows belong to one household: {_GIVE}"
OVERLAPPING = "classes overlap, so that it is not known which persons are in which class"
# Measures that count rows, or that a file shows even less of.
OF_ROWS = ("input", "weights", "households", "population")
PART = "rows are part of the population"
MEASURED = (POPULATION_STATED, "presence-max", "presence-min")


@dataclass(frozen=True)
class PersonRange:
    """The fewest and the most persons that the smallest class can have: where classes overlap, those whose
    rows fit no other class are in it, and of the others all may be."""

    fewest: float
    most: float


def persons_of(comparison: Comparison) -> PersonRange | None:
    """The persons of the smallest class; None if the original does not say whose a row is."""
    original, placement = comparison.original, comparison.placement
    if original.persons is None:
        return None
    sure = placement.of_entry >= 0
    pairs = [np.stack([placement.of_entry[sure], original.persons[sure].astype(np.int64)])]
    fewest = _different(pairs[0], len(comparison.sizes))
    pairs.append(
        np.stack([placement.several_classes, original.persons[placement.several_entries].astype(np.int64)])
    )
    most = np.minimum(_different(np.concatenate(pairs, axis=1), len(comparison.sizes)), comparison.sizes)
    return PersonRange(float(np.maximum(fewest, 1).min()), float(most.min()))


def _different(pairs: Integers, classes: int) -> Integers:
    return np.bincount(np.unique(pairs, axis=1)[0], minlength=classes)


def check_persons(manifest: Manifest, rows: float, persons: PersonRange | None) -> list[Check]:
    """The smallest number of persons: measured with the original; a file alone can only refute it, since a
    class has no more persons than `rows`."""
    if not manifest.persons:
        return []
    name, stated = PERSONS_STATED, manifest.statements.get(PERSONS_STATED)

    def judged(value: float | None, holds: bool | None, why: str = "") -> list[Check]:
        return [Check("statement", name, stated, value, holds, why)]

    if stated is None:
        return judged(None, False, "a release must state it")
    if not (1 <= stated < WHOLE and stated == int(stated)):
        return judged(None, False, "it is not a number of people")
    if manifest.applied is not None:
        if stated != manifest.applied.k:
            return judged(manifest.applied.k, False, "where rows are added, it is k of both releases")
        why = "it counts the persons of the older release too, and was not verified"
        return judged(None, None, f"cannot be decided: {why}")
    if stated > rows:
        return judged(rows, False, f"the smallest class has {rows:,.0f} rows, so it has no more people")
    if persons is None:
        return judged(None, None, f"cannot be verified: {UNSHOWN_PERSONS}")
    return judged(*_within(stated, persons))


def _within(stated: float, persons: PersonRange) -> tuple[float | None, bool | None, str]:
    """The measured number of persons, and whether the stated one is right."""
    if persons.fewest == persons.most:
        return persons.most, same(stated, persons.most), ""
    if persons.fewest <= stated <= persons.most:
        return None, None, f"cannot be decided: {OVERLAPPING}"
    return persons.fewest if stated < persons.fewest else persons.most, False, ""


def check_required_persons(
    requirement: Requirement, rows: Measurer, persons: PersonRange | None
) -> Check | None:
    """A requirement on persons that cannot be measured: it fails, though what it requires may hold. None if
    it can be measured, or is not about persons."""
    name, line = str(requirement), line_of(requirement.measure)
    if line is None or line.source in OF_ROWS or requirement.measure == "average-class":
        return None
    if persons is None:
        if requirement.measure == "k" and requirement.is_above(rows.value("k")):
            why = "a class has no more persons than rows"
            return Check("requirement", name, None, rows.value("k"), False, why)
        return Check("requirement", name, None, None, False, f"cannot be verified: {UNSHOWN_PERSONS}")
    if persons.fewest == persons.most:
        return None
    if requirement.measure == "k" and requirement.comparison in (">=", ">"):
        if requirement.holds(persons.fewest):
            return Check("requirement", name, None, persons.fewest, True)
        if requirement.is_above(persons.most):
            return Check("requirement", name, None, persons.most, False)
    return Check("requirement", name, None, None, False, f"cannot be verified: {OVERLAPPING}")


def smallest_household(comparison: Comparison) -> float | None:
    """The smallest number of households that show the same members; None if the original does not say which
    rows belong together, or which class a row is in."""
    if comparison.original.households is None or not comparison.placement.settled:
        return None
    members = (
        f"select home, class, sum(n) as n from {comparison.entries} where class >= 0 group by home, class"
    )
    homes = (
        f"select list({{'class': class, 'n': n}} order by class) as members from ({members}) group by home"
    )
    return comparison.table.database.number(
        f"select min(homes) from (select count(*) as homes from ({homes}) group by members)"
    )


def check_households(
    manifest: Manifest, rows: int, measured: float | None, expected: bool | None
) -> list[Check]:
    """The stated number of households beside the original's; a file alone can only refute a number above
    that of its rows. It must be stated where it is `expected`, and only there; None if that is unknown."""
    name, stated = HOUSEHOLDS_STATED, manifest.statements.get(HOUSEHOLDS_STATED)
    if stated is None:
        if not expected or manifest.applied is not None:
            return []
        return [Check("statement", name, holds=False, reason="a release must state it")]
    if manifest.applied is not None:
        why = "cannot be decided: it counts the households of the older release too"
        return [Check("statement", name, stated, None, None, why)]
    if expected is False:
        return [Check("statement", name, stated, None, False, "the schema has no households")]
    if not (1 <= stated <= rows and stated == int(stated)):
        why = f"the file has {rows:,} rows, so it has no more households"
        return [Check("statement", name, stated, rows, False, why)]
    if measured is None:
        return [Check("statement", name, stated, None, None, UNSHOWN_HOUSEHOLDS)]
    why = "it matters only where members of a household stay linkable in the release"
    return [Check("statement", name, stated, measured, same(stated, measured), why)]


def compare_population(
    table: ReleasedTable, population: Original, manifest: Manifest
) -> tuple[dict[str, float], list[Check]]:
    """k-map and presence of the release, counted in a table of the population, and whether its rows can be
    part of it: no class may have more rows than people."""
    levels = manifest.recoding.levels
    if levels is None or any(
        not 0 <= levels.get(column.name, -1) <= column.sets.height for column in population.quasi
    ):
        why = "the classes of a population are known only where every column is shown at one level"
        return {}, [Check("original", PART, reason=f"cannot be decided: {why}")]
    database, keys = table.database, [table.column(column.name) for column in population.quasi]
    groups = combined([column.sets.groups(levels[column.name])[column.leaves] for column in population.quasi])
    _, first = np.unique(groups, return_index=True)
    columns: dict[str, object] = {"n": np.bincount(groups, population.counts).astype(np.int64)}
    for key, column in zip(keys, population.quasi, strict=True):
        level = column.sets.column.hierarchy.levels[levels[column.name]]
        labels = np.array(level.labels, dtype=object)
        columns[key] = labels[column.sets.groups(levels[column.name])[column.leaves[first]]]
    database.load("people", columns)
    database.make(
        "sample_and_people",
        "select coalesce(size, 0) as size, coalesce(people.n, 0) as n from "
        f"(select {listed(keys)}, sum(n) as size from {table.meant} group by {listed(keys)}) "
        f"full join (select {listed(keys)}, sum(n) as n from people group by {listed(keys)}) as people "
        f"using ({listed(keys)})",
    )
    short = database.count("select sum(greatest(size - n, 0)) from sample_and_people")
    why = f"{short:,} rows look like nobody in it, or like fewer people than rows" if short else ""
    check = Check("original", PART, 0, short, not short, why)
    if short:
        return {}, [check]
    values = database.row(
        "select min(n) filter (size > 0), max(size / n) filter (size > 0), min(size / n) "
        "from sample_and_people"
    )
    return dict(zip(MEASURED, map(float, values), strict=True)), [check]


def check_population(manifest: Manifest, measured: Mapping[str, float], given: bool) -> list[Check]:
    """The stated k-map and presence beside what was counted in a population. A number that nothing else
    bounds and that cannot be verified fails."""
    checks = []
    for name in (name for name in MEASURED if name in manifest.statements):
        stated = manifest.statements[name]
        if name in measured:
            right = (same if name == POPULATION_STATED else same_rounded)(stated, measured[name])
            checks.append(Check("statement", name, stated, measured[name], right))
            continue
        needed = f"cannot be decided: give {Field('population_file')} and {Field('schema')}"
        why = "the population does not show it" if given else _impossible(name, manifest) or needed
        checks.append(Check("statement", name, stated, None, False, why))
    return checks


def _impossible(name: str, manifest: Manifest) -> str:
    """Why no population can give what is stated, as far as the manifest itself shows it."""
    stated, k = manifest.statements[name], manifest.claims.get("k", 1)
    fewest = manifest.statements.get(POPULATION_STATED, math.nan)
    counted = k <= fewest < WHOLE and fewest == int(fewest)
    if name == POPULATION_STATED:
        return "" if counted else "it is a number of people, at least as many as the smallest class has rows"
    if not 0 <= stated <= 1:
        return "it is a share"
    # Of the fewest people at least as many are in the release as the smallest class has rows.
    least = k / fewest if counted else 0.0
    if name == MEASURED[1] and stated < least and not same_rounded(stated, least):
        return "the class with the fewest people of the population has a higher share"
    above = name == MEASURED[2] and stated > manifest.statements.get(MEASURED[1], 1)
    return "it is above the highest share" if above else ""


def check_both(table: ReleasedTable, original: Original | None, manifest: Manifest) -> list[Check]:
    """k of added rows together with the older release: no class of the file may have fewer rows in the old
    table and in the file. A promise about rows that nobody shows cannot be decided, and fails."""
    if manifest.applied is None:
        return []
    name, stated = "k of both releases", manifest.applied.k
    if stated < 1:
        return [Check("statement", name, stated, None, False, "it is at least 1")]
    if original is None or not original.old or original.old_counts is None:
        why = f"cannot be decided: give {Field('original')}, {Field('old')} and {Field('schema')}"
        return [Check("statement", name, stated, None, False, why)]
    smallest = _smallest_of_both(table, original, manifest)
    if smallest is None:
        why = "cannot be decided: it counts the persons of both releases, or classes overlap"
        return [Check("statement", name, stated, None, None, why)]
    why = "the smallest class has no more rows in the old table and in the file"
    return [Check("statement", name, stated, smallest, stated <= smallest, "" if stated <= smallest else why)]


def _smallest_of_both(table: ReleasedTable, original: Original, manifest: Manifest) -> int | None:
    """The rows of the smallest class of the file with the old rows that fit it; None if that is unknown."""
    old = Original(original.old_counts, original.old, (), original.null, {})  # type: ignore[arg-type]
    try:
        placement = place_rows(table, old, manifest.recoding, settled=False)
    except (NotDecided, UnreadableLabel):
        return None
    sizes = np.array(
        [size for (size,) in table.database.rows("select size from shown_classes order by class")]
    )
    if manifest.persons or not placement.settled:
        return None
    fits = placement.of_entry >= 0
    before = np.bincount(placement.of_entry[fits], old.counts[fits], len(sizes)).astype(np.int64)
    return int((sizes + before).min())


SMALLEST, EXPECTED = "k-map-estimated", "expected-reidentifications"
OF_CLASSES, OF_WEIGHTS = (SMALLEST, EXPECTED), ("gl.weights=1", "sl.weights=1", "loss.weights=1")
STEPS = "precision-loss.weights=1"
# What a manifest must say that its estimates assume.
BY_WEIGHTS = "a row stands for as many people of the population as its weight says"
BY_FRACTION = "everybody in the population was drawn with the same probability, the sampling fraction"
SCALED = (
    "a row stands for people of the population in proportion to its weight, and all rows for as many as the "
    "sampling fraction says"
)
BINOMIAL = (
    "the number of people of a class in the population is negative binomial, given the number in the sample"
)
MEAN_WEIGHT = "suppressed rows have the mean weight of the rows that stay"
# Gauss–Legendre nodes in each of the panels into which an integral is divided, up to where nothing remains.
PANELS, NODES, FAR, TOGETHER = 30, 16, 60.0, 4096


def estimates_of(sizes: Floats, people: Floats) -> dict[str, float]:
    """The estimates of classes, from the people of each in the release and those that it stands for: a class
    has at least its sample rows in the population."""
    people = np.maximum(people, sizes)
    return {SMALLEST: float(people.min()), EXPECTED: expected_reidentifications(sizes, people)}


def expected_reidentifications(sizes: Floats, people: Floats) -> float:
    """Σ f·E[1/F], F negative binomial given f. With p = f/F̂ and c = (1 − p)/p, E[1/F] = ∫₀¹ u^(f−1)/(1 + c·u)
    du, which is ∫₀^∞ e^(−s)/(1 + c·e^(−s/f)) ds / f.

    >>> round(expected_reidentifications(np.array([1.0]), np.array([2.0])), 9) == round(math.log(2), 9)
    True
    """
    pairs, times = np.unique(np.stack([sizes, np.maximum(people, sizes)]), axis=1, return_counts=True)
    inside, weights = np.polynomial.legendre.leggauss(NODES)
    width = FAR / PANELS
    s = (np.arange(PANELS)[:, None] * width + (inside + 1) * width / 2).reshape(-1)
    dense = np.exp(-s) * np.tile(weights * width / 2, PANELS)
    sums = []
    for start in range(0, pairs.shape[1], TOGETHER):
        f, population = pairs[:, start : start + TOGETHER, None]
        parts = (dense / (1 + (population / f - 1) * np.exp(-s / f))).sum(axis=1)
        sums.append(math.fsum(times[start : start + TOGETHER] * parts))
    return math.fsum(sums)


def estimates_of_file(
    table: ReleasedTable, weight: str | None, counted: ClassCounts, stated: StatedEstimates | None
) -> dict[str, float]:
    """The estimates that follow from what the file alone shows: its column of weights or the stated sampling
    fraction; nothing if that is not enough."""
    fraction = None if stated is None else stated.fraction
    if weight is None and (fraction is None or (stated is not None and stated.weights)):
        return {}
    if weight is None:
        sizes = np.array([size for (size,) in table.database.rows(f"select size from {counted.name}")], float)
        return estimates_of(sizes, sizes / float(fraction or 1))
    number, keys = f"try_cast({table.column(weight)} as double)", listed(counted.keys)
    by = f"group by {keys}" if keys else ""
    if table.database.count(f"select count(*) from {table.distinct} where {number} is null"):
        return {}
    groups = table.database.rows(f"select sum(n), sum(n * {number}) from {table.distinct} {by}")
    sizes, people = np.array(groups, dtype=np.float64).T
    if fraction is not None:
        people = people * (sizes.sum() / (float(fraction) * people.sum()))
    return estimates_of(sizes, people)


@dataclass(frozen=True, eq=False)
class Sample:
    """The original as a sample of a population: weights of its entries, or a sampling fraction."""

    comparison: Comparison
    fraction: Fraction | None

    @classmethod
    def of(cls, comparison: Comparison, fraction: Fraction | None) -> Sample | None:
        """None if nothing says how rows were drawn, or in which class one is."""
        drawn = comparison.whole.sampling is not None or fraction is not None
        known = comparison.placement.settled and comparison.placement.stays.any()
        return cls(comparison, fraction) if drawn and known else None

    def classes(self, scaled_by: Original, marked: Mask) -> dict[str, float]:
        """Estimates of the classes that stay; a sampling fraction scales weights by the marked entries."""
        stays, placement = self.comparison.placement.stays, self.comparison.placement
        sizes, people = _weigh(self.comparison.original, stays, placement.of_entry)
        occupied = sizes > 0
        sizes, people = sizes[occupied], people[occupied]
        if self.fraction is not None:
            number, weight = _weigh(scaled_by, marked, np.zeros(len(scaled_by.counts), dtype=np.int64))
            people = people * float(number[0] / (float(self.fraction) * weight[0]))
        return estimates_of(sizes, people)

    def measured(self) -> dict[str, float]:
        """Every measure that is estimated from all rows, as the search does."""
        whole = self.comparison.whole
        values = self.classes(whole, np.ones(len(whole.counts), dtype=np.bool_))
        if whole.sampling is None:
            return values
        everywhere = np.ones(len(self.comparison.original.counts), dtype=np.bool_)
        stays = self.comparison.placement.stays
        share = math.fsum(_of_rows(self.comparison.original)[stays]) / math.fsum(_of_rows(whole))
        general = self._lost(everywhere) * share
        values |= dict(zip(OF_WEIGHTS, (general, 1 - share, general + 1 - share), strict=True))
        precision = self.comparison.precision()
        return values if precision is None else {**values, STEPS: precision * share + 1 - share}

    def published(self, manifest: Manifest) -> dict[str, float]:
        """The estimates by the rows that stay, suppressed rows being published in blocks."""
        original, stays = self.comparison.original, self.comparison.placement.stays
        values = self.classes(original, stays)
        if original.sampling is None:
            return values
        gone = manifest.published_gone(self.comparison.whole.rows, original.most_rows(stays))
        rows = int(original.counts[stays].sum())
        general, suppressed = self._lost(stays) * rows / (rows + gone), gone / (rows + gone)
        return {**values, **dict(zip(OF_WEIGHTS, (general, suppressed, general + suppressed), strict=True))}

    def _lost(self, occurring: Mask) -> float:
        """The weighted mean, over entries that stay, of what generalization costs them; the domain are the
        values of the marked entries."""
        comparison, spent, importance = self.comparison, 0.0, 0.0
        stays = comparison.placement.stays
        weights, classes = _of_rows(comparison.original)[stays], comparison.placement.of_entry[stays]
        for column in comparison.placement.columns:
            marked = np.bincount(column.values.leaves[occurring], minlength=len(column.sets.leaves)) > 0
            sizes, domain = column.sets.sizes(column.runs, marked, comparison.by_granules)
            wide = (sizes - 1) / max(domain - 1, 1)
            weight = float(column.sets.column.importance)
            spent += weight * math.fsum(weights * wide[column.of_class[classes]])
            importance += weight
        return spent / (importance * math.fsum(weights))


def _of_rows(original: Original) -> Floats:
    """The sampling weight of the rows of each entry."""
    weights: Floats = original.counts.astype(np.float64)
    return weights if original.sampling is None else weights * original.sampling


def _weigh(original: Original, marked: Mask, groups: Integers) -> tuple[Floats, Floats]:
    """How many people of some entries are in each group, and the sum of their weights; everybody counts
    once."""
    group = groups[marked]
    length = int(group.max(initial=0)) + 1
    if original.persons is None:
        sizes = np.bincount(group, original.counts[marked], length)
        people = np.bincount(group, _of_rows(original)[marked], length)
        return sizes.astype(np.float64), people.astype(np.float64)
    pairs = np.stack([group, original.persons[marked].astype(np.int64)])
    _, first = np.unique(pairs, axis=1, return_index=True)
    weights = np.ones(len(group)) if original.sampling is None else original.sampling[marked]
    people = np.bincount(group[first], weights[first], length)
    return np.bincount(group[first], minlength=length).astype(np.float64), people.astype(np.float64)


def check_estimates(
    manifest: Manifest, of_file: Mapping[str, float], sample: Sample | None, beside: bool
) -> Iterator[Check]:
    """The estimates of a manifest beside those that follow from the original, or from the file alone."""
    stated = manifest.estimates
    if stated is None:
        return
    yield passes("file", "estimates", "; ".join(_estimate_faults(manifest, stated)))
    right = of_file
    why = f"cannot be verified: the file does not show it: {_GIVE}"
    if beside:
        why = "cannot be decided: the original does not say which class a row is in, or what weight it has"
    if sample is not None and stated.weights == (sample.comparison.original.sampling is not None):
        right = sample.published(manifest)
    elif sample is not None:
        right, why = {}, "the schema says otherwise which column holds weights"
    for name, value in stated.values.items():
        if name in right:
            yield Check("estimate", name, value, right[name], _fits(name, value, right[name]), ESTIMATE)
        elif name in (*OF_CLASSES, *OF_WEIGHTS):
            yield Check("estimate", name, value, None, None if why.startswith("cannot") else False, why)


def _fits(name: str, stated: float, measured: float) -> bool:
    """Whether a number is the measured one, rounded to the side that promises less."""
    if name in OF_WEIGHTS:
        return same_rounded(stated, measured, 1 + (name == OF_WEIGHTS[-1]))
    smallest = name == SMALLEST
    value = stated if smallest else measured
    power = math.floor(math.log10(value)) - 1 if value > 0 else 0
    unit = float(10.0 ** (max(power, 0) if smallest else power))
    over = measured - stated if smallest else stated - measured
    slack = 1e-7 * max(abs(measured), NOTHING)
    return -slack <= over <= unit + slack


def _estimate_faults(manifest: Manifest, stated: StatedEstimates) -> Iterator[str]:
    """Whatever is wrong with the form of estimates: they are those that a release gives, and as coarse."""
    names = (*OF_CLASSES, *(OF_WEIGHTS if stated.weights else ()))
    if manifest.applied is not None or manifest.events or manifest.recoding.bucket is not None:
        yield "nothing is estimated of added rows, events and buckets"
    if tuple(stated.values) != names:
        yield f"its estimates must be {', '.join(names)}"
    assumed = [BY_FRACTION, BINOMIAL]
    if stated.weights:
        assumed = [BY_WEIGHTS if stated.fraction is None else SCALED, BINOMIAL, MEAN_WEIGHT]
    if list(stated.assumes) != assumed:
        yield "what they assume is not what they are computed by"
    for name, value in stated.values.items():
        short = math.isfinite(value) and value >= 0 and value == float(f"{value:.2g}")
        digits = short if name in OF_CLASSES else value == round(value, STATED_DECIMALS)
        if not digits or (name == SMALLEST and value != int(value)):
            yield f"{name} has more digits than are published"
