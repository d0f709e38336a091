"""Several runs on one pair of axes: which solutions no solution of any run beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paretonym.frontier.dominance import frontier_places
from paretonym.web.open_runs import OpenRun


def joint(runs: Sequence[OpenRun]) -> dict[str, Any]:
    """For each run the places of its solutions that are on the joint frontier of the objectives that all runs
    share: whatever reaches one of its vectors, in whichever run."""
    if not runs:
        return {"objectives": [], "members": {}, "note": ""}
    shared = [o for o in runs[0].frontier.objectives if all(o in r.frontier.objectives for r in runs)]
    if not shared:
        return {"objectives": [], "members": {}, "note": "The runs have no objective in common."}
    parts = [[[s.values[o.name] for o in shared] for s in run.frontier] for run in runs]
    values = np.array([row for part in parts for row in part], dtype=np.float64)
    best = frontier_places(values, [o.direction for o in shared], np.arange(len(values)))
    reached = {tuple(vector) for vector in values[best].tolist()}
    members = {
        run.key: [place for place, vector in enumerate(part) if tuple(map(float, vector)) in reached]
        for run, part in zip(runs, parts, strict=True)
    }
    tables = {run.record.fingerprint for run in runs}
    note = "" if len(tables) == 1 else "The runs are of different tables: compare with care."
    return {"objectives": [o.name for o in shared], "members": members, "note": note}
