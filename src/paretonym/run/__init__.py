"""The public objects: a study, a saved run, and the folder that holds it."""

from __future__ import annotations

from paretonym.run.checkpoint import KeptAt, read_checkpoint
from paretonym.run.explored_frontier import Frontier, Solution, compare, load
from paretonym.run.notebook_tables import draft
from paretonym.run.project_file import Project
from paretonym.run.release_transformer import ReleaseTransformer
from paretonym.run.study import Study, example

__all__ = [
    "Frontier",
    "KeptAt",
    "Project",
    "ReleaseTransformer",
    "Solution",
    "Study",
    "compare",
    "draft",
    "example",
    "load",
    "read_checkpoint",
]
