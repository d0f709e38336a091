"""The kernels' twins once more, with kernels that check every access to memory and every operation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = "gcc and its libasan are needed"


@pytest.mark.slow
def test_no_access_goes_astray() -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    ended = subprocess.run(
        [sys.executable, "scripts/sanitize.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.stderr.startswith(NEEDED):
        pytest.skip(ended.stderr.strip())
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
    assert "skipped" not in ended.stdout
