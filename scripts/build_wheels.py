"""Build the wheels of every platform and the sdist, and check them: `make wheels`.

    python scripts/build_wheels.py [--only gnu-x86_64] [-o dist]

Needs hatchling and ziglang, whose compiler builds for all platforms on any. Every library is built twice and
must come out the same, byte by byte. Its file must say what the wheel's tag says. What can be loaded here is
loaded: that of this machine by Python in a fresh environment, where frontiers are compared with numpy's;
those of other Linuxes by a small C program where there is a loader for it (Debian: musl, qemu-user,
libc6-arm64-cross).
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import build_kernels
from library_file import LibraryFile, read_library
from wheel_targets import SWITCH, TARGETS, Target

ROOT = Path(__file__).resolve().parents[1]
CACHE = "ZIG_LOCAL_CACHE_DIR"
FORMS = {"linux": "ELF", "macos": "Mach-O", "windows": "PE"}
SYSTEM_LIBRARIES = {
    "gnu": ("libc.so.6", "libm.so.6"),
    "musl": ("libc.so",),
    "macos": ("/usr/lib/libSystem.B.dylib",),
    "windows": ("kernel32.dll", "api-ms-win-crt-"),
}
# How a program of another platform runs here, and the file without which it does not.
LOADERS = {
    "gnu-x86_64": ([], "/lib64/ld-linux-x86-64.so.2"),
    "musl-x86_64": ([], "/lib/ld-musl-x86_64.so.1"),
    "gnu-arm64": (["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], "/usr/aarch64-linux-gnu/lib"),
    "musl-arm64": (["qemu-aarch64"], "/lib/ld-musl-aarch64.so.1"),
}
QUESTIONS = """
from random import Random
import paretonym
from paretonym.research.exams.random_tables import random_table
print(paretonym.example("adult").explore("k", "loss", suppress="1%").as_json())
study = random_table(Random(1), rows=(50, 50), sensitive=1).study()
print(study.explore("k", "l", "t", "loss", suppress="10%").as_json())
print(study.explore("k", "loss", space="cuts", evaluations=200).as_json())
print(study.explore("k", "t", "utility-loss", space="mondrian", sweep=["k=3,5", "l=2"]).as_json())
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Build and check all wheels and the sdist.")
    parser.add_argument("--only", choices=[*TARGETS, "sdist"], action="append")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-install", action="store_true", help="leave out the fresh environments")
    given = parser.parse_args()
    os.environ.setdefault("SOURCE_DATE_EPOCH", committed())
    output = given.output.resolve()
    for name in given.only or [*TARGETS, "sdist"]:
        made = built(name, output)
        checks = [] if name == "sdist" else checked(name, made)
        if not given.no_install and (name == "sdist" or name == here()):
            checks.append(installed(made))
        print(f"{made.name}: {made.stat().st_size:,} bytes; {'; '.join(checks)}", flush=True)


def committed() -> str:
    """The time of the last commit: the time of every file in a wheel."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    made = subprocess.run(asked, capture_output=True, text=True, check=False)
    return made.stdout.strip() or "1704067200"


def here() -> str | None:
    """The platform of this machine, if it is Linux with glibc."""
    machine = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
    return f"gnu-{machine}" if sys.platform == "linux" and platform.libc_ver()[0] == "glibc" else None


def built(name: str, output: Path) -> Path:
    """A wheel or the sdist, built by hatchling in this environment."""
    kind, environment = ("sdist", {}) if name == "sdist" else ("wheel", {SWITCH: name})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        (made,) = Path(folder).iterdir()
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(made, output / made.name))


def checked(name: str, wheel: Path) -> list[str]:
    """What was checked of a wheel; stops at the first thing that is wrong."""
    target = TARGETS[name]
    if not wheel.name.endswith(f"-py3-none-{target.tags}.whl"):
        sys.exit(f"{wheel.name}: it should be tagged {target.tags}")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            libraries = [each for each in archive.namelist() if "/_kernels." in each]
            if libraries != [f"paretonym/counts/{target.library}"]:
                sys.exit(f"{wheel.name}: it holds {libraries}")
            library = Path(archive.extract(libraries[0], folder))
        again = Path(folder) / target.library
        command = build_kernels.zig()
        if command is None:
            sys.exit("the package ziglang is missing")
        # What zig remembers of our own files stays apart, so that it compiles once more.
        with unset_cache(Path(folder)):
            build_kernels.build(command, again, target.flags)
        if again.read_bytes() != library.read_bytes():
            sys.exit(f"{wheel.name}: built twice, the library is not the same")
        found = read_library(library)
        complaint = wrong(name, target, found)
        if complaint:
            sys.exit(f"{wheel.name}: {complaint}")
        facts = (
            f"{found.form} for {found.machine}, {len(found.exports)} names, the same bytes when built again"
        )
        return [facts, loaded(name, target, command, library)]


@contextmanager
def unset_cache(folder: Path) -> Iterator[None]:
    before = os.environ.get(CACHE)
    os.environ[CACHE] = str(folder / "cache")
    try:
        yield
    finally:
        del os.environ[CACHE]
        if before is not None:
            os.environ[CACHE] = before


def wrong(name: str, target: Target, found: LibraryFile) -> str:
    """What is wrong with a library for a platform; empty if nothing is."""
    system, machine = name.split("-")
    form = FORMS.get(system, "ELF")
    if (found.form, found.machine) != (form, machine):
        return f"it is {found.form} for {found.machine}"
    if found.exports != exported():
        return f"it exports {sorted(found.exports ^ exported())}, or does not"
    foreign = [each for each in found.needs if not each.startswith(SYSTEM_LIBRARIES[system])]
    if foreign:
        return f"it needs {foreign}"
    if system == "gnu" and found.least > (2, 17):
        return f"it needs glibc {found.least}"
    if system == "macos" and found.least != (11, 0):
        return f"it needs macOS {found.least}"
    if name == "macos-arm64" and not found.signed:
        return "it is not signed, and such a processor runs nothing unsigned"
    return ""


def exported() -> frozenset[str]:
    """The names that the sources export."""
    names = {"paretonym_digest"}
    for source in build_kernels.SOURCES.glob("*.c"):
        for line in source.read_text(encoding="utf-8").splitlines():
            if line.startswith("EXPORT int64_t "):
                names.add(line.split("(")[0].split()[-1])
    return frozenset(names)


def loaded(name: str, target: Target, command: list[str], library: Path) -> str:
    """Load it with a C program of its platform, where that can run."""
    prefix, needed = LOADERS.get(name, ([], ""))
    if not Path(needed).exists() or not needed or (prefix and not shutil.which(prefix[0])):
        return "not loaded: nothing here runs it"
    program = library.with_name("load_kernels")
    source = ROOT / "scripts" / "load_kernels.c"
    flags = ["-std=c11", "-O2", "-D_GNU_SOURCE", *target.flags]
    linked = [] if name.startswith("musl") else ["-ldl", "-lm"]
    if name.startswith("musl"):
        flags.append("-dynamic")
    subprocess.run([*command, *flags, str(source), "-o", str(program), *linked], check=True)
    subprocess.run([*prefix, str(program), str(library), build_kernels.digest()], check=True)
    return f"loaded by {prefix[0] if prefix else 'a program of its own'}"


def installed(made: Path) -> str:
    """Install into a fresh environment, and compare its frontiers with those of this working copy."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(made)],
            check=True,
            cwd=folder,
        )
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        answers = [
            subprocess.run(
                [str(interpreter), "-c", QUESTIONS],
                env=environment | path,
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for interpreter, path in ((python, {}), (sys.executable, {"PYTHONPATH": str(ROOT / "src")}))
        ]
    if answers[0] != answers[1]:
        sys.exit(f"{made.name}: its kernels find another frontier than those of this working copy")
    return "installed in a fresh environment, with the frontiers of this working copy"


if __name__ == "__main__":
    main()
