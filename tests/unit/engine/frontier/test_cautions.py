"""What is said before a release is used: what k counts, who is alone, whose secret is known."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pyarrow
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.frontier.cautions import UNCOUNTED
from paretonym.study.explored_run import Run, load
from paretonym.study.study import Study
from paretonym.tables.schema.row_unit import PEOPLE, ROWS

INTERVALS = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}}
CAUTION = (
    "k counts rows, not people: rows are events here, and several may belong to one person. So k says "
    "nothing about how many people share an equivalence class, and l, alpha and t nothing about how well a "
    "person's sensitive values are hidden."
)


def visits() -> Study:
    """40 patients of 5 visits each, every patient unique in the quasi-identifiers."""
    draw = Random(1)
    patients = [patient for patient in range(40) for _ in range(5)]
    columns = {
        "patient": [f"P{patient}" for patient in patients],
        "age": [str(20 + patient) for patient in patients],
        "diagnosis": [draw.choice("ABCD") for _ in patients],
    }
    schema = {
        "rows": "events",
        "columns": {
            "patient": {"role": "identifier"}, "age": INTERVALS, "diagnosis": {"role": "sensitive"},
        },
    }  # fmt: skip
    return Study(pyarrow.table(columns), schema)


@pytest.fixture(scope="module")
def front() -> Run:
    return visits().explore("k", "loss", space="lattice")


def test_events_are_never_called_people(front: Run) -> None:
    unchanged = front[-1]
    assert (unchanged["k"], unchanged["loss"]) == (5, 0)
    assert unchanged.warnings()[0] == CAUTION == ROWS.caution
    assert "over 200 rows (events, not people)" in str(front)
    assert "Warning: k counts rows, not people" in front._repr_html_()
    assert "Warning: k counts rows, not people" in unchanged._repr_html_()
    found = front.answer(best="k", at_most={"loss": "25%"})
    assert f"Warning: {CAUTION}" in str(found)
    assert CAUTION in found.as_json()["warnings"]
    assert "people" not in str(found).replace(CAUTION, "")
    assert "people" not in str(unchanged.risk())


def test_the_shortlist_of_events_offers_neither_the_unchanged_table_nor_usual_sizes(front: Run) -> None:
    choices = front.shortlist()
    assert choices
    assert front[-1].id not in [choice.solution.id for choice in choices]
    assert not any("with k at least" in reason for choice in choices for reason in choice.reasons)


@pytest.mark.parametrize("name", ["risk-highest", "risk-average"])
def test_no_risk_of_people_is_searched_where_rows_are_none(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is a risk of people, and the schema says that rows are"):
        visits().explore(name, "loss", space="lattice")
    with pytest.raises(InputError, match="is a risk of people"):
        visits().explore("k", "loss", at_most={name: 0.2}, space="lattice")


def homes(illness: list[str]) -> Study:
    town = ["A"] * 4 + ["B"] * 20
    columns = {"town": {"role": "quasi", "hierarchy": {"flat": True}}, "illness": {"role": "sensitive"}}
    return Study(pyarrow.table({"town": town, "illness": illness}), {"columns": columns})


def test_a_certain_value_is_warned_of_and_not_named() -> None:
    front = homes(["Zyx"] * 4 + ["flu"] * 19 + ["Zyx"]).explore("k", "loss", suppress=0, space="lattice")
    plain = front[-1]
    assert plain.warnings() == (
        "The value of 'illness' is certain for 4 people: all rows of their equivalence class have it, so "
        "somebody who knows the quasi-identifiers learns it. It is known with more than 90 % confidence for "
        "20 people more. Explore with l or alpha as an objective to find releases without this.",
    )
    assert "Zyx" not in str(plain)
    assert str(plain).splitlines()[0].startswith(f"Solution {plain.id}: k 4, loss 0.0 %")


def test_a_nearly_certain_value_is_warned_of() -> None:
    front = homes(["a", "b", "a", "b", *["flu"] * 19, "a"]).explore("k", "loss", suppress=0, space="lattice")
    assert front[-1].warnings() == (
        "The value of 'illness' is known with more than 90 % confidence for 20 people: nearly all rows of "
        "their equivalence class have it. Explore with l or alpha as an objective to find releases without "
        "this.",
    )
    assert homes(["a", "b"] * 12).explore("k", "loss", space="lattice")[-1].warnings() == ()


def test_who_is_alone_is_warned_of() -> None:
    columns = {"age": ["20", "21", "30", "30"]}
    front = Study(pyarrow.table(columns), {"columns": {"age": INTERVALS}}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    alone = next(s for s in front if s["k"] == 1)
    assert alone.warnings() == (
        "k is 1: 2 people look like nobody else. Somebody who knows the quasi-identifiers finds the row.",
    )


def test_without_the_data_it_is_said_that_nothing_was_counted(tmp_path: object) -> None:
    folder = f"{tmp_path}/run"
    front = visits().explore("k", "loss", space="lattice")
    front.save(folder)
    assert load(folder)[-1].warnings() == front[-1].warnings()
    # A run of before, which says nothing about its releases.
    path = Path(folder) / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    del run["facts"]
    path.write_text(json.dumps(run), encoding="utf-8")
    unread = load(folder)[-1]
    assert unread.warnings() == (CAUTION, UNCOUNTED)


def test_representations_are_short(front: Run) -> None:
    assert repr(front) == f"<{front}>"
    assert len(repr(front)) < 200
    assert repr(front[-1]) == (
        f"<Solution {front[-1].id}: k 5, loss 0.0 %, gl 0.0 %, sl 0.0 %, 0 rows suppressed>"
    )


def test_objectives_in_a_list_and_percentages_as_texts() -> None:
    study = homes(["a", "b"] * 12)
    front = study.explore(["k", "loss"], at_most={"loss": "50%"}, suppress=0, space="lattice")
    assert [o.name for o in front.objectives] == ["k", "loss"]
    assert front.ask(best="k", at_most={"loss": "25 %"}) == front.ask(best="k", at_most={"loss": 0.25})
    with pytest.raises(InputError, match="'loss' is not a measure with a number"):
        front.ask(best="k", at_most={"loss": None})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="'much' is not a number; give a decimal such as"):
        study.explore("k", "loss", at_most={"loss": "much"}, space="lattice")
    with pytest.raises(InputError, match="k is a count, but 50% is a percentage; did you mean k=50"):
        study.explore("k", "loss", at_least={"k": "50%"}, space="lattice")
    with pytest.raises(InputError, match="5 is not the name of a measure"):
        study.explore(["k", 5], space="lattice")  # type: ignore[list-item]
    with pytest.raises(InputError, match="it is not a mapping"):
        study.explore("k", at_least=[("k", 5)], space="lattice")  # type: ignore[arg-type]


def test_words_of_a_unit() -> None:
    assert (PEOPLE.count(1), PEOPLE.count(2), ROWS.count(1)) == ("1 person", "2 people", "1 row")
    assert PEOPLE.said("How many people?") == "How many people?"
    assert ROWS.said("Whose person's row? How many people?") == "Whose row's row? How many rows?"
    assert (PEOPLE.warnings, ROWS.warnings) == ((), (CAUTION,))
