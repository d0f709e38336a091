"""Build the compiled kernels: `python scripts/build_kernels.py` puts the library beside its Python files.

The compiler is $CC, else cc, gcc or clang, else the one in the package `ziglang`. Only the standard library
is needed here: packages are built with this file too (hatch_build.py).
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "paretonym" / "engine" / "counts" / "kernels"
# The same results on every machine: no fused multiplication and addition, nothing of this processor alone.
FLAGS = (
    "-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno",
    "-Wall", "-Wextra",
)  # fmt: skip
PROBE = "#include <math.h>\n#include <stdint.h>\nint64_t probe(double x) { return (int64_t)log(x); }\n"


def library_name(platform: str = sys.platform) -> str:
    """What the library is called on a platform."""
    endings = {"darwin": "dylib", "win32": "dll"}
    return f"_kernels.{endings.get(platform, 'so')}"


def digest(folder: Path = SOURCES) -> str:
    """A digest of the sources: the library says what it was built from."""
    found = hashlib.sha256()
    for source in sorted(folder.glob("*.[ch]")):
        found.update(source.read_bytes())
    return found.hexdigest()[:16]


def system_compiler() -> list[str] | None:
    """The command of a compiler that works; None without one."""
    named = os.environ.get("CC")
    for command in [shlex.split(named)] if named else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]) and _works(command):
            return command
    return None


def _works(command: list[str]) -> bool:
    """Whether it makes a library: a compiler may be there without headers or without a linker."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(PROBE)
        made = subprocess.run(
            [*command, *FLAGS, str(source), "-o", str(source.with_suffix(".so")), "-lm"],
            capture_output=True,
            check=False,
        )
        return made.returncode == 0


def compiler() -> list[str] | None:
    """The system's compiler, else that of `ziglang`; None without either."""
    found, packaged = system_compiler(), zig()
    # Unless told otherwise, zig compiles for this very processor.
    return found or (packaged and [*packaged, "-mcpu=baseline"])


def zig() -> list[str] | None:
    """The compiler in the package `ziglang`; None without it."""
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else None


def build(command: list[str], target: Path, further: tuple[str, ...] = ()) -> None:
    """Compile the kernels into a library that appears whole or not at all."""
    # No name of a folder or process gets into the library: the same sources give the same bytes anywhere.
    sources = [path.name for path in sorted(SOURCES.glob("*.c"))]
    named = f'-DPARETONYM_DIGEST="{digest()}"'
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        subprocess.run(
            [*command, *FLAGS, *further, named, *sources, "-o", str(made), "-lm"], check=True, cwd=SOURCES
        )
        made.replace(target)


def main() -> None:
    command = compiler()
    if command is None:
        sys.exit("There is no C compiler: install one, or the package ziglang.")
    target = SOURCES.parent / library_name()
    build(command, target)
    print(f"{target.relative_to(ROOT)} built by {' '.join(command)}")


if __name__ == "__main__":
    main()
