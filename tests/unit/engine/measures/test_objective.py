"""Objectives as people name them: what is read, and what is refused."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.base.errors import Field, InputError
from paretonym.engine.measures.objective import Objective, parse_settings, settings_of
from paretonym.engine.measures.registry import MEASURES
from paretonym.research.exams.random_tables import random_table

KNOWN = f"known: {', '.join(sorted(MEASURES))}"


def test_every_name_is_its_key() -> None:
    assert all(card.name == name for name, card in MEASURES.items())
    assert {card.better for card in MEASURES.values()} == {"more", "less"}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["los"], "objectives: unknown measure 'los'; did you mean 'loss'?"),
        ([""], "objectives: no objective is given; give at least one, such as k,loss"),
        (
            ["l"],
            "objectives: l needs a column of role 'sensitive', but the schema has none; "
            'give a column role = "sensitive", or omit l',
        ),
        (["k@q0"], "objectives: 'k@q0' names a column, but k does not take one; use k"),
        (["zzz"], f"objectives: unknown measure 'zzz'; {KNOWN}"),
        (["k", "loss", "k"], "objectives: 'k' is given twice; give each objective once"),
        ([], "objectives: no objective is given; give at least one, such as k,loss"),
    ],
)
def test_refused(names: list[str], said: str) -> None:
    with pytest.raises(InputError) as error:
        Objective.several(names, random_table(Random(0)).study().cube)
    assert str(error.value) == said


def test_the_place_is_named() -> None:
    with pytest.raises(InputError, match=r"^best: unknown measure 'x'; "):
        Objective.of("x", random_table(Random(0)).study().cube, place=Field("best"))


def test_settings() -> None:
    read = parse_settings(["l-recursive.c=2", "query-error.queries=40", "query-error.seed=7"])
    assert read == {"l-recursive": {"c": 2.0}, "query-error": {"queries": 40.0, "seed": 7.0}}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("l-recursive=2", "'l-recursive=2' is not of the form MEASURE.PARAMETER=VALUE; use, for example, "),
        ("l-recursive.c", "'l-recursive.c' is not of the form MEASURE.PARAMETER=VALUE; use, for example, "),
        ("delta.missing=x", "delta.missing is x; give ignored or infinite"),
        ("loss.weights=2", "loss.weights is 2; give 0 or 1"),
        ("k.c=2", "k has no parameter 'c'; it has: none"),
        ("l-recursive.d=2", "l-recursive has no parameter 'd'; it has: c"),
        ("l-recursive.c=0", "'l-recursive.c=0' does not give a number above 0; use, for example, "),
        ("l-recursive.c=two", "'l-recursive.c=two' does not give a number above 0; use, for example, "),
        ("l-recursive.c=inf", "'l-recursive.c=inf' does not give a number above 0; use, for example, "),
        ("l-recursiv.c=2", "unknown measure 'l-recursiv'; did you mean 'l-recursive'?"),
    ],
)
def test_settings_refused(entry: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        parse_settings([entry])
    assert str(error.value).startswith(f"settings: {said}")


def test_shares_may_be_percentages() -> None:
    assert parse_settings(["query-error.sel=5%"]) == {"query-error": {"sel": 0.05}}
    assert settings_of({"utility-loss": {"minsup": "2.5%"}}) == {"utility-loss": {"minsup": 0.025}}
    assert parse_settings(["loss.weights=1"]) == settings_of({"loss": {"weights": 1}})
    assert settings_of(None) == {}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"query-error": {"qd": "5%"}}, "'query-error.qd=5%' does not give a number above 0"),
        (
            {"query-error": {"selectivity": 0.1}},
            "has no parameter 'selectivity'; it has: queries",
        ),
        ({"query-error.sel": "5%"}, "it is not a mapping of measures to their parameters"),
        ({"query-eror": {"sel": 0.1}}, "did you mean 'query-error'"),
    ],
)
def test_settings_that_mean_nothing(given: dict[str, dict[str, float | str]], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong.replace(".", r"\.")):
        settings_of(given)
