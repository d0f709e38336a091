"""Write dev.lock: the version of everything that development installs, as it is installed here.

    .venv/bin/python scripts/make_lock.py

`scripts/setup.sh dev` keeps to it where its Python is the one that the first line names. Run it after a
change of the dependencies in pyproject.toml, or to move on to newer versions (`make clean`, remove dev.lock,
`make setup`).
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "dev.lock"
EXTRAS = ("all",)
GROUPS = ("dev",)


def wanted(project: dict[str, object]) -> list[Requirement]:
    """What `scripts/setup.sh dev` asks for: the dependencies, the extras and the groups of pyproject.toml."""
    table: dict[str, object] = project["project"]  # type: ignore[assignment]
    extras: dict[str, list[str]] = table["optional-dependencies"]  # type: ignore[assignment]
    groups: dict[str, list[str]] = project["dependency-groups"]  # type: ignore[assignment]
    found: list[Requirement] = []
    waiting = [*table["dependencies"], *(e for name in EXTRAS for e in extras[name])]  # type: ignore[misc]
    waiting += [each for name in GROUPS for each in groups[name]]
    while waiting:
        requirement = Requirement(waiting.pop())
        if canonicalize_name(requirement.name) == table["name"]:
            waiting += [each for extra in requirement.extras for each in extras[extra]]
        else:
            found.append(requirement)
    return found


def installed(requirements: Iterable[Requirement]) -> Iterator[tuple[str, str]]:
    """Name and version of these distributions and of all that they need."""
    waiting, seen = list(requirements), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            raise SystemExit(f"{name} is not installed: run `make setup` first") from None
        yield name, found.version
        for text in found.requires or ():
            needed = Requirement(text)
            if _applies(needed, requirement.extras):
                waiting.append(needed)


def _applies(needed: Requirement, extras: Iterable[str]) -> bool:
    marker = needed.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def lock_text() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = [f"{name}=={found}" for name, found in sorted(set(installed(wanted(project))))]
    return "\n".join((f"# Python {version}; scripts/make_lock.py writes this file", *lines, ""))


if __name__ == "__main__":
    LOCK.write_text(lock_text(), encoding="utf-8")
    print(f"{LOCK.name}: {lock_text().count('==')} distributions")
