"""An extension of paretonym: the space "even", where all columns are at the same level; the measure
"median-class"; the search "ends", which looks at both ends of the lattice alone; and the command "sizes"."""

from dataclasses import dataclass, replace

import click
import numpy as np

import paretonym as pn
from paretonym.engine.measures.card import Basis, Measure, Scale
from paretonym.engine.measures.information_loss import from_classes
from paretonym.engine.search import STANDARD, evaluator
from paretonym.engine.search.archive import Found, best_of
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding, lattice_problem, lattice_search
from paretonym.engine.spaces.space import ProblemMaker, SearchMethod, Space, Wording


def evaluated(problem, nodes):
    """The best of some nodes; nothing is proven of the others."""
    nodes = np.unique(nodes)
    return Found(best_of(problem, evaluator(problem)(nodes)), len(nodes), complete=False)


# A search: from a problem to what was found.
def search_ends(problem, limits, tuning=STANDARD):
    """The table as it is, and everything hidden."""
    return evaluated(problem, [0, problem.lattice.size - 1])


ENDS = SearchMethod(lattice_search(search_ends))


# A space: a recoding, a problem, searches, words.
@dataclass(frozen=True, slots=True)
class EvenRecoding(LatticeRecoding):
    """All columns at the same level; a column with fewer levels at its highest one."""


def search_even(problem, limits, tuning=STANDARD):
    """Every level, for all columns at once."""
    lattice = problem.lattice
    heights = [[min(h, extent - 1) for extent in lattice.shape] for h in range(max(lattice.shape))]
    return evaluated(problem, np.array(heights) @ np.array(lattice.weights))


def even_solutions(problem, limits, tuning):
    result = lattice_search(search_even)(problem, limits, tuning)
    solutions = [
        replace(solution, recoding=EvenRecoding(solution.recoding.levels, solution.recoding.keep))
        for solution in result.solutions
    ]
    return type(result).named(solutions, result.evaluated, complete=True)


EVEN = Space(
    name="even",
    recoding=EvenRecoding,
    problem=ProblemMaker(lattice_problem),
    searches={"every": SearchMethod(even_solutions, everywhere=True)},
    wording=Wording(
        units="levels",
        method="All quasi-identifiers are shown at the same level of their hierarchies.",
        heading="levels",
        caption="Levels of {columns}; 0 is unchanged.",
        words="the same level for every column",
    ),
    supports={},
)


# A measure: a function of the classes that stay, and its card.
def median_class(seen, columns, parameters):
    """The size of the class that the person in the middle is in."""
    sizes = np.sort(seen.classes.sizes[seen.stays])
    return float(sizes[np.searchsorted(np.cumsum(sizes), sizes.sum() / 2)])


MEDIAN_CLASS = Measure(
    "median-class",
    aim="protection",
    scale=Scale("count", 1),
    question="How large is the class of the person in the middle?",
    formula="median over people of |C|",
    reference="an example",
    value=from_classes,
    counted=Basis(from_classes=median_class),
)


# A command: click's.
@click.command(short_help="Count the classes of a release by their size.")
@click.argument("run")
@click.argument("pick")
def sizes(run, pick):
    """Count the classes of release PICK of RUN by their size."""
    for size, classes in pn.load(run).pick(pick).risk().sizes:
        click.echo(f"{classes} of {size}")
