"""A library that is missing, broken, or another one: one clear error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paretonym.engine.counts import kernel_library as library

PROGRAM = """
import numpy as np
from paretonym.engine.counts import kernel_library as library
from paretonym.base.errors import InputError
levels, places = np.zeros((2, 3), dtype=np.int64), np.zeros(2, dtype=np.int64)
try:
    library.call("first_above", 2, 2, 3, levels, levels, places)
except InputError as error:
    print(error)
"""
EXPLORE = """
import sys
from paretonym.interfaces.cli.main import main
sys.argv = ["paretonym", "explore", "rows.csv", "--schema", "rows.toml", "-o", "run"]
main()
"""
WRONG = "paretonym: its compiled kernels cannot be used: "
REMEDY = "; install it again: pip install ."
ROWS = "age,sex\n" + "".join(f"{20 + i % 9},{'fm'[i % 2]}\n" for i in range(40))
SCHEMA = "".join(
    f'[columns.{name}]\nrole = "quasi"\nhierarchy = {{ flat = true }}\n' for name in ("age", "sex")
)


def asked(program: str, switch: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {library.SWITCH: switch, "XDG_STATE_HOME": str(folder / "state")},
    )


def built() -> bytes:
    for name in library.NAMES:
        if (library.FOLDER / name).is_file():
            return (library.FOLDER / name).read_bytes()
    raise AssertionError("the kernels were not built")


@pytest.mark.parametrize("content", [None, b"", b"no library at all"], ids=["nothing", "empty", "text"])
def test_a_path_without_a_library(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.so"
    if content is not None:
        path.write_bytes(content)
    printed = asked(PROGRAM, str(path), tmp_path).stdout.rstrip()
    assert printed.startswith(f"{WRONG}other.so cannot be loaded: ")
    assert printed.endswith(REMEDY)


def test_another_library(tmp_path: Path) -> None:
    import _ctypes

    ended = asked(PROGRAM, _ctypes.__file__, tmp_path)
    assert ended.stdout == f"{WRONG}the file is another library{REMEDY}\n"


def test_a_library_of_other_sources(tmp_path: Path) -> None:
    digest = library.digest(library.FOLDER / "kernels").encode()
    path = tmp_path / "older.so"
    path.write_bytes(built().replace(digest, b"0" * len(digest)))
    ended = asked(PROGRAM, str(path), tmp_path)
    assert ended.stdout == f"{WRONG}they were built from other sources{REMEDY}\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others refuse such a file themselves")
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_library_that_is_cut_off(tmp_path: Path, part: float) -> None:
    """To load it would end the process with a bus error."""
    content = built()
    (tmp_path / "half.so").write_bytes(content[: int(part * len(content))])
    ended = asked(PROGRAM, "half.so", tmp_path)
    assert ended.stdout == f"{WRONG}half.so cannot be loaded: the file is cut off{REMEDY}\n"


def test_the_command_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "rows.toml").write_text(SCHEMA)
    (tmp_path / "broken.so").write_bytes(built()[:100])
    ended = asked(EXPLORE, str(tmp_path / "broken.so"), tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.count(WRONG) == 1
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "run").exists()
