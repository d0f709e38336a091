"""Options of `explore`: the question, and the settings of its searches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from paretonym.cli.command_parameters import Option

Box: TypeAlias = Annotated[
    str | None,
    Option(metavar="MEASURE=SIDE,…", help="Keep one solution per box of these sides: k=5,loss=0.01."),
]
Depth: TypeAlias = Annotated[
    int | None,
    Option(
        min=1,
        help="poka: go down this many levels from each solution; exhaustive search of local: try chains of "
        "at most this many nodes.",
    ),
]
Base: TypeAlias = Annotated[
    str | None, Option(metavar="COLUMN=LEVEL,…", help="poka: start at these levels (default: the top).")
]
Seed: TypeAlias = Annotated[int | None, Option(min=0, help="Random seed (default 0).")]
Population: TypeAlias = Annotated[
    int | None,
    Option(min=2, help="Set the population size (default: pbg 25; nsga2 200, 500 for three objectives)."),
]
PopulationFile: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Read the population that the rows were drawn from here, for k-map and presence; any kind of "
        "DATA, with the same quasi-identifiers.",
    ),
]
SamplingFraction: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="SHARE",
        help="Estimate the population for k-map-estimated; the table is this share of it, such as 2%. "
        "Weights are scaled to it.",
    ),
]
Generations: TypeAlias = Annotated[
    int | None, Option(min=1, help="Stop after this many generations (default: pbg 100, nsga2 250).")
]
Evaluations: TypeAlias = Annotated[
    int | None,
    Option(
        min=1,
        help="pbg, nsga2, hybrid, greedy: evaluate at most this many; improve: try this many partitions for "
        "each requirement (default 2).",
    ),
]
Objectives: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="NAMES",
        help="Trade off these measures (default: k,loss; for mondrian and buckets "
        "privacy-loss,utility-loss); 'paretonym measures' lists them.",
    ),
]
Suppress: TypeAlias = Annotated[
    str,
    Option(
        metavar="RULE",
        help="Suppress small equivalence classes, at most this share of the rows (1%), or classes below any "
        "threshold of k, l, t … that costs at most this share (any:0.1).",
    ),
]
Space: TypeAlias = Annotated[
    str,
    Option(
        metavar="NAME",
        help="Search these recodings: lattice (full-domain generalization), local (rows of small "
        "equivalence classes are generalized further), cuts (boundaries anywhere in a column), mondrian or "
        "buckets.",
    ),
]
Search: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Use this search: for the lattice exact (proven, skips most nodes), exhaustive (proven), poka "
        "or pbg (not proven); for local greedy or, on small tables, exhaustive; for cuts hybrid or nsga2; "
        "for mondrian sweep or improve (loses less, takes longer); for buckets sweep.",
    ),
]
PaperNumber: TypeAlias = Annotated[
    int | None,
    Option(metavar="NUMBER", help="With --space cuts: solve problem 1 to 4 of the trade-offs paper."),
]
Prefer: TypeAlias = Annotated[
    str | None,
    Option(metavar="k|l", help="With --problem: optimize k or l; in problem 4, say which matters more."),
]
Sound: TypeAlias = Annotated[
    bool, Option("--sound", help="With --problem 4: find every pair of k and l within the limit.")
]
FloorL: TypeAlias = Annotated[
    bool,
    Option(
        "--floor-l",
        help="With --problem 4: the l of a class is 1 / (share of its most frequent value), rounded down.",
    ),
]
Sweep: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="MEASURE=NUMBERS",
        help="Require this of every part, one release for each number: k=10,50,100; two requirements "
        "together: k=5+t-js=0.1,0.2; may be repeated.",
    ),
]
Buckets: TypeAlias = Annotated[
    str | None, Option(metavar="METHOD", help="Form buckets by mondrian or anatomy.")
]
AtLeast: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="MEASURE=NUMBER", help="Exclude releases below this, such as k=5; may be repeated."),
]
AtMost: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="MEASURE=NUMBER", help="Exclude releases above this, such as loss=25%; may be repeated."),
]
Set: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--set", metavar="MEASURE.PARAMETER=NUMBER", help="Set a parameter of a measure: l-recursive.c=2."
    ),
]
Resume: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FOLDER",
        help="Continue a run of the lattice that was stopped before it ended; no other option is needed.",
    ),
]
Time: TypeAlias = Annotated[
    str | None, Option(metavar="TIME", help="Stop after 60s, 5m or 1h, and keep what was found by then.")
]
