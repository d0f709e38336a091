"""Run tests with kernels that check every access to memory and every operation: `make sanitize`.

    python scripts/sanitize.py [arguments of pytest]

gcc builds them with AddressSanitizer and UndefinedBehaviorSanitizer; the first mistake ends the tests. Before
that, a library with two mistakes in it shows that they would be noticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import build_kernels

ROOT = build_kernels.ROOT
FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# Random tables through every kernel, compared with numpy; of the visits those that take seconds.
VISITS = "tests/unit/engine/counts/test_rollup.py::"
TESTS = (
    "tests/unit/engine/counts/test_kernel_library_twins.py",
    "tests/unit/engine/search/test_witness_bounds.py",
    f"{VISITS}test_equals_plain_numpy[few rows-every threshold]",
    f"{VISITS}test_equals_plain_numpy[few rows-one limit]",
    f"{VISITS}test_equals_plain_numpy[digits without bits-one limit]",
    f"{VISITS}test_visits_leave_the_stairs_that_numpy_finds[few rows-one limit]",
    f"{VISITS}test_jumps_find_what_a_walk_finds[few rows]",
    f"{VISITS}test_jumps_find_what_a_walk_finds[wider than a word]",
    "tests/properties/test_cuts.py::test_compiled_counts_are_those_of_the_plain_twin",
)
MISTAKES = """
#include <stdint.h>
int64_t behind(const int64_t *values, int64_t length) { return values[length]; }
int64_t product(int64_t one, int64_t other) { return one * other; }
"""
MADE = {
    "behind(values.ctypes.data_as(c.c_void_p), c.c_int64(1000))": "AddressSanitizer: heap-buffer-overflow",
    "product(c.c_int64(2**62), c.c_int64(2))": "runtime error: signed integer overflow",
}


def runtime() -> str | None:
    """The library that must be loaded before Python; None if gcc or it is missing."""
    if not shutil.which("gcc"):
        return None
    command = ["gcc", "-print-file-name=libasan.so"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip())
    return str(path.resolve()) if path.is_absolute() and path.exists() else None


def environment(preloaded: str) -> dict[str, str]:
    """Python itself leaves memory behind at its end: leaks are not looked for."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return os.environ | {
        "LD_PRELOAD": preloaded,
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": path,
    }


def notices_mistakes(preloaded: str, folder: Path) -> bool:
    """Whether both mistakes end a process, with the words that name them."""
    source, library = folder / "mistakes.c", folder / "mistakes.so"
    source.write_text(MISTAKES)
    subprocess.run(["gcc", "-fPIC", "-shared", *FLAGS, str(source), "-o", str(library)], check=True)
    for call, said in MADE.items():
        program = f"import ctypes as c, numpy; values = numpy.zeros(1000); c.CDLL({str(library)!r}).{call}"
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=environment(preloaded),
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode == 0 or said not in ended.stderr:
            return False
    return True


def main() -> None:
    preloaded = runtime()
    if preloaded is None:
        sys.exit("gcc and its libasan are needed (Debian: apt install gcc libc6-dev).")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not notices_mistakes(preloaded, folder):
            sys.exit("A library with mistakes runs without a word here: the sanitizers do not work.")
        library = folder / build_kernels.library_name()
        build_kernels.build(["gcc"], library, FLAGS)
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", *(sys.argv[1:] or TESTS)],
            cwd=ROOT,
            env=environment(preloaded) | {"PARETONYM_KERNELS": str(library)},
            check=False,
        )
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
