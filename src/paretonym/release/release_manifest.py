"""The manifest of a release: its claims and statements, and nothing about the input that the release does not
show."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paretonym.measures import CLASS_SIZE, HOUSEHOLD_SIZE, POPULATION_SIZE, card_of
from paretonym.number_text import number_to_json
from paretonym.recoding import ClassCondition, Keep, Recoding, ShownRelease, keep_as_json
from paretonym.release.bucketized_rows import Bucketed
from paretonym.release.claims import claimed_of_sizes, claims
from paretonym.release.release_writer import names_in_file
from paretonym.release.released_rows import Released
from paretonym.release.small_counts import DECIMALS, Cost, published_costs
from paretonym.schema import Unit
from paretonym.version import __version__

FORMAT = "paretonym.manifest/2"
ENDING = ".manifest.json"
# Written in place of a condition on the distance from the input's distribution: that there was one.
CLOSENESS = "closeness"
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
    """What a row is, if it is not a person: k then counts rows, and readers of the claims must know that.
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
    }


def shown_recoding(
    released: Released, recoding: Recoding, names: Mapping[str, str], bucket: str
) -> dict[str, Any]:
    """What the recoding does, as far as the release shows it: if a space lists values, only the labels that
    occur in the release are written. `bucket` is the column with the numbers of buckets."""

    def labels() -> dict[str, list[str]]:
        quasi = (released.columns[place] for place in released.with_role("quasi"))
        return {names[column.name]: column.texts.to_pylist() for column in quasi}

    shown = ShownRelease(names, labels, shown_keep(recoding.keep), bucket)
    return recoding.manifest(shown)


def shown_keep(keep: Keep) -> dict[str, Any]:
    """The conditions on a class, as far as a file alone shows them. A distance from the input's distribution
    would disclose something about suppressed rows: the manifest says that there was such a condition, but not
    which.

    >>> from paretonym.recoding.class_condition import parse_keep
    >>> shown_keep(parse_keep({"k": ">=5", "t": "<=0.41239"}))
    {'keep': {'k': '>=5'}, 'further': 'closeness'}
    """
    shown = tuple(filter(_is_shown, keep))
    return {"keep": keep_as_json(shown), **({"further": CLOSENESS} if len(shown) < len(keep) else {})}


def _is_shown(condition: ClassCondition) -> bool:
    """Whether a file alone shows it: one measure, or two that order classes."""
    cards = map(card_of, condition.measures)
    return all(card is not None and card.conditional for card in cards)
