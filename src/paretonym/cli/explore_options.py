"""Options of `explore`: what is asked, and what some of its searches can be told."""

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
Objectives: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Measures to trade off, k,loss unless given (mondrian, buckets: privacy-loss,utility-loss); "
        "'paretonym measures' lists them.",
    ),
]
Suppress: TypeAlias = Annotated[
    str,
    typer.Option(metavar="RULE", help="Rows that may be left out: 0.01, 1%, any, or any:0.1 (at most 10 %)."),
]
Space: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Space of recodings: lattice, cuts (anywhere in a column), mondrian or buckets."
    ),
]
Search: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Search: exact (proven, most nodes skipped), exhaustive, poka or pbg (not proven); for cuts "
        "hybrid or nsga2; sweep for mondrian and buckets.",
    ),
]
PaperNumber: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="With --space cuts: a problem of the trade-offs paper, 1 to 4."),
]
Prefer: TypeAlias = Annotated[
    str | None, typer.Option(metavar="k|l", help="With --problem: k or l, in Problem 4 the more desired.")
]
Sound: TypeAlias = Annotated[
    bool, typer.Option("--sound", help="With --problem 4: every pair of k and l that can be reached.")
]
FloorL: TypeAlias = Annotated[
    bool, typer.Option("--floor-l", help="With --problem 4: l of a class is the whole part of 1 / max p.")
]
Sweep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MEASURE=NUMBERS",
        help="What parts must keep: k=10,50,100; k=5+t-js=0.1,0.2 for both together; may be repeated.",
    ),
]
Relaxed: TypeAlias = Annotated[
    bool, typer.Option("--relaxed", help="Mondrian may put rows with equal values into both halves.")
]
Buckets: TypeAlias = Annotated[
    str | None, typer.Option(metavar="WAY", help="Way to the buckets: mondrian, relaxed or anatomy.")
]
AtLeast: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="MEASURE=NUMBER", help="Leave out what is below, such as k=5; may be repeated."),
]
AtMost: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="MEASURE=NUMBER", help="Leave out what is above, such as loss=25%."),
]
Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="MEASURE.PARAMETER=NUMBER", help="Such as l-recursive.c=2."),
]
Time: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TIME", help="Stop after so long with what is found: 60s, 5m, 1h.")
]
