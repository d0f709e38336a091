"""What releases are for: declared in a real browser, written as a schema, and asked of the frontier."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from paretonym.study import Study
from paretonym.tables.schema import read_schema, schema_from, toml_of
from tests.web.conftest import Server, Tab, serious

COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 20]}},
    "area": {"role": "quasi", "hierarchy": {"tree": {"north": ["a", "b"], "south": ["c", "d"]}}},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}},
    "pay": {"role": "sensitive", "level": 0},
}
PURPOSE = [
    {"name": "gap", "regression": "pay ~ age + age:sex", "tolerance": {"ci-overlap": 0.3, "sign-kept": 1}},
    {"name": "gap", "table": ["area", "sex"], "tolerance": {"table-error": 0.2}},
    {"name": "middle", "quantile": ["age", 0.25], "by": ["sex"], "tolerance": {"quantile-error": 2}},
]


def write_table(path: Path) -> None:
    draw, lines = Random(38), ["age,area,sex,pay"]
    for _ in range(300):
        age, area, sex = draw.randint(20, 59), draw.choice("aabcd"), draw.choice("mf")
        lines.append(f"{age},{area},{sex},{round(age / 8 + 2 * (sex == 'm') + draw.gauss(0, 1))}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def analysis(page: Any, number: int) -> Any:
    return page.locator("#purposes .analysis").nth(number)


def saved_schema(page: Any, path: Path) -> Path:
    page.evaluate("document.querySelector('#saved').replaceChildren()")
    page.click("#save-schema")
    with page.expect_download() as download:
        page.click("#saved a:has-text('.toml')")
    download.value.save_as(path)
    return path


def declare(page: Any) -> None:
    """Write the three analyses into the form, with mistakes on the way."""
    page.click("#add-analysis")
    first = analysis(page, 0)
    first.get_by_label("Purpose:").fill("gap")
    first.get_by_label("Kind of analysis").select_option("regression")
    first.get_by_label("explain").select_option("pay")
    first.get_by_label("by", exact=True).fill("agee + age:sex")
    page.wait_for_selector("#purposes .wrong:has-text(\"there is no column 'agee'; did you mean 'age'\")")
    assert page.locator("#run").is_disabled()
    first.get_by_label("by", exact=True).fill("age + age:sex")
    first.get_by_label("What share of the significant").fill("1")
    first.get_by_label("How far do the confidence intervals").fill("3")
    page.wait_for_selector("#purposes .wrong:has-text('give a number from 0 to 1')")
    first.get_by_label("How far do the confidence intervals").fill("0.3")
    page.wait_for_selector("#purposes .analysis .wrong:not(:empty)", state="detached")
    page.click("#add-analysis")
    second = analysis(page, 1)
    assert second.get_by_label("Purpose:").input_value() == "gap"
    second.get_by_label("of: add a column").select_option("area")
    second.get_by_label("of: add a column").select_option("age")
    second.get_by_label("of: add a column").select_option("sex")
    second.get_by_label("Remove age").click()
    second.get_by_label("How far are the shares").fill("0.2")
    page.click("#add-analysis")
    third = analysis(page, 2)
    third.get_by_label("Purpose:").fill("middle")
    third.get_by_label("Kind of analysis").select_option("quantile")
    third.get_by_label("of", exact=True).select_option("age")
    third.get_by_label("share below it").fill("0.25")
    third.get_by_label("for each: add a column").select_option("sex")
    third.get_by_label("interquartile ranges").fill("2")
    page.click("#add-analysis")
    page.wait_for_selector("#purposes .wrong:has-text('the table is of no column')")
    page.locator("[aria-label='Remove this analysis']").last.click()
    page.locator("#run:enabled").wait_for()


def test_a_purpose_from_the_form_to_its_answer(
    start: Callable[..., Server], tab: Callable[..., Tab], tmp_path: Path
) -> None:
    write_table(tmp_path / "people.csv")
    plain, wanted = tmp_path / "plain.toml", toml_of(schema_from({"columns": COLUMNS, "purpose": PURPOSE}))
    plain.write_text(toml_of(schema_from({"columns": COLUMNS})), encoding="utf-8")
    opened = tab(start())
    page = opened.page
    page.set_input_files("#file", tmp_path / "people.csv")
    page.wait_for_selector("#load-schema")
    page.set_input_files("#load-schema", plain)
    page.locator("#run:enabled").wait_for()
    declare(page)
    assert serious(page) == []
    # The file is what Python writes, and is the same form again.
    made = saved_schema(page, tmp_path / "made.toml")
    assert toml_of(read_schema(made)) == wanted
    page.set_input_files("#load-schema", plain)
    page.wait_for_selector("#purposes .analysis", state="detached")
    page.set_input_files("#load-schema", made)
    page.locator("#purposes .analysis").nth(2).wait_for()
    page.locator("#run:enabled").wait_for()
    again = saved_schema(page, tmp_path / "again.toml")
    assert toml_of(read_schema(again)) == wanted
    # The frontier knows them, and answers as Python does.
    page.select_option("#suppress", "0.05")
    page.click("#run")
    page.wait_for_selector("#achieve")
    front = Study(tmp_path / "people.csv", made).explore("k", "loss", suppress="5%")
    for purpose in ("gap", "middle"):
        reply = front.purpose(purpose)
        page.select_option("#asked-purpose", purpose)
        page.click("#achieve")
        page.locator("#achieved > p", has_text=f"'{purpose}' is").wait_for()
        assert page.locator("#achieved > p").inner_text() == str(reply)
        shown = reply.best or reply.misses[0].trial
        assert page.locator("#achieved details").count() == len(shown.results)
    assert serious(page) == []
    assert opened.faults == []
