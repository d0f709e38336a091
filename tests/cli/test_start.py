"""The ways in: `python -m paretonym`, and what a shell completes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from paretonym.version import __version__

START = (sys.executable, "-m", "paretonym")


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*START, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_the_module_is_the_command() -> None:
    ended = started("--version")
    assert (ended.returncode, ended.stdout) == (0, f"paretonym {__version__}\n")
    assert started("ask", "nowhere").returncode == 2
    assert started("--help").stdout.startswith("Usage: paretonym ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script(shell: str) -> None:
    ended = started(_PARETONYM_COMPLETE=f"source_{shell}")
    assert ended.returncode == 0
    assert f"_PARETONYM_COMPLETE={shell}_complete" in ended.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("paretonym re", ["report", "release", "reproduce"]),
        ("paretonym ask --at", ["--at-most", "--at-least"]),
    ],
)
def test_commands_and_options_are_completed(typed: str, offered: list[str]) -> None:
    """As bash does it, with the script that the documentation tells people to evaluate."""
    script = started(_PARETONYM_COMPLETE="source_bash").stdout
    asked = f"COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))"
    # The script splits the command where lines end.
    command = "\n".join(START)
    program = f"{script}\n{asked}; _paretonym_completion '{command}'; echo \"${{COMPREPLY[@]}}\""
    ended = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=False)
    assert (ended.stdout.split(), ended.stderr) == (offered, "")
