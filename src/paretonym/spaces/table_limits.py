"""Requirements that no release of a table can meet, because the table itself is too small."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.counts import Cube
from paretonym.measures import Requirement
from paretonym.sentence_parts import several


def beyond_table(asked: str, requirements: Sequence[Requirement], cube: Cube) -> str | None:
    """Why no release can have what is asked, if it is more than the table has of what is counted: rows,
    people or households."""
    for each in requirements:
        most = each.most(cube)
        if most is not None and each.limit.bound > most.number:
            return (
                f"No release of this table has {asked}: it has only {several(most.number, *most.words)}. "
                f"Require {each.objective.name} of at most {most.number:,}."
            )
    return None
