"""No code that nobody calls: what vulture finds is called by a framework, by users or by tests of others."""

from __future__ import annotations

from vulture import Vulture

from paretonym.base.plug_ins import GROUPS, plug_ins
from paretonym.engine.spaces import SPACES
from paretonym.tables.schema.draft.role_guess import rules
from tests.house.test_layers import PACKAGE

# Called by Python, click, pytest, IPython, FastAPI, ctypes or DuckDB, by their names.
CALLED_BY_OTHERS = (
    "__getattr__ __dir__ __init_subclass__ __class__ _repr_html_ make_metavar format_options list_commands "
    "get_command format_commands text_factory "
    "model_config requested_schema prec EVERY_MOST EVERY_SUM readinto "
    "breaks intervals popitem"
)
# Commands, requests of the page, and the doors for whoever extends or uses paretonym from Python.
ENTRANCES = (
    "demo init run_facts job static mistake malformed refused page_texts "
    "sit_measure_exam sit_search_exam SCOPES random_cuts "
    "to_polars png apply reidentified average_without "
    "of_cells of_cost danger remains"
)


def test_every_function_has_a_caller() -> None:
    search = Vulture()
    search.scavenge([str(PACKAGE)])
    unused = {item.name for item in search.get_unused_code(min_confidence=60)}
    # Properties that the rules of a draft ask for.
    asked = {value.removeprefix("not ") for rule in rules() for value in rule.values}
    # Spaces are found by their names, and what plugs in by its entry point.
    points = {point.attr for group in GROUPS for point in plug_ins(group).values()}
    unused -= asked | points | {name.upper() for name in SPACES}
    named = {*CALLED_BY_OTHERS.split(), *ENTRANCES.split()}
    assert sorted(unused - named) == []
    assert sorted(named - unused) == []
