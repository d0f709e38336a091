"""Audits of small tables whose numbers are known, and of tables that somebody has changed."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.base.errors import InputError
from paretonym.tables.schema import read_schema
from tests.naive.releases import write_manifest, write_table

# Two classes: (a, a, b) and (a, b, b, c); in all a 3, b 3, c 1 of 7.
NAMES = ["age", "sex", "illness", "note"]
ROWS = [
    ("[20, 30)", "*", "a", "x"),
    ("[20, 30)", "*", "a", "y"),
    ("[20, 30)", "*", "b", "x"),
    ("[30, 40)", "*", "a", "x"),
    ("[30, 40)", "*", "b", "x"),
    ("[30, 40)", "*", "b", "y"),
    ("[30, 40)", "*", "c", "x"),
]
ROLES = {"age": "quasi", "sex": "quasi", "illness": "sensitive", "note": "other"}
CLAIMS = {
    "k": 3,
    "risk-highest": 1 / 3,
    "risk-average": 2 / 7,
    "uniques": 0,
    "average-class": 3.5,
    "spread-k": 9 + 16,
    "l": 1.5,
    "l-distinct": 2,
    "l-entropy": math.exp(-(2 / 3) * math.log(2 / 3) - (1 / 3) * math.log(1 / 3)),
    # 2 < 3·1 in the first class with ℓ = 2, 2 < 3·1 in the second with ℓ = 3.
    "l-recursive": 2,
    "alpha": 2 / 3,
    "spread-l": 4 + 1 + 1 + 4 + 1,
    "t-release": 2 / 3 - 3 / 7,
    "delta-release": math.log(7 / 4),
}


MUST_CLAIM = (
    "k", "risk-highest", "risk-average", "uniques", "l", "l-distinct", "l-entropy", "alpha", "t-release",
    "t-js-release", "delta-release",
)  # fmt: skip


def written(folder: Path, claims: dict[str, Any] | None = None) -> Path:
    path = folder / "r.csv"
    write_table(path, NAMES, ROWS)
    write_manifest(path, ROLES, CLAIMS if claims is None else claims)
    return path


def failed(path: Path, **options: Any) -> list[str]:
    return [check.name for check in paretonym.audit(path, **options).failed]


def test_every_claim_of_a_small_table(tmp_path: Path) -> None:
    result = paretonym.audit(written(tmp_path))
    assert result.passed
    always = {
        "columns",
        "manifest",
        "rows sorted",
        "nothing beside the cells",
        "sha256",
        "rows",
        "t-js-release",
    }
    always |= {"loss = gl + sl", "sl in blocks of k"}
    assert {check.name for check in result.checks} == {*always, *CLAIMS}
    assert result.sha256 == hashlib.sha256((tmp_path / "r.csv").read_bytes()).hexdigest()
    assert result["k"] == 3
    assert str(result).endswith("all 23 checks hold")


@pytest.mark.parametrize("name", CLAIMS)
def test_an_edited_claim_is_named(tmp_path: Path, name: str) -> None:
    value = CLAIMS[name]
    edited = value + (1 if isinstance(value, int) else 1e-6)
    assert failed(written(tmp_path, {**CLAIMS, name: edited})) == [name]


def test_a_flipped_cell_a_deleted_and_an_added_row(tmp_path: Path) -> None:
    path = written(tmp_path)
    write_table(path, NAMES, [("[30, 40)", "*", "a", "x"), *ROWS[1:]])
    assert failed(path)[:3] == ["rows sorted", "sha256", "k"]
    write_table(path, NAMES, ROWS[1:])
    assert failed(path)[:3] == ["sha256", "rows", "k"]
    write_table(path, NAMES, [ROWS[0], *ROWS])
    assert failed(path)[:2] == ["sha256", "rows"]


def test_a_swapped_file_and_a_note_that_was_changed(tmp_path: Path) -> None:
    path = written(tmp_path)
    write_table(path, NAMES, [(*row[:3], "z") for row in ROWS])
    assert failed(path) == ["sha256"]
    write_table(path, ["age", "sex", "note", "illness"], ROWS)
    assert failed(path)[0] == "columns"


@pytest.mark.parametrize(
    ("roles", "why"),
    [
        ({**ROLES, "zip": "quasi"}, "not in both: zip"),
        ({name: role for name, role in ROLES.items() if name != "note"}, "not in both: note"),
        ({**ROLES, "note": "identifier"}, "not the role of a released column: note"),
        (dict(reversed(ROLES.items())), "the order differs"),
    ],
)
def test_roles_that_are_not_the_files(tmp_path: Path, roles: dict[str, str], why: str) -> None:
    path = written(tmp_path)
    write_manifest(path, roles, {"k": 3})
    (check,) = [check for check in paretonym.audit(path).failed if check.name == "columns"]
    assert check.why == why


@pytest.mark.parametrize(
    "name",
    ["privacy", "t", "loss", "l@note", "l@", "k@illness", "t-ordered-release", "t-tree-release", "t-x"],
)
def test_a_claim_that_cannot_be_measured_fails(tmp_path: Path, name: str) -> None:
    (check,) = paretonym.audit(written(tmp_path, {name: 1})).failed
    assert check.name == name
    assert check.why.startswith("cannot be measured")


@pytest.mark.parametrize("value", [None, True, [3], "three", "nan", 10**400])
def test_a_claim_that_is_no_number_fails(tmp_path: Path, value: Any) -> None:
    assert failed(written(tmp_path, {"l": value})) == ["l"]
    with pytest.raises(InputError, match=r"'claims\.k' is not a whole number of at least 1"):
        paretonym.audit(written(tmp_path, {"k": value}))


@pytest.mark.parametrize("name", MUST_CLAIM)
def test_a_claim_that_is_absent_fails(tmp_path: Path, name: str) -> None:
    path = written(tmp_path)
    manifest = tmp_path / "r.csv.manifest.json"
    document = json.loads(manifest.read_text())
    del document["claims"][name]
    manifest.write_text(json.dumps(document))
    [check] = paretonym.audit(path).failed
    assert (check.kind, check.name, check.why) == ("claim", name, "a release must claim it")


def test_forged_together_they_agree(tmp_path: Path) -> None:
    """What no audit can see; only a digest that was kept elsewhere shows it."""
    path = written(tmp_path)
    before = paretonym.audit(path)
    write_table(path, NAMES, ROWS[3:])
    write_manifest(path, ROLES, {})
    after = paretonym.audit(path)
    assert after.passed
    assert after.sha256 != before.sha256
    assert after.manifest_sha256 != before.manifest_sha256


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"format": "x"}', '{"format": "paretonym.manifest/1"}',
     '{"format": "paretonym.manifest/1", "output": [], "roles": {}, "claims": {}}',
     '{"format": "paretonym.manifest/1", "output": {"sha256": "", "rows": 1}, "roles": [], "claims": {}}',
     '{"format": "paretonym.manifest/1", "output": {"sha256": "", "rows": 1}, "roles": {}, "claims": {},'
     '"settings": {"l-recursive": {"c": "inf"}}}'],
)  # fmt: skip
def test_a_manifest_that_is_none(tmp_path: Path, text: str) -> None:
    path = written(tmp_path)
    (tmp_path / "r.csv.manifest.json").write_text(text)
    with pytest.raises(InputError, match="not a manifest of the format"):
        paretonym.audit(path)


@pytest.mark.parametrize("key", ["format", "output", "roles", "recoding", "claims", "statements", "version"])
def test_a_manifest_that_lacks_a_key(tmp_path: Path, key: str) -> None:
    path = written(tmp_path)
    manifest = tmp_path / "r.csv.manifest.json"
    document = json.loads(manifest.read_text())
    del document[key]
    manifest.write_text(json.dumps(document))
    with pytest.raises(
        InputError, match=f"not a manifest of the format paretonym.manifest/2: it has no '{key}'"
    ):
        paretonym.audit(path)


def test_a_manifest_that_names_not_every_level_fails(tmp_path: Path) -> None:
    path = written(tmp_path)
    manifest = tmp_path / "r.csv.manifest.json"
    document = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**document, "recoding": {"levels": {"age": 1}, "keep": {}}}))
    [check] = paretonym.audit(path).failed
    assert (check.name, check.why) == ("manifest", "it names no level of 'sex'")
    manifest.write_text(json.dumps({**document, "recoding": {}}))
    with pytest.raises(InputError, match="it names no levels, no space and no buckets"):
        paretonym.audit(path)


def test_a_foreign_table_with_requirements(tmp_path: Path) -> None:
    path = tmp_path / "foreign.csv"
    path.write_text("\ufeffage;illness\n20;a\n20;\n21;a\n", encoding="utf-8")
    result = paretonym.audit(
        path, quasi=["age"], sensitive=["illness"], require=["k>=1", "l-distinct@illness>=2", "uniques=1"]
    )
    assert [(check.name, check.found, check.holds) for check in result.checks] == [
        ("k>=1", 1, True),
        ("l-distinct@illness>=2", 1, False),
        ("uniques=1", 1, True),
    ]
    measured = paretonym.audit(path, quasi=["age"])
    assert measured.passed
    assert [check.name for check in measured.checks][:2] == ["k", "risk-highest"]


def test_roles_that_are_given_put_the_manifest_aside(tmp_path: Path) -> None:
    result = paretonym.audit(written(tmp_path, {"k": 99}), quasi=["sex"], require=["k=7"])
    assert result.passed
    assert result.manifest_sha256 is None


def test_a_table_without_quasi_identifiers_is_one_class(tmp_path: Path) -> None:
    path = written(tmp_path)
    write_manifest(path, {**ROLES, "age": "other", "sex": "other"}, {"k": 7, "l": 7 / 3})
    assert paretonym.audit(path).passed


def test_names_that_differ_only_in_case_and_texts_with_everything(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    write_table(
        path, ["A", "a", 'x "y", z'], [("1", "1\n2", "it's"), ("1", "1\n2", ""), ("1", "1\r\n2", '"')]
    )
    write_manifest(path, {"A": "other", "a": "quasi", 'x "y", z': "sensitive"}, {"k": 1, "l-distinct": 1})
    assert paretonym.audit(path).passed


def test_a_header_of_several_lines_and_a_single_column(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    write_table(path, ["a\nb"], [("1",), ("",), ("",), ("1",)])
    found = paretonym.audit(path, quasi=["a\nb"], require=["k=2"])
    assert (found.passed, found.rows) == (True, 4)


def test_paths_that_would_be_patterns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r*.csv"
    write_table(path, ["a"], [("1",)])
    with pytest.raises(InputError, match="give the file another name"):
        paretonym.audit(path, quasi=["a"])


def test_asking_for_what_was_not_checked(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        paretonym.audit(written(tmp_path))["loss"]


def test_an_empty_release(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    write_table(path, ["a", "s"], [])
    write_manifest(path, {"a": "quasi", "s": "sensitive"}, {"k": 5, "l": 2}, rows=0)
    with pytest.raises(InputError, match="no rows"):
        paretonym.audit(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"a,b\n1,2,3\n", "line 2: the header has 2 fields, this line has 3 fields"),
        (b"a,b\n\xff\xfe,1\n", "some bytes are not valid UTF-8"),
        (b"a,a\n1,2\n", "same name"),
        (b"PAR1 and nothing more", "damaged or incomplete"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        paretonym.audit(path, quasi=["a"], require=["k>=1"])
    assert "1,2,3" not in str(caught.value)


def test_a_parquet_file(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "r.parquet"
    schema = pyarrow.schema(
        [("age", pyarrow.int64()), ("s", pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))]
    )
    columns = {"age": [20, 20, None, None], "s": pyarrow.array(["a", "b", "b", None]).dictionary_encode()}
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), path, store_schema=False)
    write_manifest(path, {"age": "quasi", "s": "sensitive"}, {"k": 2, "l-distinct": 2}, rows=4)
    assert paretonym.audit(path).passed
    nested = tmp_path / "n.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [[1]], "b": [1]}), nested)
    with pytest.raises(InputError, match="its type, list, is not supported"):
        paretonym.audit(nested, quasi=["b"])


def test_what_an_audit_needs_to_be_told(tmp_path: Path) -> None:
    schema = {"columns": {name: {"role": role} for name, role in ROLES.items()}}
    path = written(tmp_path)
    with pytest.raises(InputError, match="give the schema"):
        paretonym.audit(path, original="data.csv")
    with pytest.raises(InputError, match="no manifest beside"):
        paretonym.audit(path, original="data.csv", schema=schema, quasi=["age"])
    with pytest.raises(InputError, match="also in quasi="):
        paretonym.audit(path, quasi=["age"], sensitive=["age"])
    with pytest.raises(InputError, match="this file does not exist"):
        paretonym.audit(tmp_path / "nothing.csv")
    (tmp_path / "r.csv.manifest.json").unlink()
    with pytest.raises(InputError, match="nothing says which columns"):
        paretonym.audit(path)
    with pytest.raises(InputError, match="did you mean 'l-distinct'"):
        paretonym.audit(path, quasi=["age"], sensitive=["illness"], require=["l-distinkt>=2"])
    with pytest.raises(InputError, match="give original="):
        paretonym.audit(path, quasi=["age"], sensitive=["illness"], require=["t<=0.2"])


def test_an_address_is_refused_without_its_password() -> None:
    with pytest.raises(InputError) as error:
        paretonym.audit("postgresql://me:secret@127.0.0.1:1/people")
    assert str(error.value).startswith("postgresql://me@127.0.0.1:1/people: there is no connection to this")
    assert "secret" not in str(error.value)
    with pytest.raises(InputError) as error:
        paretonym.audit("mysql://me:secret@host/people")
    assert str(error.value) == (
        "mysql://…: this is an address, not a file on this machine; "
        "give a CSV or Parquet file, or a folder of them"
    )


def test_a_schema_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it were read again, a schema that is edited meanwhile would be two schemas in one verdict."""
    tables = Path(__file__).parents[3] / "examples" / "tables"
    data, schema = tables / "survey.csv", tables / "survey.toml"
    paretonym.Study(data, schema).explore("k", "loss", space="lattice")[0].release(tmp_path / "r.csv")
    read = []

    def counted(path: Path) -> Any:
        read.append(path)
        return read_schema(path)

    monkeypatch.setattr("paretonym.tables.schema.read_schema", counted)
    assert paretonym.audit(tmp_path / "r.csv", schema=schema, original=data).passed
    assert read == [schema]
