"""Ready hierarchies: complete, nested, and sourced."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.study.notebook_tables import draft
from paretonym.study.study import Study
from paretonym.tables.schema import read_schema, schema_from, write_schema
from paretonym.tables.schema.draft import draft_schema
from paretonym.tables.schema.hierarchies.ready import (
    range_of,
    ready_codes,
    ready_for,
    ready_hierarchy,
    ready_matches,
)
from paretonym.tables.schema.hierarchies.tree import Tree
from paretonym.tables.source.engines import read


@pytest.mark.parametrize("name", ready_codes())
def test_every_one_has_a_source_and_words(name: str) -> None:
    entry = ready_codes()[name]
    assert entry["source"]
    kind = ready_hierarchy(name)
    if "hierarchy" in entry:
        levels = len(next(iter(entry["hierarchy"].values())))
    else:
        levels = 2 if "tree" in entry else len(entry["keep"]) + ("ranges" in entry)
    assert len(entry["words"]) == levels
    assert kind.height == levels
    assert kind.ready == name


def leaves(tree: object) -> list[str]:
    if isinstance(tree, dict):
        return [leaf for below in tree.values() for leaf in leaves(below)]
    assert isinstance(tree, list)
    return list(tree)


@pytest.mark.parametrize(("name", "number"), [("countries", 249), ("us-states", 51)])
def test_codes_are_complete_and_each_has_one_place(name: str, number: int) -> None:
    """249 officially assigned codes of ISO 3166-1; fifty states and the District of Columbia."""
    codes = leaves(ready_codes()[name]["tree"])
    assert len(codes) == len(set(codes)) == number
    assert all(len(code) == 2 and code.isupper() for code in codes)
    Tree.of(ready_codes()[name]["tree"])


def test_ranges_rise_and_do_not_overlap() -> None:
    ranges = ready_codes()["icd10"]["ranges"]
    ends = [end for each in ranges for end in each.split("-")]
    assert ends == sorted(ends)
    assert {range_of(f"{letter}10", ranges) is not None for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} == {True}
    assert (range_of("D48", ranges), range_of("D50", ranges)) == ("C00-D49", "D50-D89")
    assert (range_of("H59", ranges), range_of("H60", ranges)) == ("H00-H59", "H60-H95")
    assert range_of("100", ranges) is None


@pytest.mark.parametrize(("name", "number"), [("isco08", 43), ("nace2", 88)])
def test_ranges_hold_every_group(name: str, number: int) -> None:
    """43 sub-major groups of ISCO-08; 88 divisions of NACE Rev. 2."""
    ranges = ready_codes()[name]["ranges"]
    ends = [end for each in ranges for end in each.split("-")]
    assert ends == sorted(ends)
    assert sum(range_of(f"{code:02}", ranges) is not None for code in range(100)) == number


def test_a_lost_zero_is_noticed() -> None:
    """0110 without its zero would be a manager."""
    with pytest.raises(InputError, match="no code of isco08: 1 value"):
        shown("isco08", ["2111", "110"], 1)
    with pytest.raises(InputError, match="no code of nace2: 1 value"):
        shown("nace2", ["62.01", "111"], 1)
    with pytest.raises(InputError, match="no code of nuts: 1 value"):
        shown("nuts", ["DE212", "XX111"], 1)


def shown(name: str, values: list[str], level: int, **further: object) -> list[str]:
    column = {"role": "quasi", "hierarchy": {"ready": name}, "levels": [level, level], **further}
    front = Study(pa.table({"code": values}), {"columns": {"code": column}}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    return sorted(set(front[0].release()["code"].to_pylist()))


def test_codes_are_generalized() -> None:
    assert shown("countries", ["DE", "FR", "SE", "US"], 1) == [
        "Northern America", "Northern Europe", "Western Europe",
    ]  # fmt: skip
    assert shown("countries", ["DE", "FR", "SE", "US"], 2) == ["Americas", "Europe"]
    assert shown("us-states", ["CA", "NY"], 1) == ["Middle Atlantic", "Pacific"]
    assert shown("icd10", ["E11.9", "E11.2", "E66", "C50"], 1) == ["C50*", "E11*", "E66*"]
    assert shown("icd10", ["E11.9", "E11.2", "E66", "C50"], 2) == ["C00-D49", "E00-E90"]
    assert shown("nuts", ["DE212", "DE21", "DE300", "AT"], 1) == ["AT", "DE21*", "DE30*"]
    assert shown("nuts", ["DE212", "DE21", "DE300", "AT"], 3) == ["AT*", "DE*"]
    assert shown("isco08", ["2111", "2112", "2211", "0110"], 1) == ["01*", "21*", "22*"]
    assert shown("isco08", ["2111", "2112", "2211", "0110"], 2) == ["01-03", "21-26"]
    assert shown("nace2", ["62.01", "6202", "01.1", "35"], 1) == ["01*", "35*", "62*"]
    assert shown("nace2", ["62.01", "6202", "01.1", "35"], 2) == ["01-03", "35-35", "58-63"]


def test_a_value_that_is_no_code_is_refused_or_shown_as_the_top() -> None:
    with pytest.raises(InputError, match=r"1 value \('Atlantis'\)"):
        shown("countries", ["DE", "Atlantis"], 1)
    with pytest.raises(InputError, match="no code of icd10: 1 value"):
        shown("icd10", ["E11", "flu"], 1)
    assert shown("icd10", ["E11", "flu"], 2, unknown="top") == ["E00-E90", "other codes"]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="there is no 'icd-10'; did you mean 'icd10'"):
        ready_hierarchy("icd-10")


@pytest.mark.parametrize(
    ("column", "values", "found"),
    [
        ("state", ["CA", "DE", "IN"], "us-states"),
        ("country", ["CA", "DE", "IN"], "countries"),
        ("initials", ["CA", "DE", "IN"], None),
        ("country", ["CA", "DE", "XX"], None),
        ("country", ["CA", "DE"], None),
        ("main_diagnosis", ["E11.9", "C50", "I10"], "icd10"),
        ("main_diagnosis", ["E11.9", "C50", "flu"], None),
        ("diagnosis_year", ["2019", "2020", "2021"], None),
        ("nuts3", ["DE212", "DE300", "FR101"], "nuts"),
        ("nuts0", ["DE", "FR", "IT"], None),
        ("ISCO", ["2111", "2112", "0110"], "isco08"),
        ("isco", ["2111", "2112", "110"], None),
        ("nace_rev2", ["62.01", "01.1", "35"], "nace2"),
        ("nace", ["62.01", "04.1", "35"], None),
    ],
)
def test_init_recognizes_codes_by_name_and_values(column: str, values: list[str], found: str | None) -> None:
    assert ready_for(column, values) == found


def test_a_draft_proposes_them_for_columns_that_are_numbers_too() -> None:
    table = {"isco": [2111, 2112, 2211] * 20, "nuts3": ["DE212", "DE300", "AT130"] * 20, "n": [1, 5, 9] * 20}
    columns = draft(pa.table(table))["columns"]
    assert columns["isco"]["hierarchy"] == {"ready": "isco08"}
    assert columns["nuts3"]["hierarchy"] == {"ready": "nuts"}
    assert "ready" not in columns["n"].get("hierarchy", {})


def test_ages_and_dates_are_generalized(tmp_path: Path) -> None:
    ages = [str(age) for age in (0, 14, 15, 24, 25, 44, 64, 65, 84, 101)]
    assert shown("ages", ages, 1)[:2] == ["85+", "<5"]
    assert shown("ages", ages, 3) == ["65+", "<15", "[15, 25)", "[25, 45)", "[45, 65)"]
    assert shown("ages", ages, 4) == ["65+", "<15", "[15, 65)"]
    days = ["2023-12-31", "2024-01-01", "2024-03-31", "2031-05-05"]
    assert shown("dates", days, 2) == ["2023-Q4", "2024-Q1", "2031-Q2"]
    assert shown("dates", days, 4) == ["2020s", "2030s"]
    assert shown("dates", ["31.12.2023", "01.01.2024"], 1, format="%d.%m.%Y") == ["2023-12", "2024-01"]
    # Saved by its name.
    column = {"role": "quasi", "hierarchy": {"ready": "ages"}, "top": 90}
    schema = schema_from({"columns": {"age": column}})
    write_schema(schema, tmp_path)
    assert 'ready = "ages"' in (tmp_path / "schema.toml").read_text()
    assert read_schema(tmp_path / "schema.toml").column("age") == schema.column("age")


def test_which_columns_may_be_ages_or_dates() -> None:
    ages = [str(age) for age in range(20, 60)]
    assert ready_matches(ages) == ("ages",)
    schooling = [str(years) for years in range(25)]
    assert ready_matches(schooling) == ()
    # Few small numbers, or too large ones, may be anything.
    for texts in (ages[:10], [*ages, "131"], [*ages, "x"]):
        assert "ages" not in ready_matches(texts)
    assert ready_matches(["2024-02-28", "2024-02-29", "2024-03-01"]) == ("dates",)
    assert ready_matches(["2024-02-28", "2024-02-30", "2024-03-01"]) == ()


def test_a_draft_names_the_ready_one_beside_its_own() -> None:
    ages = [str(20 + number % 50) for number in range(200)]
    days = [f"20{10 + number % 14}-{1 + number % 12:02}-{1 + number % 28:02}" for number in range(200)]
    text = draft_schema(read(pa.table({"age": ages, "admission": days}))).text
    assert '# Or hierarchy.ready = "ages": in groups of five years, then' in text
    assert '# Or hierarchy.ready = "dates": by month, then by quarter, then by year, then by decade.' in text
    assert "hierarchy.intervals = [5, 10, 20, 40]" in text
