"""The wheel and the sdist, installed in clean environments of every supported Python that is found here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from paretonym.version import __version__
from tests.cli.test_extras import ROWS, SCHEMA

ROOT = Path(__file__).parents[1]
SUPPORTED = ("3.11", "3.12", "3.13")
# Extras, and what only they bring.
EXTRAS = ("fastapi", "matplotlib", "pandas", "polars", "pyspark", "python_calamine", "sklearn")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
NOT_HERE = "no package index can be reached from here, so nothing can be installed"


def run(*command: str | Path, folder: Path, **further: str) -> str:
    """What a command prints, in an environment that knows nothing of this working copy."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PARETONYM"))}
    state = {"PARETONYM_STATE": str(folder / "state"), "PARETONYM_KERNELS": ""}
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**clean, **state, **further},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def python_of(version: str) -> str | None:
    """A Python of this version: this one, one on the path, or one of pyenv."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = (shutil.which(f"python{version}"), *sorted(map(str, kept.glob(f"{version}.*/bin/python3"))))
    for each in found:
        asked = each and subprocess.run([each, "-c", "import venv"], capture_output=True, check=False)
        if each and asked and asked.returncode == 0:
            return each
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built from the sdist: both are whole, or this fails. It serves every Python."""
    folder = tmp_path_factory.mktemp("built")
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    tools = folder / "tools"
    fetched = subprocess.run(
        [*PIP, "install", "--target", str(tools), *wanted], capture_output=True, text=True, check=False
    )
    if fetched.returncode != 0:
        pytest.skip(NOT_HERE)
    copied = folder / "copy"
    left_out = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "*.so", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copied, ignore=left_out, symlinks=True)
    hatch = (sys.executable, "-m", "hatchling", "build", "-d", folder, "-t")
    run(*hatch, "sdist", folder=copied, PYTHONPATH=str(tools))
    (sdist,) = folder.glob("*.tar.gz")
    built = (*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sdist)
    run(*built, folder=folder, PYTHONPATH=str(tools))
    (made,) = folder.glob("*.whl")
    assert made.name.startswith(f"paretonym-{__version__}-py3-none-")
    return made


@pytest.mark.slow
@pytest.mark.xdist_group("distributions")
@pytest.mark.parametrize("version", SUPPORTED)
def test_a_clean_installation_works(version: str, wheel: Path, tmp_path: Path) -> None:
    python = python_of(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    subprocess.run([python, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    own = tmp_path / "env" / "bin" / "python"
    run(*PIP, "--python", own, "install", "--no-compile", "--prefer-binary", wheel, folder=tmp_path)
    assert run(own, "-m", "paretonym", "--version", folder=tmp_path).strip().endswith(__version__)
    absent = f"from importlib.util import find_spec; print([n for n in {EXTRAS!r} if find_spec(n)])"
    assert run(own, "-c", absent, folder=tmp_path).strip() == "[]"
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "rows.toml").write_text(SCHEMA)
    command = (own, "-m", "paretonym")
    run(
        *command,
        "explore",
        "--space",
        "lattice",
        "rows.csv",
        "--schema",
        "rows.toml",
        "-o",
        "run",
        folder=tmp_path,
    )
    kernels = "from paretonym.engine.counts.kernel_library import __file__; print(__file__)"
    assert run(own, "-c", kernels, folder=tmp_path).startswith(str(tmp_path / "env"))
    program = "import paretonym as pn; print(pn.audit(pn.load('run')[0].release('public.csv')).passed)"
    assert run(own, "-c", program, folder=tmp_path).strip() == "True"
