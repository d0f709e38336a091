"""Every answer is one line of text and a small piece of HTML, in which nothing of the data is markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas
import pytest

import paretonym as pn
from paretonym.base.notebook_view import NotebookView, evenly
from paretonym.study import Run, Study

LONGEST = 210
EVIL = "<b>x</b>"


@pytest.fixture(scope="module")
def study() -> Study:
    rows = range(240)
    columns: dict[str, Any] = {
        "age": [20 + number % 40 for number in rows],
        EVIL: [f"{EVIL}{number % 3}" for number in rows],
        "illness": [("flu", "cold", EVIL)[number % 3] for number in rows],
    }
    schema = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
            EVIL: {"role": "quasi", "hierarchy": {"flat": True}},
            "illness": {"role": "sensitive"},
        }
    }
    return pn.Study(pandas.DataFrame(columns), schema)


@pytest.fixture(scope="module")
def front(study: Study) -> Run:
    return study.explore("k", "loss", space="lattice", suppress=0)


class Tags(HTMLParser):
    """The elements of a piece of HTML, each of which must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("br", "hr", "path", "use", "meta", "image"):
            self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_answers_are_short_and_escaped(study: Study, front: Run, tmp_path: Path) -> None:
    solution = front[len(front) // 2]
    released = tmp_path / "out.csv"
    solution.release(released)
    shown = (
        study,
        front.answer(best="k", at_most={"loss": 1}),
        study.risk(),
        solution.risk(),
        solution.utility(),
        pn.audit(released),
        pn.attack(released, original=study.source, schema=study.schema),
        pn.compare({"a": front, "b": front}),
    )
    for one in shown:
        assert "\n" not in repr(one)
        assert len(repr(one)) <= LONGEST, repr(one)
        page = one._repr_html_()
        tags = Tags()
        tags.feed(page)
        assert tags.open == []
        assert EVIL not in page
        assert len(page) < 20_000
    assert "holds" in pn.audit(released)._repr_html_()


def test_a_table_is_evenly_chosen() -> None:
    page = NotebookView(["A", ""], ("n",), [(number,) for number in range(101)], ("careful",)).html()
    tags = Tags()
    tags.feed(page)
    assert tags.rows == 21
    assert "<td>0</td>" in page
    assert "<td>100</td>" in page
    assert "20 of 101 rows, evenly chosen." in page
    assert "⚠ careful" in page
    assert list(evenly(range(3), 20)) == [0, 1, 2]


def test_a_picture_shows_the_floor(study: Study) -> None:
    from paretonym.report.figure_facts import frontier_figure

    joint = study.explore("k", "loss", time=5)
    facts = frontier_figure(joint)
    assert facts.floor == tuple((joint.floor(point.up), point.up) for point in facts.points)
    assert frontier_figure(study.explore("k", "gl", space="lattice")).floor == ()
