"""The reports in a real browser: nothing is cut off on a screen of usual width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import paretonym as pn
from paretonym.report import tell
from paretonym.report.pages import report_page
from tests.web.conftest import PATIENCE, TABLES

TOO_WIDE = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).length"


def test_no_table_is_cut_off(chromium: Any, tmp_path: Path) -> None:
    """Two sensitive columns: the table of what is disclosed of each has long headings."""
    front = pn.Study(TABLES / "hospital.csv", TABLES / "hospital.toml").explore(
        "k", "l", "loss", suppress="5%", space="lattice"
    )
    story = tell(front, front.data, front[0].id)
    assert story.chosen is not None
    page = chromium.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(PATIENCE)
    for text in (report_page(story, "officer"), report_page(story, "public")):
        page.set_content(text)
        assert page.evaluate(TOO_WIDE) == 0
    page.close()
