"""The attacks by name: on one release, and on two of one table."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.release.attack.findings import Linkage, PairLinkage, RowLinkage
from paretonym.release.attack.linking import link
from paretonym.release.attack.outsider import match
from paretonym.release.attack.pairing import pair
from paretonym.release.attack.target import Target
from paretonym.release.audit.engine import Engine, engine, reading
from paretonym.release.audit.manifest import Manifest, required_manifest
from paretonym.release.audit.meaning import Original, SchemaLike, read_original
from paretonym.release.audit.measuring import NotMeasurable
from paretonym.release.audit.shownsets import shown_by
from paretonym.release.audit.tablefile import open_file

# Whose labels can be read without levels.
SPACES = ("cuts", "mondrian")


def attack(
    path: str | os.PathLike[str],
    *,
    original: Any,
    schema: SchemaLike,
    encoding: str | None = None,
    separator: str | None = None,
) -> Linkage:
    """Look for every person of the original in a release, by an exact join over the quasi-identifiers."""
    manifest = _attacked(Path(path))
    known = read_original(original, schema, encoding, separator)
    with engine() as database, reading(str(path)):
        return link(_target(database, Path(path), manifest, known, "a"), known)


def attack_pair(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    *,
    original: Any,
    schema: SchemaLike,
    encoding: str | None = None,
    separator: str | None = None,
) -> PairLinkage:
    """Look for every person of the original in two releases of it at once."""
    paths = Path(first), Path(second)
    manifests = [_attacked(path) for path in paths]
    known = read_original(original, schema, encoding, separator)
    with engine() as database, reading(f"{first}, {second}"):
        one = _target(database, paths[0], manifests[0], known, "a")
        other = _target(database, paths[1], manifests[1], known, "b")
        return pair(one, other, known)


def match_rows(
    first: str | os.PathLike[str], second: str | os.PathLike[str], *, schema: SchemaLike
) -> RowLinkage:
    """What somebody with two releases and nothing else can do: match their rows."""
    paths = Path(first), Path(second)
    manifests = _attacked(paths[0]), _attacked(paths[1])
    for manifest in manifests:
        leveled = isinstance(manifest.recoding.get("levels"), dict)
        if not leveled and manifest.recoding.get("space") not in SPACES:
            raise InputError.of(
                str(manifest.path),
                "it names no levels and no space whose labels say which values they hold",
                "give releases of the spaces lattice, cuts and mondrian",
            )
    with engine() as database, reading(f"{first}, {second}"):
        return match(database, paths, manifests, schema)


def _attacked(path: Path) -> Manifest:
    """The manifest of a release that can be attacked."""
    manifest = required_manifest(path)
    if "buckets" in manifest.recoding:
        raise InputError.of(
            str(path),
            "this release mixes sensitive values up in buckets, and buckets are not attacked: everybody is "
            "in it as they are",
            "attack releases of the spaces lattice, cuts and mondrian",
        )
    return manifest


def _target(database: Engine, path: Path, manifest: Manifest, known: Original, mark: str) -> Target:
    file = open_file(database, path, f"release_{mark}").as_meant()
    stray = [name for name in file.names if name not in known.roles]
    lacking = [column.name for column in known.quasi if column.name not in file.names]
    if stray or lacking:
        named = ", ".join([*stray, *lacking])
        raise InputError.of(
            str(path), f"its columns are not those that the schema releases: {named}", "give its own schema"
        )
    try:
        look = shown_by(manifest.recoding, file, known)
    except NotMeasurable as reason:
        raise InputError.of(str(manifest.path), str(reason), "give the schema it was made with") from None
    if look.unsettled:
        raise InputError.of(
            str(path),
            f"its classes overlap: {look.unsettled:,} people fit several of them",
            "attack a release that was not made with --relaxed and has no values without a place",
        )
    return Target(file, look, _claimed(manifest), mark)


def _claimed(manifest: Manifest) -> int | None:
    claimed = manifest.claims.get("k", math.nan)
    return int(claimed) if math.isfinite(claimed) else None
