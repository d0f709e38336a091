"""Does a manifest say what a manifest must say? One that says nothing would hold whatever the file is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paretonym.release.audit.checks import Check
from paretonym.release.audit.manifest import Manifest


def check_complete(manifest: Manifest) -> list[Check]:
    """A failure for each part that says nothing."""
    told = {
        "claims": "" if manifest.claims else "the manifest claims nothing",
        "recoding": _recoding(manifest.recoding, manifest.roles),
    }
    return [Check("file", name, None, None, False, why) for name, why in told.items() if why]


def _recoding(recoding: Mapping[str, Any], roles: Mapping[str, str]) -> str:
    """What the entry lacks: levels of all quasi-identifiers, or the name of another space."""
    if "buckets" in recoding or "space" in recoding:
        return ""
    levels = recoding.get("levels")
    if not isinstance(levels, dict):
        return "the manifest names no levels and no space"
    missing = [name for name, role in roles.items() if role == "quasi" and name not in levels]
    return f"the manifest names no level of '{missing[0]}'" if missing else ""
