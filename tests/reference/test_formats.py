"""The published JSON Schemas: every stored file of the golden set, and what is written now, fits them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from paretonym.study import SpaceName
from paretonym.study.explored_run import load
from paretonym.study.study import Study

ROOT = Path(__file__).parents[2]
SCHEMAS = sorted((ROOT / "docs/reference/formats").glob("*.schema.json"))
GOLDEN = ROOT / "tests/reference/data/golden"


def schema_of(form: str) -> dict[str, Any]:
    name = form.removeprefix("paretonym.").replace("/", "-")
    path = ROOT / "docs/reference/formats" / f"{name}.schema.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def documents(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.rglob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(entry, dict) and "format" in entry:
            yield path, entry


def faults(entry: dict[str, Any]) -> list[str]:
    found = jsonschema_rs.validator_for(schema_of(entry["format"])).iter_errors(entry)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in found]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_schema_is_one_and_names_its_format(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema_rs.meta.validate(schema)
    name = schema["$id"].removeprefix("urn:paretonym:")
    assert path.name == f"{name.replace('/', '-')}.schema.json"
    assert schema["properties"]["format"]["const"] == f"paretonym.{name}"


def test_every_golden_file_fits() -> None:
    seen = set()
    for path, entry in documents(GOLDEN):
        assert not faults(entry), path
        seen.add(entry["format"])
    assert {"paretonym.frontier/1", "paretonym.run/1", "paretonym.manifest/2", "paretonym.releases/1"} <= seen


def test_a_document_that_lacks_something_or_has_more_does_not_fit() -> None:
    entry = json.loads((GOLDEN / "lattice/frontier.json").read_text(encoding="utf-8"))
    assert not faults(entry)
    assert faults({**entry, "rows": -1}) == ["rows: -1 is less than the minimum of 0"]
    assert len(faults({**entry, "first_row": "Jane"})) == 1
    del entry["solutions"][0]["recoding"]
    assert len(faults(entry)) == 1


def test_every_stored_format_of_the_code_has_a_schema() -> None:
    """Digests have a name of that kind too, and are no documents."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in sources for name in re.findall(r'"paretonym\.([a-z-]+/\d)"', text)}
    digests = {"table/1", "tuples/1", "cube/1", "draw/1"}
    printed = {"report/1", "serve/1", "init/1", "manifest/1", "release/1", "measures/1"}
    have = {
        path.name.removesuffix(".schema.json").replace("-1", "/1").replace("-2", "/2") for path in SCHEMAS
    }
    assert named - digests - printed - have == set()


COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10]}},
    "city": {"role": "quasi", "hierarchy": {"flat": True}},
    "ill": {"role": "sensitive"},
    "who": {"role": "drop"},
    "home": {"role": "drop"},
    "stands_for": {"role": "drop"},
}
ROLES: dict[str, dict[str, Any]] = {
    "people": {},
    "persons": {"who": {"role": "person"}},
    "households": {"home": {"role": "household"}},
    "weights": {"stands_for": {"role": "weight", "type": "decimal"}},
}


@pytest.mark.parametrize(
    ("roles", "space"),
    [("people", "lattice"), ("people", "local"), ("people", "cuts"), ("people", "mondrian"),
     ("people", "buckets"), ("persons", "lattice"), ("households", "lattice"), ("weights", "lattice")],
)  # fmt: skip
def test_what_is_written_now_fits(roles: str, space: SpaceName, tmp_path: Path) -> None:
    """A run, a release as a file and as a folder, with their manifests."""
    table, run = tmp_path / "people.csv", tmp_path / "run"
    lines = (
        f"{20 + i % 20},{'ab'[i % 2]},{'xyz'[i % 3]},p{i // 2},h{i // 3},{1 + i % 4}.5" for i in range(80)
    )
    table.write_text("age,city,ill,who,home,stands_for\n" + "\n".join(lines) + "\n")
    study = Study(str(table), {"columns": {**COLUMNS, **ROLES[roles]}})
    options: dict[str, Any] = {"sweep": ["k=4"]} if space in ("mondrian", "buckets") else {}
    study.explore("k", "loss", space=space, **options).save(run)
    load(run)[0].release(tmp_path / "public.csv")
    if space != "buckets":
        load(run)[0].release(tmp_path / "parts")
    found = list(documents(tmp_path))
    assert {"paretonym.frontier/1", "paretonym.run/1", "paretonym.manifest/2"} == {
        e["format"] for _, e in found
    }
    for path, entry in found:
        assert not faults(entry), path
