"""A library that is not there, broken, or another one: said once on stderr, and numpy counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paretonym.counts import kernel_library as library

PROGRAM = """
import sys
from paretonym.counts import kernel_library as library
print(library.available())
sys.stderr.write(library.missing() or "")
"""
EXPLORE = """
import sys
from paretonym.cli.main import main
sys.argv = ["paretonym", "explore", "rows.csv", "--schema", "rows.toml", "-o", "run"]
main()
"""
SAID = "The compiled kernels are not there, so numpy counts: several times slower, with the same results. "
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
    pytest.skip("nothing is compiled here")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "(other.so cannot be loaded: "),
        (b"", "(other.so cannot be loaded: "),
        (b"no library at all", "(other.so cannot be loaded: "),
    ],
    ids=["nothing", "empty", "text"],
)
def test_a_path_without_a_library(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "other.so"
    if content is not None:
        path.write_bytes(content)
    ended = asked(PROGRAM, str(path), tmp_path)
    assert ended.stdout == "False\n"
    assert ended.stderr.startswith(SAID + said)


def test_another_library(tmp_path: Path) -> None:
    import _ctypes

    ended = asked(PROGRAM, _ctypes.__file__, tmp_path)
    assert ended.stdout == "False\n"
    assert ended.stderr == f"{SAID}(what is there is another library: install again with pip install .)"


def test_a_library_of_other_sources(tmp_path: Path) -> None:
    found = library.digest(library.FOLDER / "kernels").encode()
    path = tmp_path / "older.so"
    path.write_bytes(built().replace(found, b"0" * len(found)))
    ended = asked(PROGRAM, str(path), tmp_path)
    assert ended.stdout == "False\n"
    assert ended.stderr == f"{SAID}(they were built from other sources: install again with pip install .)"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others refuse such a file themselves")
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_library_that_is_cut_off(tmp_path: Path, part: float) -> None:
    """To load it would end the process with a bus error."""
    content = built()
    (tmp_path / "half.so").write_bytes(content[: int(part * len(content))])
    ended = asked(PROGRAM, "half.so", tmp_path)
    assert ended.stdout == "False\n"
    assert ended.stderr == f"{SAID}(half.so cannot be loaded: the file is cut off)"


def test_the_command_works_without(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "rows.toml").write_text(SCHEMA)
    (tmp_path / "broken.so").write_bytes(built()[:100])
    ended = asked(EXPLORE, str(tmp_path / "broken.so"), tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count(SAID) == 1
    assert (tmp_path / "run").is_dir()
