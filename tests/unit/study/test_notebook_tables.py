"""From a dataframe to an audited release in a notebook, without a file of TOML."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.study import Run, Study
from paretonym.study.notebook_tables import SchemaDraft


def frame() -> pandas.DataFrame:
    rows = range(120)
    return pandas.DataFrame(
        {
            "age": [20 + number % 40 for number in rows],
            "sex": ["mf"[number % 2] for number in rows],
            "illness": [("flu", "cold", "<b>none</b>")[number % 3] for number in rows],
        }
    )


@pytest.fixture(scope="module")
def drafted() -> SchemaDraft:
    return pn.draft(frame())


@pytest.fixture(scope="module")
def study(drafted: SchemaDraft) -> Study:
    return pn.Study(frame(), SchemaDraft(dict(drafted), {}, (), ()).set("illness", role="sensitive"))


@pytest.fixture(scope="module")
def front(study: Study) -> Run:
    return study.explore("k", "loss", suppress=0, space="lattice")


def test_a_draft_is_a_schema_with_reasons(drafted: SchemaDraft) -> None:
    assert drafted["columns"]["age"]["role"] == "quasi"
    assert drafted.reasons["age"] == "the name suggests age"
    page = drafted._repr_html_()
    assert "<td>the name suggests age</td>" in page
    assert "&lt;b&gt;" not in page
    assert "<b>" not in page


def test_a_draft_is_edited_and_saved(drafted: SchemaDraft, tmp_path: Path) -> None:
    copied = SchemaDraft(pn.draft(frame()), {}, (), ())
    copied.set("illness", role="sensitive", hierarchy=None)
    assert copied.undecided == ()
    assert repr(copied) == "<SchemaDraft of 3 columns>"
    copied.save(tmp_path / "schema.toml")
    assert pn.Study(frame(), tmp_path / "schema.toml").schema == pn.Study(frame(), copied).schema
    with pytest.raises(InputError, match="there is no column 'ilness'; did you mean 'illness'"):
        copied.set("ilness", role="drop")
    with pytest.raises(InputError, match="the role 'drp' is unknown; did you mean 'drop'"):
        copied.set("*", role="drp")
    assert copied["columns"]["illness"]["role"] == "sensitive"
    everything = SchemaDraft(pn.draft(frame()), {}, (), ()).set("*", role="drop")
    assert {entry["role"] for entry in everything["columns"].values()} == {"drop"}
    with pytest.raises(InputError, match="already exists"):
        copied.save(tmp_path / "schema.toml")


def test_what_was_set_is_decided() -> None:
    draft = pn.draft(
        frame().assign(wage=[float(number) for number in range(120)], code=[1.0, 2.0, float("nan")] * 40)
    )
    asked = [decision.partition(":")[0] for decision in draft.decisions]
    assert asked == ["wage", "code", "missing"]
    draft.set("w*", release_level=1)
    draft["missing"] = "value"
    assert [decision.partition(":")[0] for decision in draft.decisions] == ["code"]
    draft.set("code", role="drop")
    assert draft.decisions == ()


def test_a_review_shows_levels_or_what_is_wrong(study: Study) -> None:
    first, heads, age, *_ = str(study.review()).splitlines()
    assert first == "120 rows read, 3 columns"
    assert heads.split(maxsplit=5) == ["column", "role", "type", "values", "missing", "sets at each level"]
    assert age.split()[:6] == ["age", "quasi", "integer", "40", "0", "40"]
    assert age.index("40 →") == heads.index("sets")
    assert "sets at each level" in study.review()._repr_html_()
    wrong = pn.Study(frame(), {"columns": {"age": {"role": "undecided"}}}).review()
    assert wrong.summary is None
    assert "its role is undecided" in str(wrong)
    assert "its role is undecided" in wrong._repr_html_()


def test_the_best_within_limits(front: Run) -> None:
    best = front.best("k", loss="50%")
    assert best == front.ask(best="k", at_most={"loss": 0.5})
    assert (best.k, best.loss) == (best["k"], best["loss"])
    assert front.best("loss", k=3) == front.ask(best="loss", at_least={"k": 3})


def test_frontiers_as_dataframes(front: Run) -> None:
    assert front.to_polars().to_dicts() == front.to_pandas().to_dict("records")


def test_a_report_is_shown_in_a_frame_without_scripts(front: Run, tmp_path: Path) -> None:
    page = front.report()
    assert page._repr_html_().startswith('<iframe sandbox srcdoc="&lt;!')
    assert page.save(tmp_path / "report.html").stat().st_mode & 0o077 == 0
    public = front.report(pick=front[0].id, reader="public")
    assert repr(public).startswith("<ReportPage for the public")
    with pytest.raises(InputError, match="a report for the public is about one release"):
        front.report(reader="public")
    with pytest.raises(InputError, match="unknown reader 'everybody'"):
        front.report(reader="everybody")


def test_measures_as_a_table() -> None:
    table = pn.measures()
    assert table.to_pandas().set_index("name").loc["k", "direction"] == "max"
    assert "<td>loss</td>" in table._repr_html_()
    assert repr(table).startswith("k (max): ")


def test_a_dataframe_is_audited_and_attacked(front: Run, study: Study) -> None:
    chosen = front.best("k", loss="50%")
    released = chosen.release()
    found = pn.audit(released, schema=study.schema, require=[f"k>={chosen.k}"])
    assert found.passed
    assert found.path == "the dataframe"
    assert not pn.audit(frame(), quasi=["age", "sex"], sensitive=["illness"], require=["k>=5"]).passed
    attacked = pn.attack(released, schema=study.schema, original=frame())
    assert attacked.files == ("the dataframe",)
    assert str(attacked).startswith("the dataframe: ")
    with pytest.raises(InputError, match="there is no manifest beside the dataframe"):
        pn.audit(released, schema=study.schema, original=frame())
