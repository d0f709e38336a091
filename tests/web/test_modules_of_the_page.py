"""Single modules of the page, run in the browser beside what Python says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import paretonym
from paretonym.engine.frontier.dominance import Scale
from paretonym.engine.measures.formatting import is_share, measured
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.source.example_data import example_path
from tests.web.conftest import Server, Tab, drawn

STATIC = Path(paretonym.__file__).parent / "interfaces" / "web" / "static"


def test_no_module_imports_itself_through_others() -> None:
    """Every module waits for the texts before it runs: in a circle they would wait for each other."""
    imports = {
        path.name: re.findall(r'\bfrom "\./([\w.-]+)"', path.read_text(encoding="utf-8"))
        for path in STATIC.glob("*.js")
    }
    assert any(imports.values())
    TopologicalSorter(imports).prepare()


@pytest.fixture(scope="module")
def page(usual: Any, server: Server) -> Iterator[Any]:
    """Nothing here changes it."""
    opened = Tab(usual, server)
    yield drawn(opened.page)
    opened.leave()


def test_values_are_written_as_everywhere(page: Any) -> None:
    values = [("k", 12345.0), ("k", 5.0), ("loss", 0.0843), ("loss", 1.0), ("l", 2.5), ("l", 2.652173913)]
    values += [("t", 0.5), ("sl", 0.0), ("l", 7.0)]
    asked = [{"share": is_share(name), "value": value} for name, value in values]
    script = """async (asked) => {
      const { written } = await import('/static/scales.js');
      return asked.map((one) => written(one, one.value));
    }"""
    assert page.evaluate(script, asked) == [measured(name, value) for name, value in values]


@pytest.mark.parametrize(
    ("low", "high", "logarithmic"), [(1, 30162, True), (0, 1, False), (0.2, 0.21, False)]
)
def test_scales_agree_and_lead_back(page: Any, low: float, high: float, logarithmic: bool) -> None:
    generator = Random(3)
    values = [low, high, *(generator.uniform(low, high) for _ in range(20))]
    script = """async ([values, low, high, logarithmic]) => {
      const { Scale } = await import('/static/scales.js');
      const scale = new Scale(low, high, logarithmic);
      const places = values.map((value) => scale.place(value));
      return [places, places.map((place) => scale.value(place)), scale.ticks(6)];
    }"""
    places, back, ticks = page.evaluate(script, [values, low, high, logarithmic])
    own = Scale(low, high, logarithmic)
    assert places == pytest.approx([own.place(value) for value in values])
    assert back == pytest.approx(values)
    assert 2 <= len(ticks) <= 7
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)


@pytest.mark.parametrize(
    ("value", "place"), [(800, 0.5), (0.25, 0.25), (1, 1.0), (0, 0.0)], ids=["count", "share", "all", "none"]
)
def test_a_single_value_has_a_scale_that_means_something(page: Any, value: float, place: float) -> None:
    """A frontier of one release: its count lies in the middle, its share where shares lie."""
    script = """async (value) => {
      const { scaleOver } = await import('/static/scales.js');
      const scale = scaleOver([Float64Array.of(value)], true);
      return [scale.place(value), scale.value(0), scale.value(1)];
    }"""
    found, low, high = page.evaluate(script, value)
    assert found == place
    assert low < high
    assert value > 1 or (low, high) == (0, 1)


def test_trees_survive_being_edited(page: Any) -> None:
    """Every tree of the example, as lines to edit and read again, means the same."""
    mapping = tomllib.loads(example_path("adult.toml").read_text(encoding="utf-8"))
    trees = {n: c["hierarchy"] for n, c in mapping["columns"].items() if "tree" in c.get("hierarchy", {})}
    assert len(trees) >= 4
    script = """async (trees) => {
      const { KINDS } = await import('/static/hierarchies.js');
      const again = (one) => KINDS.tree.read(KINDS.tree.write(one));
      return Object.fromEntries(Object.entries(trees).map(([name, one]) => [name, again(one)]));
    }"""
    for name, hierarchy in page.evaluate(script, trees).items():
        mapping["columns"][name]["hierarchy"] = hierarchy
    before = schema_from(tomllib.loads(example_path("adult.toml").read_text(encoding="utf-8")))
    assert schema_from(mapping) == before


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"intervals": [5, 10, 20]},
        {"breaks": [[10, 20, 50], [20]]},
        {"mask": 5},
        {"keep": [3, 1]},
        {"date": ["month", "year"]},
        {"flat": True},
        {"ready": "countries"},
    ],
)
def test_other_kinds_too(page: Any, hierarchy: dict[str, Any]) -> None:
    script = """async (one) => {
      const { KINDS, kindOf } = await import('/static/hierarchies.js');
      const kind = KINDS[kindOf(one)];
      return kind.read(kind.write(one));
    }"""
    assert page.evaluate(script, hierarchy) == hierarchy
