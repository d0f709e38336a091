"""Figures: the facts are the frontier's numbers, and what is drawn carries its labels."""

from __future__ import annotations

import math
import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from paretonym.base.errors import InputError
from paretonym.report.figure_facts import CHARTS, frontier_figure, parallel_figure
from paretonym.report.figures import draw
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Run, Solution


@pytest.fixture(scope="module")
def front() -> Run:
    return (
        random_table(Random(11), rows=(150, 150), quasi=(3, 4), sensitive=1)
        .study()
        .explore("k", "loss", space="lattice")
    )


@pytest.fixture(scope="module")
def wide() -> Run:
    table = random_table(Random(11), rows=(60, 60), quasi=(3, 4), sensitive=1)
    return table.study().explore("k", "l", "loss", suppress="20%", space="lattice")


def some(front: Run) -> Solution:
    return front[len(front) // 2]


def texts(svg: str) -> list[str]:
    """What can be read in a picture."""
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_frontier_facts_are_the_frontiers_numbers(front: Run) -> None:
    facts = frontier_figure(front, [front[1]], front[2])
    assert {(p.id, p.across, p.up, p.shade) for p in facts.points} == {
        (s.id, s["loss"], s["k"], s["sl"]) for s in front
    }
    assert [p.across for p in facts.points] == sorted(s["loss"] for s in front)
    assert {(mark.id, mark.chosen) for mark in facts.marks} == {(front[1].id, False), (front[2].id, True)}
    assert (facts.across.label, facts.stepped) == ("loss (%, less is better)", True)
    assert (facts.up.low, facts.up.high) == (min(s["k"] for s in front), max(s["k"] for s in front))


def test_three_objectives_are_all_shown(wide: Run) -> None:
    """Two as axes and the third as colour; then all side by side."""
    figure = frontier_figure(wide)
    assert {figure.up.name, figure.across.name, figure.shade.name} == {"k", "l", "loss"}
    assert {p.id: p.shade for p in figure.points} == {s.id: s[figure.shade.name] for s in wide}
    assert not figure.stepped
    assert figure.shade.label in texts(draw(figure).svg())
    facts = parallel_figure(wide, [wide[0]])
    assert [line.id for line in facts.lines] == [s.id for s in wide]
    assert [line.text for line in facts.lines if line.text] == [wide[0].id]
    for place, objective in enumerate(wide.objectives):
        best = max(facts.lines, key=lambda line: line.places[place])
        values = [s[objective.name] for s in wide]
        assert wide.pick(best.id)[objective.name] == (max if objective.direction == "max" else min)(values)
        assert {round(min(x.places[place] for x in facts.lines)), round(best.places[place])} <= {0, 1}


def test_the_picture_of_a_frontier_has_its_labels(front: Run) -> None:
    marked = [choice.solution for choice in front.shortlist()]
    facts = frontier_figure(front, marked, some(front))
    said = texts(draw(facts).svg())
    assert {facts.across.label, facts.up.label} <= set(said)
    for number, mark in enumerate(facts.marks, 1):
        assert f"{number}  {mark.text}" in said
    assert "suppressed rows (%)" in said


@pytest.mark.parametrize("kind", CHARTS)
def test_every_kind_is_drawn_and_saved(wide: Run, tmp_path: Path, kind: str) -> None:
    picture = wide.plot(kind, pick=some(wide).id, path=tmp_path / "figure.svg")
    assert ElementTree.parse(tmp_path / "figure.svg").getroot().tag.endswith("svg")
    picture.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert picture.svg() == wide.plot(kind, pick=some(wide).id).svg()
    assert "<script" not in picture.svg()
    assert re.search(r"\d\d:\d\d", picture.svg()) is None


def test_what_is_infinite_is_left_out() -> None:
    front = (
        random_table(Random(4), rows=(60, 60), sensitive=1)
        .study()
        .explore("delta", "loss", suppress="5%", space="lattice")
    )
    facts = frontier_figure(front)
    finite = [s for s in front if math.isfinite(s["delta"])]
    assert len(facts.points) == len(finite)
    assert draw(facts).svg()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "pie"}, "figure: unknown kind of figure 'pie'; known: frontier, parallel"),
        ({"path": "figure.bmp"}, "figure.bmp: '.bmp' is not a format for figures; give a name that ends with "
                                 ".svg, .png, .pdf"),
    ],
)  # fmt: skip
def test_refused(front: Run, options: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as error:
        front.plot(**options)  # type: ignore[arg-type]
    assert str(error.value) == said


def test_an_existing_figure_is_kept(front: Run, tmp_path: Path) -> None:
    (tmp_path / "figure.svg").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        front.plot(path=tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text() == "mine"
    for ending in ("svg", "png", "pdf"):
        path = tmp_path / f"ours.{ending}"
        front.plot(path=path)
        before = path.read_bytes()
        with pytest.raises(InputError, match=r"already exists; .*, or use force=True to replace it"):
            front.plot(path=path)
        front.plot(path=path, force=True)
        assert path.read_bytes() == before
