"""Options of `explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from paretonym.cli.command_parameters import Option

Box: TypeAlias = Annotated[
    str | None,
    Option(metavar="MEASURE=SIDE,…", help="Keep one solution per box of these sides: k=5,loss=0.01."),
]
Seed: TypeAlias = Annotated[int | None, Option(min=0, help="Random seed (default 0).")]
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
Objectives: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="NAMES",
        help="Trade off these measures (default: k,loss; for microaggregation k,sse; for mondrian and "
        "buckets privacy-loss,utility-loss); 'paretonym measures' lists them.",
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
    str | None,
    Option(
        metavar="NAME",
        help="Search these recodings alone: lattice (full-domain generalization), local (rows of small "
        "equivalence classes are generalized further), cuts (boundaries anywhere in a column), mondrian, "
        "microaggregation (means in place of numbers) or buckets (default: every "
        "method that can answer, on one frontier).",
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
Sweep: TypeAlias = Annotated[
    list[str] | None,
    Option(
        metavar="MEASURE=NUMBERS",
        help="Require this of every part, one release for each number: k=10,50,100; two requirements "
        "together: k=5+t-js=0.1,0.2; may be repeated.",
    ),
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
        "--set",
        metavar="NAME.PARAMETER=VALUE",
        help="Set a parameter of a measure (l-recursive.c=2), a search (poka.depth=3) or a space "
        "(cuts.problem=2); 'paretonym measures --searches' lists them; may be repeated.",
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
