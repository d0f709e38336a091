"""Setting up from a clone, with stand-ins for Python that only write down how they were called."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "cat", "cksum", "cp", "dirname", "head", "uname", "mkdir", "rm")

# Answers the questions of scripts/setup.sh; as `-m venv` it puts a copy of itself into .venv. Every call that
# installs something goes into the file named by $LOG.
STAND_IN = """#!/bin/sh
case "$1 $2" in
    *ensurepip*) exit {venv} ;;
    *'%d.%d'*) echo {version} ;;
    '-c '*) exit 0 ;;
    '-m venv') echo "venv $3" >> "$LOG"; mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    '-m pip') shift 2; echo "pip $*" >> "$LOG"; exit "${{PIP_EXIT:-0}}" ;;
esac
"""


class Clone:
    """A folder with what setting up reads, and a PATH that holds only what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a clone with blanks"
        self.commands = folder / "commands on the path"
        self.log = folder / "calls"
        (self.folder / "scripts").mkdir(parents=True)
        self.commands.mkdir()
        shutil.copy(ROOT / "scripts/setup.sh", self.folder / "scripts")
        (self.folder / "pyproject.toml").write_text("[project]\n")
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None
            (self.commands / tool).symlink_to(found)

    def python(self, name: str, version: str, *, venv: bool = True) -> Path:
        return self.command(name, STAND_IN.format(version=version, venv=0 if venv else 1))

    def command(self, name: str, text: str) -> Path:
        path = self.commands / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def set_up(self, wanted: str = "run", **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        return subprocess.run(
            ["sh", str(self.folder / "scripts/setup.sh"), wanted],
            env={"PATH": str(self.commands), "LOG": str(self.log), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def complaint(result: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed set-up prints."""
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_a_python_that_is_too_old_is_one_line(clone: Clone) -> None:
    python = clone.python("python3", "3.9")
    assert complaint(clone.set_up()) == (
        f"paretonym: Python 3.11 or newer is needed, found only 3.9 ({python}); "
        "install a newer one or name it: make demo PYTHON=/path/to/python3.12"
    )
    assert not (clone.folder / ".venv").exists()


def test_no_python_at_all_is_one_line(clone: Clone) -> None:
    assert "found none that runs" in complaint(clone.set_up())


def test_a_python_without_venv_is_one_line(clone: Clone) -> None:
    python = clone.python("python3", "3.11", venv=False)
    assert complaint(clone.set_up()) == (
        f"paretonym: Python 3.11 ({python}) cannot make virtual environments; "
        "install that part of it first (Debian, Ubuntu: apt install python3.11-venv)"
    )


def test_a_chosen_python_that_does_not_exist_is_one_line(clone: Clone) -> None:
    clone.python("python3", "3.12")
    assert complaint(clone.set_up(PYTHON="/nowhere/python")) == (
        "paretonym: there is no Python at PYTHON=/nowhere/python"
    )


def test_a_chosen_python_is_not_replaced_by_a_better_one(clone: Clone) -> None:
    clone.python("python3.12", "3.12")
    chosen = clone.python("mine", "3.9")
    assert f"found only 3.9 ({chosen})" in complaint(clone.set_up(PYTHON=str(chosen)))


def test_a_shim_that_fails_is_passed_over(clone: Clone) -> None:
    clone.command("python3.13", "#!/bin/sh\necho 'pyenv: command not found' >&2\nexit 127\n")
    python = clone.python("python3", "3.11")
    assert clone.set_up("check").stdout == f"Python 3.11 ({python})\n"


def test_a_python_without_venv_gives_way_to_one_that_has_it(clone: Clone) -> None:
    clone.python("python3.13", "3.13", venv=False)
    python = clone.python("python3.11", "3.11")
    assert clone.set_up("check").stdout == f"Python 3.11 ({python})\n"


def test_set_up_installs_once_in_a_folder_with_blanks(clone: Clone) -> None:
    clone.python("python3", "3.12")
    assert clone.set_up().returncode == 0
    assert clone.calls == ["venv .venv", "pip install --disable-pip-version-check --editable .[all]"]
    assert (clone.folder / ".venv/bin/python").exists()

    assert clone.set_up().returncode == 0
    assert clone.calls == []


def test_the_development_tools_are_added_to_what_is_there(clone: Clone) -> None:
    clone.python("python3", "3.12")
    clone.set_up()
    clone.set_up("dev")
    assert clone.calls == ["pip install --disable-pip-version-check --editable .[all] --group dev"]
    clone.set_up("run")
    assert clone.calls == []


def test_development_keeps_to_the_lock_of_its_python_and_machine(clone: Clone) -> None:
    clone.python("python3", "3.12")
    lock = clone.folder / "dev.lock"
    here = f"{platform.system()} {platform.machine()}"
    pip = "pip install --disable-pip-version-check"
    lock.write_text(f"# Python 3.12 on {here}; made\nnumpy==2.4.0 --hash=sha256:00\n")
    clone.set_up("dev")
    assert clone.calls[-2:] == [
        f"{pip} --require-hashes --requirement dev.lock",
        f"{pip} --no-deps --editable .",
    ]
    for other in (f"Python 3.11 on {here}", "Python 3.12 on Elsewhere x86_64"):
        lock.write_text(f"# {other}; made\nnumpy==2.4.0 --hash=sha256:00\n")
        clone.set_up("dev")
        assert clone.calls[-1] == f"{pip} --editable .[all] --group dev"


def test_changed_dependencies_are_installed_into_the_same_environment(clone: Clone) -> None:
    clone.python("python3", "3.12")
    clone.set_up()
    (clone.folder / "pyproject.toml").write_text("[project]\ndependencies = []\n")
    clone.set_up()
    assert clone.calls == ["pip install --disable-pip-version-check --editable .[all]"]


def test_an_interrupted_set_up_starts_again_from_nothing(clone: Clone) -> None:
    clone.python("python3", "3.12")
    clone.set_up()
    (clone.folder / ".venv/unfinished").touch()
    (clone.folder / ".venv/left-over").touch()
    assert clone.set_up().returncode == 0
    assert clone.calls[0] == "venv .venv"
    assert not (clone.folder / ".venv/left-over").exists()


def test_a_failed_installation_says_so_and_is_tried_again(clone: Clone) -> None:
    clone.python("python3", "3.12")
    result = clone.set_up(PIP_EXIT="1")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        "paretonym: the installation failed (pip says why above); fix that and run the same command again"
    )
    assert clone.set_up().returncode == 0
    assert clone.calls[0] == "venv .venv"


def test_a_failed_addition_leaves_what_worked(clone: Clone) -> None:
    clone.python("python3", "3.12")
    clone.set_up()
    assert clone.set_up("dev", PIP_EXIT="1").returncode == 1
    clone.set_up()
    assert clone.calls == ["pip install --disable-pip-version-check --editable .[all]"]


def test_a_moved_folder_is_set_up_again(clone: Clone) -> None:
    clone.python("python3", "3.12")
    clone.set_up()
    clone.folder = clone.folder.rename(clone.folder.with_name("moved here"))
    clone.set_up()
    assert clone.calls[0] == "venv .venv"


def test_an_unknown_word_names_the_known_ones(clone: Clone) -> None:
    assert complaint(clone.set_up("everything")) == (
        "paretonym: scripts/setup.sh knows run, dev and check, not 'everything'"
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_alone_prints_the_targets() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    result = subprocess.run(["make"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    targets = {line.split()[1] for line in result.stdout.splitlines() if line.startswith("make ")}
    assert targets == {
        "check",
        "demo",
        "docs",
        "nightly",
        "test",
        "test-all",
        "test-rest",
        "format",
        "bench",
        "bench-gate",
        "bench-release",
        "coverage",
        "growth",
        "large-lattices",
        "lint-files",
        "peers",
        "release-check",
        "wheels",
        "sanitize",
        "scale",
        "clean",
    }
