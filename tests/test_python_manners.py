"""Python manners: the exceptions that people expect, warnings, a logger, types that catch a wrong name."""

from __future__ import annotations

import copy
import logging
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

import paretonym as pn
from paretonym.base import extras
from paretonym.engine.spaces import SPACES
from paretonym.research.exams.random_tables import random_table
from paretonym.study import SearchName, SpaceName


@pytest.fixture(scope="module")
def front() -> pn.Run:
    return random_table(Random(5)).study().explore("k", "loss", space="lattice")


def test_a_mistake_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown space 'latice'; did you mean 'lattice'"):
        random_table(Random(5)).study().explore(space="latice")  # type: ignore[arg-type]


def test_what_is_not_installed_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras.EXTRAS, "web", ("the web server", ("there_is_no_such_module",)))
    with pytest.raises(ImportError, match=r"pip install 'paretonym\[web\]'") as error:
        extras.require("web", "serve")
    assert isinstance(error.value, pn.MissingExtra)


def test_an_unknown_name_is_a_key_error(front: pn.Run) -> None:
    for look_up in (
        lambda: front[0]["los"],
        lambda: front.pick("zzz"),
        lambda: pn.example("adults"),
    ):
        with pytest.raises(KeyError) as error:
            look_up()
        assert isinstance(error.value, pn.UnknownName)
        assert not str(error.value).startswith("'solution"), "a KeyError would quote its text"
    with pytest.raises(KeyError, match="'los' was not measured; did you mean 'loss'"):
        front[0]["los"]


def test_errors_travel_between_processes() -> None:
    for kind in (pn.InputError, pn.MissingExtra, pn.UnknownName):
        error = kind.of("here", "wrong", "fix it")
        for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
            assert type(copied) is kind
            assert str(copied) == "here: wrong; fix it"


def test_what_limits_an_answer_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from paretonym.engine.spaces import exploration

    def refuse(*args: Any, **options: Any) -> Any:
        if args[2].space == "local":
            raise pn.InputError.of("space", "it is out of order", "repair it")
        return by_method(*args, **options)

    by_method = exploration._by_method
    monkeypatch.setattr(exploration, "_by_method", refuse)
    study = random_table(Random(5)).study()
    with pytest.warns(pn.ParetonymWarning, match="The method local is left out: it is out of order") as seen:
        study.explore("k", "loss")
    assert seen[0].filename == __file__, "the line of the caller is named"
    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.explore("k", "loss", remark=told.append)
    assert told == ["The method local is left out: it is out of order."]


def test_the_root_logger_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    before = list(logging.root.handlers), logging.root.level
    with caplog.at_level(logging.INFO):
        random_table(Random(5)).study().explore("k", "loss")
    assert (list(logging.root.handlers), logging.root.level) == before
    assert {record.name for record in caplog.records} <= {"paretonym"}


def test_a_study_is_one_line_without_clutter() -> None:
    study = pn.example("adult")
    assert repr(study) == "<Study: the example Adult, 15 columns; 8 quasi, 1 sensitive, 6 drop>"
    public = [name for name in dir(study) if not name.startswith("_")]
    assert public == ["apply", "explore", "publish", "release", "review", "risk"]


def test_values_never_change(front: pn.Run) -> None:
    values: Any = front[0].values
    changes: tuple[Callable[[], object], ...] = (
        lambda: values.__setitem__("k", 99),
        lambda: values.update(k=99),
        lambda: values.pop("k"),
        lambda: values.clear(),
    )
    for change in changes:
        with pytest.raises(TypeError, match="never change"):
            change()
    assert pickle.loads(pickle.dumps(front)) == copy.deepcopy(front) == front


def test_types_list_what_there_is() -> None:
    assert set(get_args(SpaceName)) == {*SPACES}
    searches = {search for space in SPACES.values() for search in space.searches}
    assert set(get_args(SearchName)) == searches


SNIPPET = """
import paretonym as pn

study = pn.example("adult")
study.explore("k", "loss", space="lattice")
study.explore("k", "loss", space="latice")
study.explore("k", "loss", space="cuts", search="nsga3")
pn.Column("age", "quasi", {"intervals": [5, 10]}, missing="drop")
pn.Column("age", "quasy")
pn.Column("age", "quasi", {"intervalls": [5, 10]})
pn.Column("age", "quasi", missing="forget")
"""


@pytest.mark.slow
def test_a_wrong_name_fails_in_mypy(tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text(SNIPPET)
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent"]
    further = ["--config-file", str(root / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    ended = subprocess.run(
        [*command, *further, str(tmp_path / "snippet.py")],
        capture_output=True, text=True, check=False, cwd=root,
    )  # fmt: skip
    lines = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if "error:" in line}
    misspelled = ("latice", "nsga3", "quasy", "intervalls", "forget")
    listed = enumerate(SNIPPET.splitlines(), 1)
    wrong = {number for number, line in listed if any(word in line for word in misspelled)}
    assert lines == wrong, ended.stdout + ended.stderr
