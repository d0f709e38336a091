"""Mondrian's parts as a space: a table is split as long as every part keeps what is required."""

from __future__ import annotations

from typing import Any

from paretonym.counts import Cube
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding
from paretonym.spaces.mondrian.mondrian_transfer import transfer
from paretonym.spaces.parameter_sweep import DISTANCES, SIZES, VARIETIES, Sweep, sweep_space
from paretonym.spaces.space import Question, ShownRelease


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over what every part must keep."""
    usual = SIZES, VARIETIES, DISTANCES
    return Sweep.of(question, cube, usual, lambda required: PartsRecoding(required, question.relaxed))


def manifest(recoding: PartsRecoding, shown: ShownRelease) -> dict[str, Any]:
    """Where parts lie follows from the data: only the labels that occur in the release are written."""
    return {"space": MONDRIAN.name, "labels": shown.labels(), **shown.keep}


MONDRIAN = sweep_space(
    name="mondrian",
    recoding=PartsRecoding,
    problem=problem,
    manifest=manifest,
    caption="The requirement on every part.",
    promise="Every part keeps {requirement}",
    options=("sweep", "relaxed"),
    transfer=transfer,
)
