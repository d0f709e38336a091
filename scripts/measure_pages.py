"""A page for each measure, from its card: formula, range, reference, and its value in an example that is
computed when the pages are made. `build_docs.py` puts them into the site."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import pandas

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.engine.measures.card import Measure, Parameter
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.recoding import parse_keep
from paretonym.engine.spaces.lattice import LatticeRecoding

FOLDER = "reference/measures"
INDEX = f"{FOLDER}/index.md"
# Twelve people of one town, and what is known about them.
ROWS: Mapping[str, list[Any]] = {
    "age": [23, 27, 31, 34, 38, 42, 45, 47, 52, 58, 61, 66],
    "sex": list("fmfmfmfmffmm"),
    "illness": ["flu", "flu", "cold", "flu", "cold", "cold", "flu", "asthma", "flu", "cold", "flu", "asthma"],
    "home": [1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8],
    "weight": [20, 30, 10, 20, 40, 20, 10, 30, 20, 10, 20, 10],
    "wish": [2, 2, 2, 3, 2, 2, 2, 2, 2, 3, 2, 2],
    "works": ["no", "yes", "yes", "yes", "yes", "no", "yes", "yes", "yes", "yes", "no", "no"],
}
COLUMNS: Mapping[str, dict[str, Any]] = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40]}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "illness": {"role": "sensitive", "order": ["cold", "flu", "asthma"]},
    "home": {"role": "household"},
    "weight": {"role": "weight"},
    "wish": {"role": "required-k"},
    "works": {"role": "class"},
}
PURPOSES: tuple[Mapping[str, Any], ...] = (
    {"name": "health", "regression": "age ~ sex", "tolerance": {"ci-overlap": 0.5}},
    {"name": "health", "table": ["illness", "sex"], "tolerance": {"table-error": 0.1}},
    {"name": "health", "mean": "age", "by": ["illness"], "tolerance": {"mean-error": 5}},
    {"name": "health", "quantile": ["age", 0.5], "tolerance": {"quantile-error": 5}},
)
# The release that is measured.
RELEASE = LatticeRecoding((("age", 2), ("sex", 0)), parse_keep({"k": ">=2"}))
AIMS = {
    "protection": "protection: more is better",
    "risk": "risk: less is better",
    "loss": "what is lost: less is better",
    "utility": "what analyses keep: more is better",
}
NEEDS = {
    "population": "a table of the population",
    "estimate": "a sampling fraction or weights",
    "weights": "a column of weights",
    "households": "a column that says who lives together",
    "numbers": "a quasi-identifier of numbers",
    "required": "a column with everybody's own k",
    "purposes": "a declared purpose",
}


def example() -> pn.Study:
    """The twelve people, with as much besides as any measure needs."""
    table = pandas.DataFrame(ROWS)
    schema = {"columns": dict(COLUMNS), "purpose": list(PURPOSES)}
    twice = pandas.concat([table, table])
    return pn.Study(table, schema, population_file=twice, sampling_fraction=0.5)


def values() -> dict[str, float | str]:
    """The value of each measure for the example's release; the reason if it has none."""
    realized = example().realized(RELEASE)
    found: dict[str, float | str] = {}
    for name in MEASURES:
        try:
            found[name] = realized.measure(name)[name]
        except InputError as error:
            found[name] = error.problems[0].wrong
    return found


def usual_of(parameter: Parameter) -> str:
    """The default, and the other choices if there are some."""
    if not isinstance(parameter, tuple):
        return f"by default {parameter:g}"
    first, *others = parameter
    return f"by default {first}, or {', '.join(map(str, others))}"


def page(card: Measure, value: float | str) -> str:
    """The page of one measure."""
    doc = inspect.getdoc(card.value) or ""
    low, high = (("the table decides" if end is None else f"{end:g}") for end in card.scale[1:3])
    facts = {
        "Says": AIMS[card.aim],
        "Range": f"{low} to {high}, a {card.scale.unit}",
        "Formula": f"`{card.formula}`",
        "Reference": card.reference,
        "Needs": NEEDS.get(card.needs or "", "the table and its schema"),
        "Parameters": ", ".join(
            f"`{card.name}.{key}`, {usual_of(usual)}" for key, usual in card.parameters.items()
        ),
        "Careful": card.caution,
    }
    lines = [f"| {name} | {fact.replace('|', chr(92) + '|')} |" for name, fact in facts.items() if fact]
    shown = f"{value:.6g}" if isinstance(value, float | int) else f"none here: {value}"
    summary = doc.partition("\n\n")[0]
    return "\n".join(
        [
            f"# {card.name}",
            "",
            f"{card.question} {summary}".strip(),
            "",
            "| | |",
            "| --- | --- |",
            *lines,
            "",
            f"In the [example](index.md#the-example) its value is **{shown}**.",
            "",
        ]
    )


def index(found: Mapping[str, float | str]) -> str:
    """All measures with their questions, and the example that their pages refer to."""
    rows = [f"| [{name}]({name}.md) | {card.question} |" for name, card in MEASURES.items()]
    people = pandas.DataFrame(ROWS).to_csv(index=False).strip()
    return "\n".join(
        [
            "# Measures",
            "",
            f"{len(found)} measures, each with its page. `paretonym measures` lists them, too.",
            "",
            "| measure | question |",
            "| --- | --- |",
            *rows,
            "",
            "## The example",
            "",
            "Twelve people, half of all there are; each stands for as many as `weight` says.",
            "The release that is measured shows ages in steps of 20, and leaves out who is alone.",
            "",
            "```text",
            people,
            "```",
            "",
        ]
    )


def pages() -> dict[str, str]:
    """Every page by its place in the site."""
    found = values()
    made = {f"{FOLDER}/{name}.md": page(card, found[name]) for name, card in MEASURES.items()}
    return {INDEX: index(found), **made}


if __name__ == "__main__":
    for place, text in pages().items():
        print(place, len(text), text.splitlines()[-2])
