"""Budgets: how large the house may be. A number only falls; a decision record says why one was raised."""

from __future__ import annotations

import ast
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from paretonym.engine.measures import Measure
from paretonym.engine.spaces import Space
from paretonym.interfaces.cli.commands import program
from scripts.measure_tree import body_lines
from tests.house.test_layers import FILES, PACKAGE, exported, module_name, parsed

ROOT = PACKAGE.parents[1]
# Lines of Python in each room. Why each is as high as it is: docs/decisions/0020-the-house.md.
LINES = {
    "base": 2_300,
    "tables": 13_300,
    "engine": 23_700,
    "audit": 4_800,
    "release": 2_900,
    "evidence": 3_500,
    "report": 3_700,
    "study": 2_500,
    "interfaces": 6_800,
    "research": 4_350,
}
KERNELS, PAGE = 4_650, 6_100
SOURCE_FILES = 416
DOOR = 37
SPACE_FIELDS, MEASURE_FIELDS = 8, 14
# Files that `explore --space lattice` of a CSV file enters.
TRACE = {"files": 113}
COMMANDS = (
    "demo init schema risk explore ask report release audit attack apply serve compare reproduce measures"
)
OPTIONS = {"explore": 24, "audit": 13, "report": 13, "attack": 10}
# Names that say nothing; a budget until none is left.
VAGUE = "found own each known given said asked shown kept told here there why left met meant"
VAGUE_NAMES = 175
VAGUE_OPENINGS = ("Whether ", "What ", "How ", "The same ")
LONGEST_FUNCTION = 60


def lines_of(folder: Path, *suffixes: str) -> int:
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in folder.rglob("*")
        if path.suffix in suffixes
    )


def test_each_room_has_a_budget() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == LINES.keys()
    lines = {room: lines_of(PACKAGE / room, ".py") for room in LINES}
    assert {room: number for room, number in lines.items() if number > LINES[room]} == {}


def test_lines_of_kernels_and_of_the_page() -> None:
    assert lines_of(PACKAGE, ".c", ".h") <= KERNELS
    assert lines_of(PACKAGE, ".js", ".css", ".html") <= PAGE


def test_files_of_source() -> None:
    assert len(FILES) <= SOURCE_FILES


def test_doors_are_narrow() -> None:
    packages = {module_name(path) for path in FILES if path.stem == "__init__"}
    assert [name for name in packages - {"paretonym"} if len(exported(name)) > DOOR] == []


def test_contracts_are_small() -> None:
    assert len(dataclasses.fields(Space)) <= SPACE_FIELDS
    assert len(dataclasses.fields(Measure)) <= MEASURE_FIELDS


def test_there_are_fifteen_commands() -> None:
    assert sorted(program.list_commands(click.Context(program))) == sorted(COMMANDS.split())


@pytest.mark.parametrize("command", OPTIONS)
def test_a_command_has_few_options(command: str) -> None:
    found = program.get_command(click.Context(program), command)
    assert found is not None
    names = [parameter.name for parameter in found.params if isinstance(parameter, click.Option)]
    assert len(names) <= OPTIONS[command], sorted(filter(None, names))


def test_the_way_of_a_table_is_short() -> None:
    script = ROOT / "scripts" / "trace_explore.py"
    ended = subprocess.run([sys.executable, script, "--figures"], capture_output=True, text=True, check=True)
    figures = json.loads(ended.stdout)
    assert {name: figures[name] for name in TRACE if figures[name] > TRACE[name]} == {}


def assigned(path: Path) -> list[str]:
    return [
        node.id
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def test_variables_have_names_that_say_something() -> None:
    vague = {module_name(path): sum(name in VAGUE.split() for name in assigned(path)) for path in FILES}
    assert sum(vague.values()) <= VAGUE_NAMES


def test_docstrings_begin_with_the_thing_returned() -> None:
    """Or with a verb: 'True if a text is blank', 'Rows that stay', 'Read a file'."""
    strings = [
        (f"{module_name(path)}:{node.lineno}", node.value.value)
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    assert [place for place, text in strings if str(text).lstrip().startswith(VAGUE_OPENINGS)] == []


def test_functions_fit_on_a_screen() -> None:
    """Without the signature and the docstring."""
    long = [
        f"{module_name(path)}.{node.name}"
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and body_lines(node) > LONGEST_FUNCTION
    ]
    assert long == []
