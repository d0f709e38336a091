"""Plug-ins: what other packages add by entry points, and paretonym's own research by the same door.

A package names what it adds in its `pyproject.toml`:

    [project.entry-points."paretonym.spaces"]
    coin = "coin_space:COIN"

It is loaded when it is first used.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from paretonym.base.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = SPACES, SEARCHES, MEASURES, COMMANDS = (
    "paretonym.spaces",
    "paretonym.searches",
    "paretonym.measures",
    "paretonym.commands",
)


@cache
def plug_ins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in the order of names; a name that two packages use is refused."""
    from importlib.metadata import entry_points

    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        if points.setdefault(point.name, point).value != point.value:
            raise InputError.of(
                f"the plug-in '{point.name}'",
                f"{_package(points[point.name])} and {_package(point)} both add it to {group}",
                "uninstall one of them",
            )
    return points


@cache
def plugged(group: str, name: str) -> Any:
    """The object that a plug-in adds; one that cannot be loaded is an error that names its package."""
    point = plug_ins(group)[name]
    try:
        return point.load()
    except Exception as problem:
        raise InputError.of(
            f"the plug-in '{name}'",
            f"{_package(point)} cannot be loaded: {problem}",
            "update or uninstall that package",
        ) from problem


def _package(point: EntryPoint) -> str:
    return point.value.partition(":")[0] if point.dist is None else point.dist.name
