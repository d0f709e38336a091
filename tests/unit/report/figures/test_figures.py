"""Figures: the facts are the frontier's numbers, and what is drawn carries its labels."""

from __future__ import annotations

import math
import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from paretonym.errors import InputError
from paretonym.report.chart_registry import CHARTS
from paretonym.report.figure_facts import (
    frontier_figure,
    losses_figure,
    pairs_figure,
    parallel_figure,
    sizes_figure,
)
from paretonym.report.figures import draw
from paretonym.run.explored_run import Run, Solution
from paretonym.testing.random_tables import random_table


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
    assert {(p.id, p.across, p.up, p.left_out) for p in facts.points} == {
        (s.id, s["loss"], s["k"], s["sl"]) for s in front
    }
    assert [p.across for p in facts.points] == sorted(s["loss"] for s in front)
    assert {(mark.id, mark.chosen) for mark in facts.marks} == {(front[1].id, False), (front[2].id, True)}
    assert (facts.across.label, facts.stepped) == ("loss (%, less is better)", True)
    assert (facts.up.low, facts.up.high) == (min(s["k"] for s in front), max(s["k"] for s in front))


def test_pairs_and_parallel_facts(wide: Run) -> None:
    pairs = pairs_figure(wide)
    assert [(p.up.name, p.across.name) for p in pairs.panels] == [("k", "l"), ("k", "loss"), ("l", "loss")]
    assert all(len(panel.points) == len(wide) and not panel.stepped for panel in pairs.panels)
    facts = parallel_figure(wide, [wide[0]])
    assert [line.id for line in facts.lines] == [s.id for s in wide]
    assert [line.text for line in facts.lines if line.text] == [wide[0].id]
    for place, objective in enumerate(wide.objectives):
        best = max(facts.lines, key=lambda line: line.places[place])
        values = [s[objective.name] for s in wide]
        assert wide.pick(best.id)[objective.name] == (max if objective.direction == "max" else min)(values)
        assert {round(min(x.places[place] for x in facts.lines)), round(best.places[place])} <= {0, 1}


def test_release_facts(front: Run) -> None:
    solution = some(front)
    risk, described = solution.risk(), solution.describe()
    sizes, losses = sizes_figure(solution, risk), losses_figure(described)
    assert (sizes.rows, sizes.smallest, sizes.bins) == (risk.rows, risk.smallest, risk.bins())
    assert [(c.name, c.loss) for c in losses.columns] == [(c.name, c.loss) for c in described.columns]
    assert losses.loss == solution["loss"]


def test_the_picture_of_a_frontier_has_its_labels(front: Run) -> None:
    marked = [choice.solution for choice in front.shortlist()]
    facts = frontier_figure(front, marked, some(front))
    said = texts(draw(facts).svg())
    for wanted in (facts.across.label, facts.up.label, *(mark.text for mark in facts.marks)):
        assert wanted in said
    assert "suppressed rows (%)" in said


def test_labels_do_not_overlap(front: Run) -> None:
    """Also where many lie close together: every solution gets a label here."""
    drawing = draw(frontier_figure(front, front[:12]))
    figure = drawing.figure
    axes = figure.axes[0]
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    frame = axes.get_window_extent(renderer)
    assert len(boxes) == min(12, len(front))
    for place, box in enumerate(boxes):
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])


@pytest.mark.parametrize("kind", CHARTS)
def test_every_kind_is_drawn_and_saved(wide: Run, tmp_path: Path, kind: str) -> None:
    picture = wide.plot(kind, pick=some(wide).id, path=tmp_path / "figure.svg")
    assert ElementTree.parse(tmp_path / "figure.svg").getroot().tag.endswith("svg")
    picture.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert picture.svg() == wide.plot(kind, pick=some(wide).id).svg()
    assert "<script" not in picture.svg()
    assert re.search(r"\d\d:\d\d", picture.svg()) is None


def test_every_axis_has_a_name_with_its_unit(wide: Run) -> None:
    solution = some(wide)
    for facts in (sizes_figure(solution, solution.risk()), losses_figure(solution.describe())):
        for axes in draw(facts).figure.axes:
            assert axes.get_xlabel()
    assert "share of all people shown (%)" in texts(draw(sizes_figure(solution, solution.risk())).svg())


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
        ({"kind": "pie"}, "figure: unknown kind of figure 'pie'; known: frontier, losses, pairs, "
                          "parallel, sizes"),
        ({"kind": "sizes"}, "figure: 'sizes' is about one release; choose it with pick"),
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
