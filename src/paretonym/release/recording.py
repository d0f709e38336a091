"""What a run remembers of its releases, so that no second one is made by accident."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paretonym.errors import InputError
from paretonym.recoding.recoding import SHORTEST_ID, Recoding, digest
from paretonym.version import __version__


def release_entry(recoding: Recoding, path: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What is written down of a release."""
    name = digest(recoding)
    return {
        "id": name[:SHORTEST_ID],
        "recoding": name,
        "file": path.name,
        "rows": manifest["output"]["rows"],
        "sha256": manifest["output"]["sha256"],
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
    }


def check_first(releases: Sequence[Mapping[str, Any]], recoding: Recoding, also: bool) -> None:
    """Refuse a release that differs from one that was made of the same run before, unless `also`. The same
    one again, perhaps in another kind of file, shows nothing new."""
    others = [release for release in releases if release["recoding"] != digest(recoding)]
    if not others or also:
        return
    made = ", ".join(dict.fromkeys(f"{release['id']} in {release['file']}" for release in others))
    raise InputError.of(
        "--pick",
        f"another release of this run was made already ({made}), and two releases of one table can be "
        "joined: together they may show what neither shows alone, so that neither keeps its k",
        "publish only one of them; if the first never left your hands, or this is meant for other eyes, "
        "give --also",
    )


def check_released(releases: Sequence[Mapping[str, Any]], recoding: Recoding) -> None:
    """Refuse new rows in another recoding than that of the release they are to lie beside."""
    if not releases or any(release["recoding"] == digest(recoding) for release in releases):
        return
    made = ", ".join(dict.fromkeys(release["id"] for release in releases))
    raise InputError.of(
        "--pick",
        f"this run was released as {made}, and rows that are recoded in another way do not fit that release",
        f"give --pick {releases[-1]['id']}",
    )
