"""Mondrian's partitions as a space: a table is split as long as every part meets the requirements."""

from __future__ import annotations

from typing import Any

from paretonym.counts import Cube
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.spaces.mondrian.mondrian_transfer import transfer
from paretonym.spaces.parameter_sweep import DISTANCES, SIZES, VARIETIES, Sweep, sweep_space
from paretonym.spaces.space import Question, ShownRelease


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every part."""
    usual = SIZES, VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, lambda required: PartsRecoding(required, question.relaxed))


def manifest(recoding: PartsRecoding, shown: ShownRelease) -> dict[str, Any]:
    """What a manifest says. The parts depend on the data, so only the labels that occur in the release are
    written."""
    return {"space": MONDRIAN.name, "labels": shown.labels(), **shown.keep}


MONDRIAN = sweep_space(
    name="mondrian",
    recoding=PartsRecoding,
    problem=problem,
    manifest=manifest,
    caption="The requirement on every part.",
    method=(
        "Mondrian, a local recoding: the rows are split recursively, as long as every part meets the "
        "requirement. Each part shows the range between its cuts; no row is suppressed."
    ),
    promise="Every part meets {requirement}",
    options=("sweep", "relaxed"),
    transfer=transfer,
)
