"""The registry: every measure in one readable table, and the few that are named elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from paretonym.arrays import Floats
from paretonym.counts import Kind, Link
from paretonym.measures import class_size as sizes
from paretonym.measures import closeness, diversity
from paretonym.measures import estimated_population as estimate
from paretonym.measures import household_size as homes
from paretonym.measures import information_loss as losses
from paretonym.measures import population_size as people
from paretonym.measures.candidate_facts import Facts
from paretonym.measures.card import Algebra, Measure, MeasureName, Published
from paretonym.measures.estimates.counting_queries import query_error
from paretonym.measures.estimates.populations import utility_loss
from paretonym.measures.estimates.reader_table import association_error, marginal_error, propensity_error
from paretonym.measures.estimates.squared_error import squared_error
from paretonym.measures.weighted_loss import WEIGHTS, weighted

# The measures of every solution, named wherever a release is described.
CLASS_SIZE, GENERALIZATION, SUPPRESSION, LOSS = "k", "gl", "sl", "loss"
# Stated by every release of a table with households.
HOUSEHOLD_SIZE = "k-household"
POPULATION_SIZE = "k-map"
# Stated beside it.
POPULATION_SHARES = ("presence-max", "presence-min")
ALWAYS = (CLASS_SIZE, GENERALIZATION, SUPPRESSION, LOSS)
# The default objectives of a search and of a parameter sweep.
OBJECTIVES = (CLASS_SIZE, LOSS)
SWEPT_OBJECTIVES = ("privacy-loss", "utility-loss")

TOO_ALIKE = "had sensitive values that were too similar"
TOO_UNLIKE = "had sensitive values too different from those of the whole table"
_LN_2 = 0.6931471805599454

_RISES = Algebra(unsuppressed="rises", classwise=True)
_FALLS = Algebra(unsuppressed="falls", classwise=True)
_COSTS = Algebra(unsuppressed="rises", suppression="rises")
_FLOORED = replace(_COSTS, floor="all-rows")
_IN_FILE = Published(in_file=True)
_CLAIMED = Published(in_file=True, claimed=True)
_RISK = Published(in_file=True, claimed=True, of_people=True)
_STATED = Published(stated=True)
_OF_PEOPLE = Published(of_people=True)
# 1: every row counts as often as its sampling weight says.
_BY_WEIGHT = {WEIGHTS: (0, 1)}
# What a value that a class lacks does to a ratio: nothing, or it makes it infinite.
_MISSING = {"missing": ("ignored", "infinite")}


def _distance(
    name: str,
    highest: float | None,
    question: str,
    formula: str,
    reference: str,
    value: Callable[[Facts], Floats],
    statistic: Kind,
    caution: str = "",
    offered: bool = False,
) -> Measure:
    """The card of a distance from the distribution of the input: the value of the farthest class."""
    return Measure(
        name, "privacy", "distance", "min", 0, highest, question, formula, reference, value,
        _FALLS, statistic=statistic, over="sensitive", against="input", caution=caution,
        shortfall=TOO_UNLIKE, offered=offered,
    )  # fmt: skip


def _released(card: Measure, claimed: bool) -> Measure:
    """The card of the same distance from the distribution of the release, which a file alone can show."""
    return replace(
        card,
        name=f"{card.name}-release",
        question=f"{card.question.removesuffix('?')}, measured against the release itself?",
        formula=f"{card.formula}, q of the release",
        algebra=Algebra(unsuppressed=card.algebra.unsuppressed),
        against="release",
        published=_CLAIMED if claimed else Published(),
        offered=False,
    )


_VARIATION = _distance(
    "t", 1, "How far is a class's sensitive distribution from the whole table's?",
    "max ½ Σ |p − q|", "Li et al. 2007, total variation",
    closeness.total_variation, Kind.VARIATION, offered=True,
)  # fmt: skip
_ORDERED = _distance(
    "t-ordered", 1, "How far is a class's distribution of ordered values from the table's?",
    "max Σ |cumulative p − q| / (m − 1)", "Li et al. 2007, ordered distance",
    closeness.ordered_distance, Kind.ORDERED,
)  # fmt: skip
_TREE = _distance(
    "t-tree", 1, "How far is a class's distribution of values in a tree from the table's?",
    "max Σ moved · height of the common ancestor / height", "Li et al. 2007, hierarchical distance",
    closeness.tree_distance, Kind.TREE,
)  # fmt: skip
_DIVERGENCE = _distance(
    "t-js", _LN_2, "How much information does a class give about its sensitive values?",
    "max Jensen–Shannon divergence of p and q", "Li & Li 2009, Section 4",
    closeness.jensen_shannon, Kind.DIVERGENCE,
)  # fmt: skip
# Not monotone: A = 1 v + 1 w, B = 8 w, C = 9 v have 0.747, A with B merged 1.661.
_RATIO = replace(_distance(
    "delta", None, "By what factor (as a logarithm) can a sensitive value become more or less likely?",
    "max |ln(p/q)| over the values that occur in the class",
    "Li & Li 2009, Section 4.1; Brickell & Shmatikov 2008, semantic privacy",
    closeness.largest_ratio, Kind.RATIO,
    caution="says nothing about values that a class lacks (missing=infinite does)",
), algebra=Algebra(classwise=True), parameters=_MISSING)  # fmt: skip

_LIKENESS = _distance(
    "beta", None, "By what fraction of its overall frequency can a sensitive value become more likely?",
    "max (p − q)/q where p > q", "Cao & Karras 2012, basic β-likeness",
    closeness.basic_likeness, Kind.LIKENESS,
    caution="says nothing about values that a class lacks",
)  # fmt: skip

_ALL = (
    Measure("k", "privacy", "count", "max", 1, None, "How many people look the same, at least?",
            "min |C|", "Samarati & Sweeney 1998", sizes.k,
            Algebra(unsuppressed="rises", limited="rises", suppression="rises", classwise=True),
            published=_CLAIMED, shortfall="was too small", offered=True),
    Measure("weighted-k", "privacy", "count", "max", 1, None,
            "How many people look the same as an average person?",
            "Σ |C|² / N, before suppression", "Dewri et al., trade-offs, Eq. 6", sizes.weighted_k,
            Algebra(unsuppressed="rises", limited="rises", suppression="constant"),
            caution="says nothing about the smallest class"),
    Measure("l", "privacy", "count", "max", 1, None,
            "Among how many sensitive values is a person's value hidden, at least?",
            "min 1 / max p", "Dewri et al., trade-offs, Def. 4", diversity.diversity,
            _RISES, statistic=Kind.SHARE, link=Link.RECIPROCAL, over="sensitive",
            published=_CLAIMED, shortfall=TOO_ALIKE, offered=True),
    Measure("l-distinct", "privacy", "count", "max", 1, None,
            "How many different sensitive values does each class have, at least?",
            "min number of values", "Machanavajjhala et al. 2007", diversity.distinct_diversity,
            _RISES, statistic=Kind.DISTINCT, over="sensitive",
            published=_CLAIMED, shortfall=TOO_ALIKE, offered=True),
    Measure("l-entropy", "privacy", "count", "max", 1, None,
            "How many equally frequent values would give the same uncertainty?",
            "min exp(entropy of p)", "Machanavajjhala et al. 2007", diversity.entropy_diversity,
            _RISES, statistic=Kind.ENTROPY, link=Link.EXPONENTIAL, over="sensitive",
            published=_CLAIMED, shortfall=TOO_ALIKE),
    Measure("l-recursive", "privacy", "count", "max", 0, None,
            "Up to which ℓ is the most frequent value not too frequent?",
            "largest ℓ with r₁ < c·(r_ℓ + … + r_m) in every class", "Machanavajjhala et al. 2007",
            diversity.recursive_diversity, Algebra(unsuppressed="rises"),
            statistic=Kind.RECURSIVE, over="sensitive", parameters={"c": 3.0},
            published=_IN_FILE, shortfall=TOO_ALIKE),
    Measure("alpha", "privacy", "share", "min", 0, 1,
            "With what probability can a sensitive value be guessed, at worst?",
            "max p", "Wong et al. 2006", diversity.confidence,
            _FALLS, statistic=Kind.SHARE, over="sensitive",
            published=_CLAIMED, shortfall=TOO_ALIKE, offered=True),
    _VARIATION, _ORDERED, _TREE, _DIVERGENCE, _RATIO, _LIKENESS,
    replace(_DIVERGENCE, name="privacy-loss",
            question="How much information does a class give about its people (another name for t-js)?",
            reference="Li & Li 2009, Section 4 (P_loss)"),
    _released(_VARIATION, claimed=True),
    # A file contains neither the order of values nor their tree.
    _released(_ORDERED, claimed=False),
    _released(_TREE, claimed=False),
    _released(_DIVERGENCE, claimed=True),
    _released(_RATIO, claimed=True),
    _released(_LIKENESS, claimed=True),
    Measure("spread-k", "privacy", "count", "max", 1, None,
            "How many people look the same as each person in the release, summed?",
            "Σ |C|²", "Dewri et al., property-based, Section 4", sizes.spread_k,
            Algebra(unsuppressed="rises", suppression="falls")),
    Measure("spread-l", "privacy", "count", "max", 1, None,
            "How many people share each person's class and sensitive value, summed?",
            "Σ over rows of the count of the row's value in its class",
            "Dewri et al., property-based, Section 4",
            diversity.spread_diversity, Algebra(unsuppressed="rises", suppression="falls"),
            statistic=Kind.PAIRS, over="sensitive",
            caution="favours classes with one value, which hide nothing"),
    Measure("risk-highest", "privacy", "share", "min", 0, 1,
            "With what probability is a person's row picked, at worst?",
            "1 / k", "El Emam 2013, prosecutor risk", sizes.highest_risk,
            Algebra(unsuppressed="falls", limited="falls", suppression="falls"), published=_RISK),
    Measure("risk-average", "privacy", "share", "min", 0, 1,
            "What share of the people is found on average if all are searched for?",
            "classes / released rows", "El Emam 2013, marketer risk", sizes.average_risk,
            Algebra(unsuppressed="falls"), published=_RISK),
    Measure("uniques", "privacy", "count", "min", 0, None, "How many people are unique?",
            "rows in classes of size 1", "Skinner & Elliot 2002", sizes.unique_rows,
            Algebra(unsuppressed="falls", limited="falls", suppression="falls"), published=_CLAIMED),
    Measure(POPULATION_SIZE, "privacy", "count", "max", 1, None,
            "How many people of the population look the same as somebody in the release, at least?",
            "min F, the population's rows in a class", "Sweeney 2002, k-map", losses.from_classes,
            Algebra(unsuppressed="rises", suppression="rises"), from_classes=people.k_map,
            reach=people.reachable_k_map, needs="population",
            caution="only as good as the table of the population"),
    Measure("presence-max", "privacy", "share", "min", 0, 1,
            "With what probability is somebody of the population in the table, at most?",
            "max f / F", "Nergiz et al. 2007, δ-presence", losses.from_classes,
            Algebra(unsuppressed="falls", suppression="falls"), from_classes=people.presence_max,
            reach=people.reachable_presence_max, needs="population",
            caution="only as good as the table of the population"),
    Measure("presence-min", "privacy", "share", "max", 0, 1,
            "With what probability is somebody of the population in the table, at least?",
            "min f / F over all classes of the population", "Nergiz et al. 2007, δ-presence",
            losses.from_classes, Algebra(unsuppressed="rises", suppression="falls"),
            from_classes=people.presence_min, reach=people.reachable_presence_min, needs="population",
            caution="0 as soon as a class of the population has no row in the release"),
    Measure("k-map-estimated", "privacy", "count", "max", 1, None,
            "How many people of the population does a class stand for, at least, by weights or a sampling "
            "fraction?",
            "min F̂, the sum of the weights of a class", "Benedetti & Franconi 1998; k-map: Sweeney 2002",
            losses.from_classes, Algebra(unsuppressed="rises", suppression="rises"),
            from_classes=estimate.estimated_k_map, reach=estimate.reachable_estimated_k_map,
            needs="estimate", published=_OF_PEOPLE,
            caution="an estimate, never proven: a class of one row depends on one weight"),
    Measure("expected-reidentifications", "privacy", "count", "min", 0, None,
            "How many people of the release are expected to be found, if all are searched for in the "
            "population?",
            "Σ f·E[1/F], F negative binomial", "Benedetti & Franconi 1998", losses.from_classes,
            from_classes=estimate.expected_reidentifications,
            reach=estimate.reachable_expected_reidentifications, needs="estimate", published=_OF_PEOPLE,
            caution="an estimate, usually too low"),
    Measure(HOUSEHOLD_SIZE, "privacy", "count", "max", 1, None,
            "How many households show the same members, at least?",
            "min households with the same multiset of generalized members",
            "Templ 2017, household risk", losses.from_classes,
            Algebra(unsuppressed="rises", suppression="rises"), from_classes=homes.k_household,
            reach=homes.reachable_k_household, needs="households",
            caution="matters only where members of a household stay linkable in the release"),
    Measure("gl", "cost", "share", "min", 0, 1, "How much detail do the released rows lose?",
            "Σ w·(shown − 1)/(D − 1) / (N·Σw)", "Iyengar 2002", losses.generalization_loss,
            Algebra(unsuppressed="rises", suppression="falls", floor="staying-rows"),
            costs=("generalization",), caution="falls when rows are suppressed",
            parameters=_BY_WEIGHT, published=_STATED, offered=True),
    Measure("sl", "cost", "share", "min", 0, 1, "What share of the rows is suppressed?",
            "suppressed / N", "Dewri et al., trade-offs, Section 4", sizes.suppressed_share,
            Algebra(unsuppressed="constant", suppression="rises", floor="suppressed-rows"),
            parameters=_BY_WEIGHT, published=_STATED, offered=True),
    Measure("loss", "cost", "share", "min", 0, 1, "How much detail is lost in total?",
            "gl + sl", "Iyengar 2002 (GLM)", losses.loss, _FLOORED, costs=("generalization",),
            parameters=_BY_WEIGHT, published=_STATED, offered=True),
    Measure("discernibility", "cost", "count", "min", 1, None,
            "How many pairs of rows cannot be distinguished?",
            "Σ |C|² + suppressed·N", "Bayardo & Agrawal 2005", sizes.discernibility, _COSTS,
            per_suppressed_row=sizes.least_pairs_of_suppressed_row,
            caution="grows with the square of the number of rows"),
    Measure("classification-error", "cost", "share", "min", 0, 1,
            "What share of the rows does not have the majority label of its class?",
            "(suppressed + rows without the majority label) / N", "Iyengar 2002 (CM)",
            losses.classification_error, _COSTS, statistic=Kind.MAJORITY, over="class",
            per_suppressed_row=losses.least_error_of_suppressed_row),
    Measure("precision-loss", "cost", "share", "min", 0, 1,
            "How high in their hierarchies are the cells on average?",
            "mean of level / height", "Sweeney 2002 (Prec)", losses.precision_loss, _FLOORED,
            costs=("precision",), parameters=_BY_WEIGHT),
    Measure("average-class", "cost", "count", "min", 1, None,
            "How many rows does a class have on average?",
            "released rows / classes", "LeFevre et al. 2006", sizes.average_class,
            Algebra(unsuppressed="rises")),
    Measure("entropy-loss", "cost", "share", "min", 0, 1, "What share of each column's information is lost?",
            "Σ ln(f(shown)/f(value)) / (s·N·H)", "Gionis & Tassa 2009", losses.entropy_loss, _FLOORED,
            costs=("entropy",)),
    Measure("utility-loss", "cost", "distance", "min", 0, _LN_2,
            "How wrong are estimates for large populations, on average?",
            "mean over populations of JS(true, estimated)", "Li & Li 2009, Section 4.2 (U_loss)",
            losses.from_classes, over="sensitive", parameters={"minsup": 0.05}, from_classes=utility_loss),
    Measure("query-error", "cost", "share", "min", 0, None,
            "How far off are answers to counting queries, on average?",
            "mean of |estimate − actual| / actual", "Xiao & Tao 2006; Li & Li 2009, Section 5.2",
            losses.from_classes, over="sensitive",
            parameters={"queries": 1000, "qd": 4, "sel": 0.05, "seed": 0},
            caution="depends on the random queries", from_classes=query_error, drawn=True),
    Measure("sse", "cost", "share", "min", 0, None,
            "How far are shown numbers from the values, beside how much these vary?",
            "Σ (value − shown)² / Σ (value − mean)²", "Domingo-Ferrer & Mateo-Sanz 2002",
            losses.from_classes, from_classes=squared_error, needs="numbers",
            caution="about numeric quasi-identifiers alone"),
    Measure("marginal-error", "cost", "share", "min", 0, 1,
            "How far are the shares of single values off, on average?",
            "mean over columns of ½ Σ |true − estimated|", "Raab, Nowok & Dibben 2021 (one-way tables)",
            losses.from_classes, from_classes=marginal_error),
    Measure("association-error", "cost", "share", "min", 0, 1,
            "How far are the associations of two columns off, on average?",
            "mean over pairs of |V(original) − V(estimated)|", "Cramér 1946; Raab, Nowok & Dibben 2021",
            losses.from_classes, from_classes=association_error),
    Measure("pmse", "cost", "distance", "min", 0, 0.25,
            "How well can original and reconstructed rows be distinguished by two columns?",
            "mean over pairs of Σ (p + q)/2 · (p/(p + q) − ½)²",
            "Woo, Reiter, Oganian & Karr 2009; Raab, Nowok & Dibben 2021",
            losses.from_classes, from_classes=propensity_error),
)  # fmt: skip


def as_set(card: Measure, parameters: Mapping[str, object]) -> Measure:
    """The card of a measure with these parameters: some change what is known of it."""
    if parameters.get(WEIGHTS):
        return weighted(card)
    if parameters.get("missing") == "infinite":
        # Conditions on classes are about the values that occur.
        return replace(card, algebra=Algebra(unsuppressed="falls"))
    return card


MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _ALL}


def card_of(name: str) -> Measure | None:
    """The card of a measure by its name in a question (`l`, `l@diagnosis`); None if there is no such measure.

    >>> card_of("l@diagnosis").formula
    'min 1 / max p'
    """
    return MEASURES.get(MeasureName.parsed(name).measure)
