"""Files of SPSS, Stata and SAS, written by pyreadstat: the same table as a dataframe of labels."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

from paretonym.base.errors import InputError
from paretonym.tables.source import FileForm, TableForm
from paretonym.tables.source.engines import read

pyreadstat = pytest.importorskip("pyreadstat")
FRAME = pandas.DataFrame(
    {"sex": [1.0, 2.0, 1.0], "age": [30.0, 40.0, None], "city": ["Köln", "", "x"], "w": [1.5, 2.0, 3.0]}
)
LABELS = {"sex": {1: "male", 2: "female"}, "age": {30: "thirty"}}


def cells(path: Path) -> dict[str, list[str | None]]:
    table = read(path)
    texts = {column.name: (*column.texts, None) for column in table.columns}
    every = {column.name: [texts[column.name][code] for code in column.codes] for column in table.columns}
    rows = sorted(zip(*every.values(), strict=True), key=str)
    return dict(zip(every, map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt"])
def test_a_file_is_read_as_its_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    if ending in ("sav", "zsav"):
        compressed = ending == "zsav"
        pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS, compress=compressed)
    elif ending == "dta":
        pyreadstat.write_dta(FRAME, path, variable_value_labels={"sex": LABELS["sex"]})
    else:
        pyreadstat.write_xport(FRAME, path)
    sexes = ["1", "1", "2"] if ending == "xpt" else ["female", "male", "male"]
    found = cells(path)
    assert sorted(str(sex) for sex in found["sex"]) == sexes
    assert sorted(map(str, found["age"])) == ["30", "40", "None"]
    assert sorted(map(str, found["city"])) == ["Köln", "None", "x"]
    assert sorted(map(str, found["w"])) == ["1.5", "2", "3"]
    assert FileForm.seen(path, TableForm()) == TableForm()
    counts = read(path)
    assert (counts.kind, counts.path, counts.name) == ("file", str(path), path.name)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(FRAME, path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="damaged, or of a kind that cannot be read"):
        read(path)
