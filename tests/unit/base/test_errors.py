"""Messages name fields, and every interface writes them in its own way."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.base.errors import (
    Bug,
    ColumnPlace,
    Field,
    InputError,
    NoSolution,
    ParetonymError,
    Problem,
    Remark,
    in_python,
    phrased,
)
from paretonym.engine.spaces import owned_parameters
from paretonym.interfaces.cli.commands import STEPS
from paretonym.interfaces.cli.option_flags import flags_of, in_shell
from paretonym.interfaces.web.problem_json import LABELS, problems_json
from paretonym.interfaces.web.request_models import Explore
from paretonym.release.release_log import SecondRelease

SOURCE = Path(pn.__file__).parent
FLAG = re.compile(r"--[a-z]")
# Python has them as parameters of methods, or asks in another way.
OF_METHODS = {
    "pick",
    "purpose",
    "checklists",
    "withdraw",
    "best",
    "allow_unproven",
    "force",
    "allow_second_release",
    "out",
    "figure",
    "figures",
    "rows",
    "certain",
    "files",
    "decimal",
    "language",
}
# Parameters of Python that are several options of a command.
OF_PYTHON = {"rules", "target", "regression", "level"}
# Fields of the server, and of the condition that only the command line reads as a text.
OF_THE_COMMAND = {"host", "port", "expose", "where", "update", "changes"}


def of_command_line(path: Path) -> bool:
    """True for what phrases commands: also a command that plugs in."""
    return "cli" in path.relative_to(SOURCE).parts or path.stem.endswith("_command")


def constants() -> Iterator[tuple[Path, ast.Constant]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if not of_command_line(path):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            yield from ((path, node) for node in ast.walk(tree) if isinstance(node, ast.Constant))


def fields() -> set[str]:
    """The names in `Field("…")` all over the library; the page calls it `Option`."""
    found: set[str] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        called = ("Field",) if of_command_line(path) else ("Field", "Option")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in called:
                found |= {str(a.value) for a in node.args[:1] if isinstance(a, ast.Constant)}
    return found


def test_flags_belong_to_the_command_line() -> None:
    flags = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path, node in constants()
        if isinstance(node.value, str) and FLAG.search(node.value)
    ]
    assert flags == []


def test_every_field_is_an_option_of_some_command() -> None:
    known = {name for command in STEPS for name in flags_of(command)}
    known |= {name for options in owned_parameters().values() for name in options}
    known.add("box")  # --set box.MEASURE=SIDE
    assert len(fields()) > 30
    assert fields() - OF_PYTHON <= known


def test_every_field_is_a_parameter_of_python() -> None:
    methods = (pn.Study.explore, pn.Study.risk, pn.Run.report)
    functions = (
        pn.Study,
        *methods,
        pn.Solution.utility,
        pn.audit,
        pn.attack,
        pn.compare,
        pn.load,
    )
    known = {name for function in functions for name in inspect.signature(function).parameters}
    # A sheet of a workbook is a table to Python.
    asked = {"table" if name == "sheet" else name for name in fields()}
    known |= {name for options in owned_parameters().values() for name in options}
    assert asked - known - OF_METHODS - OF_THE_COMMAND == set()


def test_a_sheet_is_called_as_each_interface_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Field("sheet", "Fälle 2023")
    assert in_python(sheet) == "table='Fälle 2023'"
    monkeypatch.setattr("sys.argv", ["paretonym", "explore"])
    assert in_shell(sheet) == "--sheet 'Fälle 2023'"


def test_what_is_wrong_with_many_columns_alike_is_said_once() -> None:
    def error(number: int) -> InputError:
        columns = [ColumnPlace("s.toml", f"v{n}") for n in range(number)]
        return InputError(
            [
                *(Problem(place, "its role is undecided", "decide") for place in columns),
                Problem("s.toml", "no column has the role quasi", "set one"),
            ]
        )

    assert len(str(error(5)).splitlines()) == 6
    assert str(error(6)) == (
        "s.toml, each of 6 columns ('v0', 'v1', 'v2', 'v3', 'v4', 'v5'): its role is undecided; decide\n"
        "s.toml: no column has the role quasi; set one"
    )
    assert "'v19' and 280 more): its role is undecided; decide" in str(error(300))
    assert len(error(300).problems) == 301


def test_the_page_has_the_fields_that_it_labels() -> None:
    # A limit names its field by its side.
    assert set(LABELS) <= set(Explore.model_fields) & (fields() | {"at_least", "at_most"})
    script = (SOURCE / "interfaces" / "web" / "static" / "question.js").read_text(encoding="utf-8")
    assert all(f"\n  {name}: " in script for name in LABELS)


def test_one_message_for_three_interfaces() -> None:
    wrong = f"it needs {Field('schema')}, and {Field('suppress', '0.01')} is given"
    problem = Problem(Field("at_least", "k=5"), wrong, f"give {Field('force', True)}")
    assert (problem.field, problem.value, problem.column) == ("at_least", "k=5", None)
    assert str(problem) == "at_least='k=5': it needs schema=, and suppress=0.01 is given; give force=True"
    assert problem.said(in_shell) == (
        "--at-least k=5: it needs --schema, and --suppress 0.01 is given; give --force"
    )
    (entry,) = problems_json([problem])
    assert (entry["field"], entry["column"]) == ("at_least", None)
    assert entry["text"] == (
        "“every release must have” k=5: it needs “schema”, and “rows that may be suppressed” 0.01 is given; "
        "give “force”"
    )


def test_flags_that_are_called_otherwise() -> None:
    assert in_shell(Field("settings", "l-recursive.c=2")) == "--set l-recursive.c=2"
    assert in_shell(Field("files")) == "FILE"
    assert in_shell(Field("require", "k>=5")) == "--require 'k>=5'"


def test_a_problem_knows_its_column() -> None:
    problem = Problem(ColumnPlace("x.toml", "age").inside("sets.csv").inside("line 3"), "wrong", "fix it")
    assert (problem.column, problem.field) == ("age", "hierarchy")
    assert str(problem) == "x.toml, column 'age', sets.csv, line 3: wrong; fix it"


def test_an_answer_that_is_no() -> None:
    error = NoSolution(f"Nothing. Give more time with {Field('time')}.")
    assert str(error) == "Nothing. Give more time with time=."
    assert error.said(in_shell) == "Nothing. Give more time with --time."


@pytest.mark.parametrize("text", ["\x02suppress", "\x02Suppress\x1f\x03", "a\x1fb\x03"])
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert phrased(text) == text


def test_python_is_told_in_its_own_words_of_a_second_release(tmp_path: Path) -> None:
    error = InputError.of(
        Field("pick"), "another release was made", f"give {Field('allow_second_release', True)}"
    )
    assert str(error) == "pick: another release was made; give allow_second_release=True"


def test_a_remark_reads_as_python_says_it() -> None:
    """Marks of fields never reach whoever prints a remark; other interfaces phrase them anew."""
    remark = Remark(f"see {Field('time', '60s')}")
    assert remark == "see time='60s'"
    assert remark.said(lambda field: f"--{field.name} {field.value}") == "see --time 60s"


def _fail(path: str) -> int:
    if path.startswith("bad"):
        raise InputError.of(Field("data", path), "this file does not exist", f"give {Field('data')}")
    return len(path)


def test_errors_survive_a_process_pool() -> None:
    """One bad path must not lose the healthy jobs."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        bad, good = pool.submit(_fail, "bad.csv"), pool.submit(_fail, "good.csv")
        with pytest.raises(InputError) as error:
            bad.result()
        assert good.result() == 8
    assert error.value.problems[0].field == "data"
    assert error.value.said(in_shell) == "DATA bad.csv: this file does not exist; give DATA"


@pytest.mark.parametrize(
    "error",
    [
        InputError([Problem(ColumnPlace("s.toml", "age").inside("hierarchy"), "not nested", "mend it")]),
        SecondRelease.of("x", "released before", f"give {Field('force', True)}"),
        NoSolution(f"nothing has {Field('at_least', 'k=5')}", (1, 2)),
        Bug("impossible"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_copied_whole(error: ParetonymError) -> None:
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert vars(copied) == vars(error)
