"""CSV as the programs of its readers expect it, and what an audit says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.release.csv_form import CsvForm

SCHEMA: dict[str, object] = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
        "town": {"role": "quasi", "hierarchy": {"flat": True}},
        "bmi": {"role": "other"},
        "illness": {"role": "sensitive"},
    }
}
GERMAN = {"separator": ";", "encoding": "cp1252", "decimal": ","}


def table(**changed: list[object]) -> pandas.DataFrame:
    rows = range(60)
    return pandas.DataFrame(
        {
            "age": [20 + number % 12 for number in rows],
            "town": [("Köln", "Ulm")[number % 2] for number in rows],
            "bmi": [20.5 + number % 8 / 4 if number % 9 else None for number in rows],
            "illness": [("Grippe; Husten", "=1+1", "keine")[number % 3] for number in rows],
            **changed,
        }
    )


def chosen(**changed: list[object]) -> pn.Solution:
    return (
        pn.Study(table(**changed), SCHEMA).explore("k", "loss", suppress=0, space="lattice").best("loss", k=2)
    )


@pytest.mark.parametrize(
    ("form", "start"),
    [
        (GERMAN, "age;town;bmi;illness\n20;Köln;".encode("cp1252")),
        ({"separator": ";", "encoding": "utf-8-sig", "decimal": ","}, "\ufeffage;town;".encode()),
        ({"separator": "tab"}, b"age\ttown\tbmi\tillness\n"),
        ({"decimal": ","}, b"age,town,bmi,illness\n"),
    ],
)
def test_a_form_is_written_and_audited(form: dict[str, str], start: bytes, tmp_path: Path) -> None:
    path = chosen().release(tmp_path / "public.csv", **form)  # type: ignore[call-overload]
    content = path.read_bytes()
    assert content.startswith(start)
    stated = json.loads((tmp_path / "public.csv.manifest.json").read_text())["output"]["form"]
    assert stated == CsvForm.of(**form).as_json()
    found = pn.audit(path, schema=SCHEMA, original=table())
    assert found.failed == ()
    assert {check.name: check.holds for check in found.checks}["rows sorted"] is True
    assert pn.attack(path, original=table(), schema=SCHEMA).matches


def test_a_german_excel_reads_its_numbers(tmp_path: Path) -> None:
    path = chosen().release(tmp_path / "public.csv", **GERMAN)  # type: ignore[call-overload]
    read = pandas.read_csv(path, sep=";", decimal=",", encoding="cp1252")
    assert read["bmi"].dtype == float
    assert sorted(read["bmi"].dropna()) == sorted(table()["bmi"].dropna())
    assert "'=1+1" in set(read["illness"])
    assert "20.5" not in path.read_text(encoding="cp1252")


@pytest.mark.parametrize(
    ("old", "new"), [(b"20,5", b"20.5"), (b"K\xf6ln", b'"K\xf6ln"'), (b"K\xf6ln", b"K\x81ln")]
)
def test_another_spelling_fails_the_audit(old: bytes, new: bytes, tmp_path: Path) -> None:
    path = chosen().release(tmp_path / "public.csv", **GERMAN)  # type: ignore[call-overload]
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    if new != b'"K\xf6ln"':
        with pytest.raises(InputError, match=r"some (bytes are not valid|numbers have a decimal point)"):
            pn.audit(path)
        return
    assert [check.name for check in pn.audit(path).failed] == ["sha256"]


@pytest.mark.parametrize(
    "stated",
    [
        {"separator": ",", "encoding": "cp1252", "decimal": ","},
        {"separator": ";", "encoding": "utf-8-sig", "decimal": ","},
        {"separator": ";", "encoding": "cp1252", "decimal": "."},
    ],
)
def test_a_wrong_form_in_the_manifest_fails(stated: dict[str, str], tmp_path: Path) -> None:
    path = chosen().release(tmp_path / "public.csv", **GERMAN)  # type: ignore[call-overload]
    manifest = tmp_path / "public.csv.manifest.json"
    document = json.loads(manifest.read_text())
    document["output"]["form"] = stated
    manifest.write_text(json.dumps(document))
    # With the wrong separator or encoding the file is no table; otherwise its bytes are other ones.
    if stated["separator"] == "," or stated["encoding"] != "cp1252":
        with pytest.raises(InputError, match=r"public\.csv"):
            pn.audit(path)
    else:
        assert not pn.audit(path, schema=SCHEMA, original=table()).passed


def test_a_form_that_has_no_meaning_is_no_manifest(tmp_path: Path) -> None:
    path = chosen().release(tmp_path / "public.csv", **GERMAN)  # type: ignore[call-overload]
    manifest = tmp_path / "public.csv.manifest.json"
    manifest.write_text(manifest.read_text().replace('"cp1252"', '"utf-7"'))
    with pytest.raises(InputError, match=r"at 'output\.form\.encoding' where one of 'utf-8', 'utf-8-sig'"):
        pn.audit(path)


def test_what_an_encoding_does_not_have_is_an_error(tmp_path: Path) -> None:
    secret = ["Grippe", "Ćevap-Allergie", "keine"] * 20
    with pytest.raises(InputError) as caught:
        chosen(illness=list(secret)).release(tmp_path / "p.csv", encoding="cp1252")
    assert str(caught.value) == (
        "column 'illness': it contains characters that cp1252 does not have; use encoding='utf-8-sig', which "
        "Excel reads too"
    )
    assert "Ćevap" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_texts_that_would_become_numbers_are_refused(tmp_path: Path) -> None:
    """Otherwise '1,5' and 1.5 would be one value, and an equivalence class would look larger."""
    with pytest.raises(InputError, match="column 'illness': it contains texts that look like numbers with"):
        chosen(illness=["1,5", "1.5", "x"] * 20).release(tmp_path / "p.csv", decimal=",")


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({"separator": ":"}, "':' cannot separate the cells of a release; use ',', ';', '|' or tab"),
        ({"encoding": "latin-9"}, "not written in 'latin-9'; use utf-8, utf-8-sig or cp1252"),
        ({"decimal": "'"}, "is not a decimal mark; use '.' or ','"),
    ],
)
def test_an_unknown_form_is_refused(form: dict[str, str], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong.replace("|", r"\|")):
        CsvForm.of(**form)


def test_a_form_is_for_csv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"decimal=?: this is for CSV files, and the release is not one"):
        chosen().release(tmp_path / "p.parquet", decimal=",")


def test_buckets_have_a_form_too(tmp_path: Path) -> None:
    study = pn.Study(table(), SCHEMA)
    front = study.explore("l", "query-error", space="buckets", sweep="k=10", suppress=0)
    path = front[0].release(tmp_path / "b.csv", separator=";", encoding="cp1252", decimal=",")
    assert path.read_bytes().startswith(b"age;town;bmi;")
    assert pn.audit(path).failed == ()
    assert pn.audit(path, schema=SCHEMA, original=table()).failed == ()
