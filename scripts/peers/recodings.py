"""Releases of the built-in Adult for a peer to measure: `python -m scripts.peers.recodings FOLDER`.

The tables are made again whenever they are needed; what is kept are their recodings and the peer's answers.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.engine.recoding.equivalence_classes import SHORTEST_ID, digest
from paretonym.engine.spaces.cuts.cuts_recoding import CutsRecoding
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.study.study import Study, example

# By the key that each of them writes first.
KINDS: Mapping[str, type[LatticeRecoding | CutsRecoding | PartsRecoding]] = {
    "levels": LatticeRecoding,
    "groups": CutsRecoding,
    "requirement": PartsRecoding,
}
SENSITIVE = "occupation"
# Places on the frontier of (k, loss) with at most 1 % left out, from the most protected on.
PLACES = (5, 15, 25, 35, 45)
# The first of a short search of cuts that protects no more than this.
CUTS_K = 20
CUTS_SEARCH: dict[str, Any] = {"seed": 1, "evaluations": 3000}
# What Mondrian's parts must have.
PARTS = {"k": 25, "l-distinct": 5}


def chosen() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Recodings all over the lattice's frontier, one of cuts and one of parts, each by its own name."""
    study = example("adult")
    front = study.explore("k", "loss", suppress=0.01, space="lattice")
    cuts = study.explore("k", "loss", suppress=0.01, space="cuts", **CUTS_SEARCH)
    levels = [front[place].recoding for place in PLACES]
    groups = next(solution.recoding for solution in cuts if solution["k"] <= CUTS_K)
    for recoding in (*levels, groups, PartsRecoding.of(PARTS)):
        yield digest(recoding)[:SHORTEST_ID], recoding.as_json()


def rows(study: Study, recoding: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The released rows, sorted: what each class shows, beside each of its sensitive values."""
    realized = study.realized(KINDS[next(iter(recoding))].from_json(recoding))
    margin = study.cube.sensitive[0]
    of_class = realized.classes.of_tuple[margin.tuples]
    found = []
    for place in np.flatnonzero(realized.stays[of_class]).tolist():
        shown = (*realized.classes.labels(of_class[place]), margin.labels[margin.values[place]])
        found += [shown] * int(margin.counts[place])
    return iter(sorted(found))


def write(path: Path, study: Study, recoding: Mapping[str, Any]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*(axis.name for axis in study.cube.axes), SENSITIVE])
        writer.writerows(rows(study, recoding))


def main() -> None:
    folder = Path(sys.argv[1])
    study = example("adult")
    listed = dict(chosen())
    for name, recoding in listed.items():
        write(folder / f"{name}.csv", study, recoding)
    (folder / "recodings.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
