"""A person's path: from an Excel workbook with German decimals to an audited release, without a shell and
without writing a schema."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import openpyxl

import paretonym as pn
from tests.web.conftest import Server, Tab, column, drawn, serious

LANDS = ("Bayern", "Berlin", "Bremen", "Hamburg", "Hessen", "Sachsen")


def workbook(path: Path) -> None:
    """Two sheets; in the second one, numbers are texts with a decimal comma."""
    book, chance = openpyxl.Workbook(), Random(4)
    book.active.title = "Hinweise"
    book.active.append(["Stand", "Quelle"])
    book.active.append(["2024", "Klinik"])
    sheet = book.create_sheet("Patienten")
    sheet.append(["patient_id", "alter", "bundesland", "groesse", "diagnose"])
    for n in range(240):
        height = f"{chance.uniform(150, 200):.1f}".replace(".", ",")
        illness = chance.choice(["Asthma", "Grippe", "Migräne"])
        sheet.append([f"P{n:04}", chance.randint(20, 79), chance.choice(LANDS), height, illness])
    book.save(path)


def test_from_a_workbook_to_an_audited_release(
    tab: Callable[..., Tab], start: Callable[..., Server], tmp_path: Path
) -> None:
    workbook(tmp_path / "klinik.xlsx")
    opened = tab(start(), viewport={"width": 1280, "height": 900})
    page, keys = opened.page, opened.page.keyboard
    page.set_input_files("#file", tmp_path / "klinik.xlsx")
    # The other sheet; its decimal comma is found, and its first rows are as they should be.
    page.wait_for_selector("#reading-sheet")
    page.select_option("#reading-sheet", "Patienten")
    page.wait_for_selector("#preview th:has-text('bundesland')")
    assert page.input_value("#reading-decimal") == ","
    assert "," not in page.locator("#preview tbody tr td:nth-child(4)").first.inner_text()
    # Roles, a tree by the keyboard, bands by moving breaks.
    for name, role in (("patient_id", "identifier"), ("groesse", "quasi"), ("diagnose", "sensitive")):
        page.select_option(f"#column-{name}", role)
    tree = column(page, "bundesland").locator("[role=tree]")
    page.get_by_label("Kind of hierarchy of bundesland", exact=True).select_option("tree")
    tree.locator("[role=treeitem]").first.focus()
    for key in ("Space", "Shift+ArrowDown", "Shift+ArrowDown", "g"):
        keys.press(key)
    keys.type("Nord")
    keys.press("Enter")
    for name in ("alter", "groesse"):
        slider = column(page, name).locator("[role=slider]").first
        page.get_by_label(f"Kind of hierarchy of {name}", exact=True).select_option("breaks")
        slider.focus()
        keys.press("ArrowLeft")
    page.wait_for_selector("#verdict:has-text('No problem found')")
    assert serious(page) == []
    page.click("#run")
    drawn(opened.page)
    # A release: chosen, compared, downloaded, audited.
    page.locator("#shortlist button").first.click()
    page.wait_for_selector("#take-csv")
    page.locator("#utility > summary").click()
    page.wait_for_selector("#utility-summary:has-text('Shares of single values')")
    page.locator("#risk > summary").click()
    page.wait_for_selector("#risk-summary:has-text('The table as it is, before any release')")
    assert serious(page) == []
    page.click("#take-csv")
    page.wait_for_selector(".audited:has-text('checks hold')")
    files = saved(page, ".files a", tmp_path)
    assert opened.faults == []
    release, manifest = files
    assert pn.audit(release).passed
    assert manifest.name == f"{release.name}.manifest.json"
    text = release.read_text(encoding="utf-8")
    assert "P0001" not in text


def saved(page: Any, links: str, folder: Path) -> list[Path]:
    """The files behind some links, saved by the browser."""
    found = []
    for link in page.locator(links).all():
        with page.expect_download() as download:
            link.click()
        found.append(folder / download.value.suggested_filename)
        download.value.save_as(found[-1])
    return found
