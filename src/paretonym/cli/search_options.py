"""Options of `explore` that belong to some of its searches."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Box: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="MEASURE=SIDE,…", help="One solution for each box of these sides: k=5,loss=0.01."),
]
Depth: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="poka: levels to go down from each solution.")
]
Base: TypeAlias = Annotated[
    str | None, typer.Option(metavar="COLUMN=LEVEL,…", help="poka: where to begin; the top unless given.")
]
Seed: TypeAlias = Annotated[int | None, typer.Option(min=0, help="Of searches that draw; 0 unless given.")]
Population: TypeAlias = Annotated[
    int | None, typer.Option(min=2, help="At a time: pbg 25; nsga2 200, or 500 of three objectives.")
]
Generations: TypeAlias = Annotated[int | None, typer.Option(min=1, help="pbg 100, nsga2 250 unless given.")]
Evaluations: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="pbg, nsga2, hybrid: evaluate at most so many.")
]
