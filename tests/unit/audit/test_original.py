"""An original that was counted says the same as its rows: in audits of honest and of forged releases, and in
attacks."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest

import paretonym
from paretonym.audit import Audit
from paretonym.audit.original import read_original
from paretonym.base.errors import InputError
from paretonym.study import SpaceName
from paretonym.study.study import Study

SCHEMA: dict[str, Any] = {
    "missing": "drop",
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 2}, "importance": 2},
        "illness": {"role": "sensitive"},
        "note": {"role": "other", "kept": "yes"},
    },
}
SPACES: dict[str, dict[str, Any]] = {
    "lattice": {"suppress": 0.1},
    "cuts": {"suppress": 0.1, "evaluations": 200},
    "mondrian": {"sweep": "k=3,6"},
    "buckets": {"sweep": "l=2", "method": "anatomy"},
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows that repeat, some without a value."""
    draw, path = Random(4), tmp_path_factory.mktemp("people") / "people.csv"
    lines = ["id,age,zip,illness,note"]
    for number in range(150):
        age = "" if draw.random() < 0.04 else str(20 + int(draw.random() ** 2 * 20))
        cells = (age, draw.choice(["10", "11", "20", "21"]), draw.choice("abc"), draw.choice(["", "=x"]))
        lines.append(",".join((f"p{number}", *cells)))
    path.write_text("\n".join([*lines, ""]))
    return path


def both(found: Any, path: Path, **options: Any) -> list[Any]:
    """The findings beside a file, and beside a dataframe of the same texts."""
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    return [_rounded(as_dict(found(original=data, schema=SCHEMA, **options))) for data in (path, frame)]


def as_dict(result: Any) -> dict[str, Any]:
    return result.to_dict() if isinstance(result, Audit) else result.as_json()


def _rounded(entry: Any) -> Any:
    """Sums in parallel differ in their last bit from one time to the next."""
    if isinstance(entry, dict):
        return {key: _rounded(value) for key, value in entry.items()}
    if isinstance(entry, list):
        return [_rounded(value) for value in entry]
    return float(f"{entry:.12g}") if isinstance(entry, float) else entry


@pytest.mark.parametrize("space", SPACES)
def test_counted_rows_say_what_rows_say(space: SpaceName, people: Path, tmp_path: Path) -> None:
    study = Study(people, SCHEMA)
    objectives = ("privacy-loss", "utility-loss") if space in ("mondrian", "buckets") else ("k", "loss")
    front = study.explore(*objectives, space=space, **SPACES[space])
    release = tmp_path / "r.csv"
    front[len(front) // 2].release(release)
    rows, counts = both(lambda **given: paretonym.audit(release, **given), people)
    assert rows == counts
    assert rows["passed"]
    for forged in forgeries(release, Random(1)) if space == "lattice" else ():
        rows, counts = both(lambda **given: paretonym.audit(release, **given), people)
        assert rows == counts, forged
        assert not rows["passed"], forged


def forgeries(release: Path, draw: Random) -> Any:
    """The release with one row less, with one row twice, and with the illnesses of two rows exchanged."""
    honest = release.read_text()
    header, *lines = honest.splitlines()
    first, second = draw.sample(range(len(lines)), 2)
    shorter, longer = lines[:first] + lines[first + 1 :], sorted([*lines, lines[second]])
    cells = [line.split(",") for line in lines]
    other = next(n for n, each in enumerate(cells) if each[2] != cells[first][2])
    cells[first][2], cells[other][2] = cells[other][2], cells[first][2]
    for name, forged in (("less", shorter), ("more", longer), ("moved", [",".join(each) for each in cells])):
        release.write_text("\n".join([header, *forged, ""]))
        yield name
    release.write_text(honest)


def test_entries_stand_for_rows(people: Path) -> None:
    from paretonym.tables.schema import schema_from, wanted_of
    from paretonym.tables.source import Counts
    from paretonym.tables.source.engines import open_source

    counted = open_source(str(people), wanted_of(schema_from(SCHEMA)), engine="duckdb")
    assert isinstance(counted, Counts)
    found = read_original(lambda *_: counted, schema_from(SCHEMA), added=False)
    assert len(found.counts) < found.rows < 150


def test_too_many_different_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from paretonym.tables.source import dictionary_encoding as counting_engine

    monkeypatch.setattr(counting_engine, "CELL_BYTES", 1 << 20)
    path = tmp_path / "people.csv"
    path.write_text("id,age,zip,illness,note\n" + "".join(f"{n},{n},10,a,\n" for n in range(60)))
    study = Study(path, SCHEMA)
    release = tmp_path / "r.csv"
    study.explore("k", "loss", suppress=0, space="lattice")[0].release(release)
    with pytest.raises(InputError) as refused:
        paretonym.audit(release, original=path, schema=SCHEMA, engine="duckdb", memory="64MiB")
    assert "more than 15 different rows in the columns that are counted" in str(refused.value)
    assert "give more memory=" in str(refused.value)


def test_the_original_may_be_a_sheet_of_a_workbook(tmp_path: Path) -> None:
    ages = pandas.DataFrame({"age": [20 + n % 6 for n in range(30)], "ill": ["yn"[n % 2] for n in range(30)]})
    with pandas.ExcelWriter(tmp_path / "people.xlsx") as book:
        ages.iloc[:12].to_excel(book, sheet_name="2023", index=False)
        ages.to_excel(book, sheet_name="2024", index=False)
    columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [3]}}, "ill": {"role": "sensitive"}}
    schema: dict[str, Any] = {"columns": columns}
    original = tmp_path / "people.xlsx"
    study = Study(original, schema, table="2024")
    path = study.explore("k", "loss", suppress=0, space="lattice")[0].release(tmp_path / "public.csv")
    assert paretonym.audit(path, schema=schema, original=original, table="2024")
    assert not paretonym.audit(path, schema=schema, original=original, table="2023")
    with pytest.raises(InputError, match="only a database has tables, and a workbook sheets"):
        paretonym.audit(path, table="2024")
