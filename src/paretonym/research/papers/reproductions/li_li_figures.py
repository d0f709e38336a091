"""Li & Li's Figures 2 and 3 and the constants of Section 5.1, on the 45,222 complete rows of Adult."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from paretonym.engine.frontier import Solution
from paretonym.engine.measures import Objective, Realized, Settings
from paretonym.engine.spaces.lattice import LatticeRecoding
from paretonym.research.papers.reproductions.printed_numbers import (
    LI_LI_AT_5000,
    LI_LI_OCCUPATIONS,
    LI_LI_PARAMETERS,
    LI_LI_REVEALED,
    LI_LI_VALUES,
    LI_LI_WITHOUT_QUASI,
)
from paretonym.research.papers.reproductions.reproduction import Fact, Panel, Result, Series
from paretonym.study import SpaceName, Study, example

NAMES = {"k": "k-anonymity", "l": "ℓ-diversity", "t-js": "t-closeness (JS)", "delta": "semantic privacy"}
METHODS: Mapping[SpaceName, str] = {"mondrian": "generalization", "buckets": "bucketization"}
# Categories are split as LeFevre, DeWitt & Ramakrishnan 2006 split them: in two, at the median.
BINARY: Mapping[str, dict[str, Any]] = {"mondrian": {"splits": "binary"}, "buckets": {"method": "binary"}}
# The paper prints neither list.
SELECTIVITIES = (0.02, 0.05, 0.1, 0.2)
DIMENSIONS = (2, 3, 4, 5)

OTHER_TREES = (
    "The paper prints neither its hierarchies nor how its Mondrian splits categories. Ours splits them at "
    "the median, in the order of our own trees' leaves, and shows ages at round boundaries: shapes can be "
    "alike, numbers only near."
)


class Curve(NamedTuple):
    """One line of a figure: privacy loss and the other measure, setting by setting."""

    label: str
    settings: tuple[str, ...]
    across: tuple[float, ...]
    up: tuple[float, ...]


Curves: TypeAlias = Sequence[Curve]


@cache
def adult() -> Study:
    return example("adult-six")


@cache
def swept(space: SpaceName, requirement: str) -> tuple[Solution, ...]:
    """The releases of one family, measured by privacy and utility loss."""
    numbers = ",".join(f"{bound:g}" for bound in LI_LI_PARAMETERS[requirement])
    front = adult().explore(
        "privacy-loss",
        "utility-loss",
        space=space,
        sweep=f"{requirement}={numbers}",
        **BINARY[space],
    )
    return front.candidates


def curve(space: SpaceName, requirement: str, label: str) -> Curve:
    """Utility loss over privacy loss."""
    solutions = swept(space, requirement)
    return Curve(
        label,
        tuple(str(solution.recoding.flat()["requirement"]) for solution in solutions),
        tuple(solution["privacy-loss"] for solution in solutions),
        tuple(solution["utility-loss"] for solution in solutions),
    )


def constants() -> Result:
    """Q, what revealing a value costs, what leaving all quasi-identifiers out costs, and k = 5,000."""
    study = adult()
    (margin,) = study.cube.sensitive
    shares = margin.totals / margin.totals.sum()
    share_of = dict(zip(margin.labels, shares.tolist(), strict=True))
    facts = [Fact(f"Q, {name}", "value", share_of[name], q) for name, q in LI_LI_OCCUPATIONS.items()]
    extremes = {"most frequent": shares.argmax(), "least frequent": shares.argmin()}
    facts += [
        Fact(
            f"privacy-loss, {name} value revealed",
            "value",
            revealed(shares, int(place)),
            LI_LI_REVEALED[name],
        )
        for name, place in extremes.items()
    ]
    top = LatticeRecoding.of({axis.name: axis.highest for axis in study.cube.axes}, {})
    without = Realized.of(top, study.cube).measure("privacy-loss", "utility-loss")
    facts += [
        Fact("privacy-loss, no quasi-identifiers", "value", without["privacy-loss"], 0.0),
        Fact("utility-loss, no quasi-identifiers", "value", without["utility-loss"], LI_LI_WITHOUT_QUASI),
    ]
    largest = swept("mondrian", "k")[-1]
    pairs = zip(("privacy-loss", "utility-loss"), LI_LI_AT_5000, strict=True)
    facts += [Fact(f"{name}, k = 5,000", "value", largest[name], printed) for name, printed in pairs]
    for column, printed in LI_LI_VALUES.items():
        (axis,) = (axis for axis in study.cube.axes if axis.name == column)
        facts.append(Fact(f"{column}, values that occur", "value", int((axis.leaf_rows > 0).sum()), printed))
    order = (
        "The shares of Q are printed without names, in the order of the data's description: all agree, but "
        "for the last digit of Priv-house-serv."
    )
    return Result(tuple(facts), (), (order, OTHER_TREES))


def revealed(shares: np.ndarray, place: int) -> float:
    """The privacy loss of somebody whose value is known for certain: JS of (0, …, 1, …, 0) and Q."""
    q = float(shares[place])
    middle = (1.0 + q) / 2.0
    of_value = np.log(1.0 / middle) + q * np.log(q / middle)
    return float((of_value + (1.0 - q) * np.log(2.0)) / 2.0)


def figure_2a() -> Result:
    """Utility loss over privacy loss for four requirements."""
    curves = [curve("mondrian", requirement, name) for requirement, name in NAMES.items()]
    semantic = next(line.across for line in curves if line.label == NAMES["delta"])
    span = (
        f"Semantic privacy is about the values that occur in a class: its curve spans {min(semantic):.2f} to "
        f"{max(semantic):.2f} of privacy loss, where 0 to 0.6 is printed."
    )
    better = better_read()
    notes = [OTHER_TREES, span, *_who_wins(curves), _below(curves, better)]
    result = _figure([*curves, better], "Utility loss, by requirement", "utility-loss", notes)
    single = adult().explore(
        "privacy-loss", "utility-loss", space="mondrian", sweep="delta=0.99", **BINARY["mondrian"]
    )
    classes = len(Realized.of(single.candidates[0].recoding, adult().cube).classes)
    more = [fact for requirement, name in NAMES.items() for fact in averages(requirement, name)]
    alone = Fact("semantic privacy: delta=0.99", "classes", classes, 1)
    return replace(result, facts=(*result.facts, *more, alone))


def averages(requirement: str, label: str) -> list[Fact]:
    """The privacy loss of an average person (Corollary 3.1 wants the worst case), and how many classes."""
    cube, facts = adult().cube, []
    measure = Objective.of("privacy-loss", cube)
    for solution in swept("mondrian", requirement):
        classes = Realized.of(solution.recoding, cube).classes
        mean = float(np.average(measure.of_classes(cube, classes), weights=classes.rows))
        row = f"{label}: {solution.recoding.flat()['requirement']}"
        facts += [Fact(row, "privacy-loss, average", mean), Fact(row, "classes", len(classes))]
    return facts


def better_read() -> Curve:
    """The releases of t-closeness for a reader who knows the margins: the paper's future work."""
    settings: Settings = {"utility-loss": {"reader": "margins"}}
    plain = curve("mondrian", "t-js", f"{NAMES['t-js']}, margins known")
    cube, solutions = adult().cube, swept("mondrian", "t-js")
    losses = [Realized.of(s.recoding, cube).measure("utility-loss", settings=settings) for s in solutions]
    return plain._replace(up=tuple(values["utility-loss"] for values in losses))


def _below(curves: Curves, better: Curve) -> str:
    """Sentence on how far below the line of t-closeness the efficient frontier lies at least."""
    closeness = next(line for line in curves if line.label == NAMES["t-js"])
    saved = [1 - low / high for high, low in zip(closeness.up, better.up, strict=True)]
    return (
        "The efficient frontier lies below the line of t-closeness, as the paper expects: the same releases "
        f"lose {min(saved):.0%} to {max(saved):.0%} less to a reader who fits to the margins of the rows."
    )


def figure_2b() -> Result:
    """Utility loss over privacy loss for generalization and bucketization, under ℓ and t."""
    curves = [
        curve(space, requirement, f"{NAMES[requirement]}, {method}")
        for requirement in ("l", "t-js")
        for space, method in METHODS.items()
    ]
    return _figure(curves, "Utility loss, by method", "utility-loss", [OTHER_TREES])


def figure_3a() -> Result:
    """Query error over privacy loss for four requirements."""
    curves = [errors("mondrian", requirement, name, {}) for requirement, name in NAMES.items()]
    pattern = (
        "The paper sees the pattern of Figure 2(a). Errors here are fractions, not percent, and large for "
        "generalization: most queries select few people, and Mondrian's regions are wide."
    )
    return _figure(curves, "Query error, by requirement", "query-error", [pattern, OTHER_TREES])


def figure_3b() -> Result:
    """Query error of buckets under t, for several selectivities; qd = 4."""
    curves = [errors("buckets", "t-js", f"sel {sel:g}", {"sel": sel}) for sel in SELECTIVITIES]
    chosen = f"The list of sel is not printed; here {', '.join(f'{sel:g}' for sel in SELECTIVITIES)}."
    return _figure(curves, "Query error, by selectivity", "query-error", [chosen, OTHER_TREES])


def figure_3c() -> Result:
    """Query error of buckets under t, for several numbers of quasi-identifiers; sel = 0.05."""
    curves = [errors("buckets", "t-js", f"qd {qd}", {"qd": float(qd)}) for qd in DIMENSIONS]
    chosen = f"The list of qd is not printed; here {', '.join(map(str, DIMENSIONS))}."
    return _figure(curves, "Query error, by dimension", "query-error", [chosen, OTHER_TREES])


def errors(space: SpaceName, requirement: str, label: str, parameters: Mapping[str, float]) -> Curve:
    """Query error over privacy loss."""
    settings: Settings = {"query-error": parameters}
    cube, solutions = adult().cube, swept(space, requirement)
    values = [Realized.of(s.recoding, cube).measure("query-error", settings=settings) for s in solutions]
    plain = curve(space, requirement, label)
    return plain._replace(up=tuple(measured["query-error"] for measured in values))


def _figure(curves: Curves, title: str, measure: str, notes: Sequence[str]) -> Result:
    facts = []
    for line in curves:
        for setting, across, up in zip(line.settings, line.across, line.up, strict=True):
            row = f"{line.label}: {setting}"
            printed = LI_LI_AT_5000 if setting == "k=5000" and measure == "utility-loss" else (None, None)
            facts += [Fact(row, "privacy-loss", across, printed[0]), Fact(row, measure, up, printed[1])]
    series = tuple(Series(line.label, line.across, line.up, "line") for line in curves)
    return Result(tuple(facts), (Panel(title, ("privacy-loss", measure), series),), tuple(notes))


def _who_wins(curves: Curves) -> list[str]:
    """At how many points of t-closeness each other requirement is dominated, or dominates."""
    closeness = next(line for line in curves if line.label == NAMES["t-js"])
    sentences = ["The paper finds t-closeness best, ℓ-diversity and semantic privacy behind."]
    for other in curves:
        if other is closeness:
            continue
        behind = sum(_beaten(point, closeness) for point in zip(other.across, other.up, strict=True))
        ahead = sum(_beaten(point, other) for point in zip(closeness.across, closeness.up, strict=True))
        sentences.append(
            f"{other.label}: t-closeness beats {behind} of its {len(other.up)} releases in both losses, "
            f"and it beats {ahead} of {len(closeness.up)} of t-closeness."
        )
    return sentences


def _beaten(point: tuple[float, float], by: Curve) -> bool:
    pairs = zip(by.across, by.up, strict=True)
    return any(across <= point[0] and up <= point[1] and (across, up) != point for across, up in pairs)
