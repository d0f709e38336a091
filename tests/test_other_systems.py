"""A simulated Windows: what Python lacks there is taken from our modules, and the main job still runs.

It shows that nothing here asks for what Windows lacks, and that the other branches work; not what a real
Windows does when a file is open or a process ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.test_extras import ROWS, SCHEMA

SIMULATED = """
import importlib, os, pkgutil, signal, sys, types
import numpy, pandas, pyarrow, duckdb, narwhals, rich.console, tempfile, shutil, subprocess, multiprocessing

LACKING = {
    "os": "getuid geteuid getgid sysconf sched_getaffinity fchmod fchown chown mkfifo fork statvfs uname "
          "killpg getpgid setsid pread O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC",
    "signal": "pthread_sigmask SIGKILL SIGHUP SIGALRM SIG_BLOCK SIG_SETMASK alarm setitimer",
}
held = set()

class Windows(types.ModuleType):
    def __init__(self, module):
        super().__init__(module.__name__)
        self.__dict__["_real"] = module
    def __getattr__(self, name):
        if name in LACKING[self.__name__].split():
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}' on Windows")
        return getattr(self.__dict__["_real"], name)

def locking(handle, mode, size):
    # As there: a byte that is locked by another handle cannot be locked.
    key = os.fstat(handle).st_ino
    if mode == 2:
        held.discard(key)
    elif key in held:
        raise PermissionError(13, "Permission denied")
    else:
        held.add(key)

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=1, LK_UNLCK=2)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
import paretonym
platform, sys.platform = sys.platform, "win32"
os.environ.setdefault("LOCALAPPDATA", os.getcwd())
import paretonym.base.state
sys.platform = platform
skipped = ("paretonym.research.exams", "paretonym.interfaces.web", "paretonym.engine.counts._kernels")
for info in pkgutil.walk_packages(paretonym.__path__, "paretonym."):
    if not info.name.startswith(skipped):
        importlib.import_module(info.name)
replaced = 0
for name, module in list(sys.modules.items()):
    if name.startswith("paretonym."):
        for library in ("os", "signal"):
            if getattr(module, library, None) is sys.modules[library]:
                setattr(module, library, Windows(sys.modules[library]))
                replaced += 1
assert replaced > 15, replaced

from paretonym.interfaces.cli.main import run
for arguments in (
    "explore rows.csv --schema rows.toml -o run -q",
    "explore rows.csv --schema rows.toml -o run -q --force",
    "release run --pick FIRST -o public.csv",
    "release run --pick FIRST -o public.csv --force",
    "audit public.csv --original rows.csv --schema rows.toml",
    "report run --pick FIRST -o report.html",
):
    if "FIRST" in arguments:
        arguments = arguments.replace("FIRST", paretonym.load("run").ask(at_least={"k": 3}, best="loss").id)
    sys.argv = ["paretonym", *arguments.split()]
    code = run()
    if code:
        sys.exit(f"{arguments} ended with {code}")
assert not held, "every lock was let go"
print("done")
"""


def test_the_main_job_runs_on_a_simulated_windows(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(ROWS.replace("\n", "\r\n").encode())
    (tmp_path / "rows.toml").write_bytes(SCHEMA.replace("\n", "\r\n").encode())
    (tmp_path / "simulated.py").write_text(SIMULATED)
    ended = subprocess.run(
        [sys.executable, "simulated.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PARETONYM_STATE": str(tmp_path / "state")},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.splitlines()[-1] == "done"
