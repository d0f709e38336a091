"""The registry: every measure in one readable table, and the few that are named elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from paretonym.base.plug_ins import MEASURES as PLUGGED_MEASURES
from paretonym.base.plug_ins import plug_ins, plugged
from paretonym.engine.counts import Kind, Link
from paretonym.engine.measures import class_size as sizes
from paretonym.engine.measures import closeness, diversity
from paretonym.engine.measures import estimated_population as estimate
from paretonym.engine.measures import information_loss as losses
from paretonym.engine.measures import population_size as people
from paretonym.engine.measures import purpose_values as purposes
from paretonym.engine.measures.card import Algebra, Basis, FromClasses, Measure, MeasureName, Published, Scale
from paretonym.engine.measures.estimates.counting_queries import query_error
from paretonym.engine.measures.estimates.populations import utility_loss
from paretonym.engine.measures.estimates.reader_table import (
    association_error,
    marginal_error,
    propensity_error,
)
from paretonym.engine.measures.estimates.squared_error import squared_error
from paretonym.engine.measures.information_loss import from_classes
from paretonym.engine.measures.weighted_loss import WEIGHTS, weighted

# The measures of every solution, named wherever a release is described.
CLASS_SIZE, GENERALIZATION, SUPPRESSION, LOSS = "k", "gl", "sl", "loss"
# What microaggregation is compared by.
SQUARED_ERROR = "sse"
# Stated by every release of a table with households.
HOUSEHOLD_SIZE = "k-household"
POPULATION_SIZE = "k-map"
# The share of declared analyses that are within tolerance.
PURPOSE = "purpose"
# Stated beside it.
POPULATION_SHARES = ("presence-max", "presence-min")
ALWAYS = (CLASS_SIZE, GENERALIZATION, SUPPRESSION, LOSS)
# The default objectives of a search and of a parameter sweep.
OBJECTIVES = (CLASS_SIZE, LOSS)
SWEPT_OBJECTIVES = ("privacy-loss", "utility-loss")

_LN_2 = 0.6931471805599454
_COUNT, _COUNT_OR_0 = Scale("count", 1), Scale("count", 0)
_SHARE, _ABOVE_0 = Scale("share", 0, 1), Scale("share", 0)
_TO_1, _TO_LN_2, _DISTANCE = Scale("distance", 0, 1), Scale("distance", 0, _LN_2), Scale("distance", 0)

_RISES = Algebra(unsuppressed="rises", classwise=True)
_FALLS = Algebra(unsuppressed="falls", classwise=True)
_COSTS = Algebra(unsuppressed="rises", suppression="rises")
_FLOORED = replace(_COSTS, floor="all-rows")
_RISKS = Algebra(unsuppressed="falls", limited="falls", suppression="falls")

_IN_FILE = Published(in_file=True)
_CLAIMED = Published(in_file=True, claimed=True)
_RISK = Published(in_file=True, claimed=True, of_people=True)
_STATED = Published(stated=True)
_OF_PEOPLE = Published(of_people=True)

# 1: every row counts as often as its sampling weight says.
_BY_WEIGHT = {WEIGHTS: (0, 1)}
# What a value that a class lacks does to a ratio: nothing, or it makes it infinite.
_MISSING = {"missing": ("ignored", "infinite")}
_CELLS = Basis(rule="generalization")


def _values(statistic: Kind, link: Link = Link.IDENTITY) -> Basis:
    """A statistic of the sensitive values of each class."""
    return Basis(statistic=statistic, over="sensitive", link=link)


def _distance(statistic: Kind) -> Basis:
    """A distance of each class from the distribution of the input."""
    return Basis(statistic=statistic, over="sensitive", against="input")


def _shown(function: FromClasses, of_values: bool = False) -> Basis:
    """All that classes show, and how often sensitive values occur in them."""
    return Basis(from_classes=function, over="sensitive" if of_values else None)


def _declared(function: FromClasses) -> Basis:
    """Declared analyses of what classes show."""
    return Basis(from_classes=function, over="purposes")


def _released(card: Measure) -> Measure:
    """The card of the same distance from the distribution of the release, which a file alone can show unless
    it depends on an order or a tree of the values."""
    claimed = card.counted.statistic not in (Kind.ORDERED, Kind.TREE)
    return replace(
        card,
        name=f"{card.name}-release",
        question=f"{card.question.removesuffix('?')}, measured against the release itself?",
        formula=f"{card.formula}, q of the release",
        counted=replace(card.counted, against="release"),
        algebra=Algebra(unsuppressed=card.algebra.unsuppressed),
        published=_CLAIMED if claimed else Published(),
        offered=False,
    )


_DISTANCES = (
    Measure("t", "risk", _TO_1, "How far is a class's sensitive distribution from the whole table's?",
            "max ½ Σ |p − q|", "Li et al. 2007, total variation",
            closeness.total_variation, _distance(Kind.VARIATION), _FALLS, offered=True),
    Measure("t-ordered", "risk", _TO_1,
            "How far is a class's distribution of ordered values from the table's?",
            "max Σ |cumulative p − q| / (m − 1)", "Li et al. 2007, ordered distance",
            closeness.ordered_distance, _distance(Kind.ORDERED), _FALLS),
    Measure("t-tree", "risk", _TO_1,
            "How far is a class's distribution of values in a tree from the table's?",
            "max Σ moved · height of the common ancestor / height", "Li et al. 2007, hierarchical distance",
            closeness.tree_distance, _distance(Kind.TREE), _FALLS),
    Measure("t-js", "risk", _TO_LN_2,
            "How much information does a class give about its sensitive values?",
            "max Jensen–Shannon divergence of p and q", "Li & Li 2009, Section 4",
            closeness.jensen_shannon, _distance(Kind.DIVERGENCE), _FALLS),
    # Not monotone: A = 1 v + 1 w, B = 8 w, C = 9 v have 0.747, A with B merged 1.661.
    Measure("delta", "risk", _DISTANCE,
            "By what factor (as a logarithm) can a sensitive value become more or less likely?",
            "max |ln(p/q)| over the values that occur in the class",
            "Li & Li 2009, Section 4.1; Brickell & Shmatikov 2008, semantic privacy",
            closeness.largest_ratio, _distance(Kind.RATIO), Algebra(classwise=True), parameters=_MISSING,
            caution="says nothing about values that a class lacks (missing=infinite does)"),
    Measure("beta", "risk", _DISTANCE,
            "By what fraction of its overall frequency can a sensitive value become more likely?",
            "max (p − q)/q where p > q", "Cao & Karras 2012, basic β-likeness",
            closeness.basic_likeness, _distance(Kind.LIKENESS), _FALLS,
            caution="says nothing about values that a class lacks"),
)  # fmt: skip
_DIVERGENCE = _DISTANCES[3]

_ALL = (
    Measure("k", "protection", _COUNT, "How many people look the same, at least?",
            "min |C|", "Samarati & Sweeney 1998", sizes.k,
            algebra=Algebra(unsuppressed="rises", limited="rises", suppression="rises", classwise=True),
            published=_CLAIMED, offered=True),
    Measure("weighted-k", "protection", _COUNT, "How many people look the same as an average person?",
            "Σ |C|² / N, before suppression", "Dewri et al., trade-offs, Eq. 6", sizes.weighted_k,
            algebra=Algebra(unsuppressed="rises", limited="rises", suppression="constant"),
            caution="says nothing about the smallest class"),
    Measure("l", "protection", _COUNT,
            "Among how many sensitive values is a person's value hidden, at least?",
            "min 1 / max p", "Dewri et al., trade-offs, Def. 4", diversity.diversity,
            _values(Kind.SHARE, Link.RECIPROCAL), _RISES, _CLAIMED, offered=True),
    Measure("l-distinct", "protection", _COUNT,
            "How many different sensitive values does each class have, at least?",
            "min number of values", "Machanavajjhala et al. 2007", diversity.distinct_diversity,
            _values(Kind.DISTINCT), _RISES, _CLAIMED, offered=True),
    Measure("l-entropy", "protection", _COUNT,
            "How many equally frequent values would give the same uncertainty?",
            "min exp(entropy of p)", "Machanavajjhala et al. 2007", diversity.entropy_diversity,
            _values(Kind.ENTROPY, Link.EXPONENTIAL), _RISES, _CLAIMED),
    Measure("l-recursive", "protection", _COUNT_OR_0,
            "Up to which ℓ is the most frequent value not too frequent?",
            "largest ℓ with r₁ < c·(r_ℓ + … + r_m) in every class", "Machanavajjhala et al. 2007",
            diversity.recursive_diversity, _values(Kind.RECURSIVE), Algebra(unsuppressed="rises"), _IN_FILE,
            parameters={"c": 3.0}),
    Measure("alpha", "risk", _SHARE, "With what probability can a sensitive value be guessed, at worst?",
            "max p", "Wong et al. 2006", diversity.confidence,
            _values(Kind.SHARE), _FALLS, _CLAIMED, offered=True),
    *_DISTANCES,
    replace(_DIVERGENCE, name="privacy-loss",
            question="How much information does a class give about its people (another name for t-js)?",
            reference="Li & Li 2009, Section 4 (P_loss)"),
    *map(_released, _DISTANCES),
    Measure("spread-k", "protection", _COUNT,
            "How many people look the same as each person in the release, summed?",
            "Σ |C|²", "Dewri et al., property-based, Section 4", sizes.spread_k,
            algebra=Algebra(unsuppressed="rises", suppression="falls")),
    Measure("spread-l", "protection", _COUNT,
            "How many people share each person's class and sensitive value, summed?",
            "Σ over rows of the count of the row's value in its class",
            "Dewri et al., property-based, Section 4", diversity.spread_diversity,
            _values(Kind.PAIRS), Algebra(unsuppressed="rises", suppression="falls"),
            caution="favours classes with one value, which hide nothing"),
    Measure("risk-highest", "risk", _SHARE, "With what probability is a person's row picked, at worst?",
            "1 / k", "El Emam 2013, prosecutor risk", sizes.highest_risk, algebra=_RISKS, published=_RISK),
    Measure("risk-average", "risk", _SHARE,
            "What share of the people is found on average if all are searched for?",
            "classes / released rows", "El Emam 2013, marketer risk", sizes.average_risk,
            algebra=Algebra(unsuppressed="falls"), published=_RISK),
    Measure("uniques", "risk", _COUNT_OR_0, "How many people are unique?",
            "rows in classes of size 1", "Skinner & Elliot 2002", sizes.unique_rows,
            algebra=_RISKS, published=_CLAIMED),
    Measure(POPULATION_SIZE, "protection", _COUNT,
            "How many people of the population look the same as somebody in the release, at least?",
            "min F, the population's rows in a class", "Sweeney 2002, k-map", from_classes,
            _shown(people.k_map), replace(_COSTS, reach=people.reachable_k_map), needs="population",
            caution="only as good as the table of the population"),
    Measure("presence-max", "risk", _SHARE,
            "With what probability is somebody of the population in the table, at most?",
            "max f / F", "Nergiz et al. 2007, δ-presence", from_classes, _shown(people.presence_max),
            Algebra(unsuppressed="falls", suppression="falls", reach=people.reachable_presence_max),
            needs="population", caution="only as good as the table of the population"),
    Measure("presence-min", "protection", _SHARE,
            "With what probability is somebody of the population in the table, at least?",
            "min f / F over all classes of the population", "Nergiz et al. 2007, δ-presence",
            from_classes, _shown(people.presence_min),
            Algebra(unsuppressed="rises", suppression="falls", reach=people.reachable_presence_min),
            needs="population", caution="0 as soon as a class of the population has no row in the release"),
    Measure("k-map-estimated", "protection", _COUNT,
            "How many people of the population does a class stand for, at least, by weights or a sampling "
            "fraction?",
            "min F̂, the sum of the weights of a class", "Benedetti & Franconi 1998; k-map: Sweeney 2002",
            from_classes, _shown(estimate.estimated_k_map),
            replace(_COSTS, reach=estimate.reachable_estimated_k_map), _OF_PEOPLE, needs="estimate",
            caution="an estimate, never proven: a class of one row depends on one weight"),
    Measure("expected-reidentifications", "risk", _COUNT_OR_0,
            "How many people of the release are expected to be found, if all are searched for in the "
            "population?",
            "Σ f·E[1/F], F negative binomial", "Benedetti & Franconi 1998", from_classes,
            _shown(estimate.expected_reidentifications),
            Algebra(reach=estimate.reachable_expected_reidentifications), _OF_PEOPLE, needs="estimate",
            caution="an estimate, usually too low"),
    Measure(HOUSEHOLD_SIZE, "protection", _COUNT, "How many households show the same members, at least?",
            "min households with the same multiset of generalized members",
            "Templ 2017, household risk", from_classes, _shown(sizes.k_household),
            replace(_COSTS, reach=sizes.reachable_k_household), needs="households",
            caution="matters only where members of a household stay linkable in the release"),
    Measure("k-ratio", "protection", _ABOVE_0,
            "How much of the k that they require do people get, at least?",
            "min |C| / largest k required in C", "Dewri et al., trade-offs, Sections 1 and 8",
            from_classes, _shown(sizes.k_ratio), replace(_COSTS, reach=sizes.reachable_k_ratio),
            needs="required", caution="1 or more: everybody has what they require"),
    Measure("gl", "loss", _SHARE, "How much detail do the released rows lose?",
            "Σ w·(shown − 1)/(D − 1) / (N·Σw)", "Iyengar 2002", losses.generalization_loss, _CELLS,
            Algebra(unsuppressed="rises", suppression="falls", floor="staying-rows"), _STATED,
            parameters=_BY_WEIGHT, caution="falls when rows are suppressed", offered=True),
    Measure("sl", "loss", _SHARE, "What share of the rows is suppressed?",
            "suppressed / N", "Dewri et al., trade-offs, Section 4", sizes.suppressed_share, Basis(),
            Algebra(unsuppressed="constant", suppression="rises", floor="suppressed-rows"), _STATED,
            parameters=_BY_WEIGHT, offered=True),
    Measure("loss", "loss", _SHARE, "How much detail is lost in total?",
            "gl + sl", "Iyengar 2002 (GLM)", losses.loss, _CELLS, _FLOORED, _STATED,
            parameters=_BY_WEIGHT, offered=True),
    Measure("discernibility", "loss", _COUNT, "How many pairs of rows cannot be distinguished?",
            "Σ |C|² + suppressed·N", "Bayardo & Agrawal 2005", sizes.discernibility,
            algebra=replace(_COSTS, per_suppressed_row=sizes.least_pairs_of_suppressed_row),
            caution="grows with the square of the number of rows"),
    Measure("classification-error", "loss", _SHARE,
            "What share of the rows does not have the majority label of its class?",
            "(suppressed + rows without the majority label) / N", "Iyengar 2002 (CM)",
            losses.classification_error, Basis(statistic=Kind.MAJORITY, over="class"),
            replace(_COSTS, per_suppressed_row=losses.least_error_of_suppressed_row)),
    Measure("precision-loss", "loss", _SHARE,
            "How high in their hierarchies are the cells on average?",
            "mean of level / height", "Sweeney 2002 (Prec)", losses.precision_loss,
            Basis(rule="precision"), _FLOORED, parameters=_BY_WEIGHT),
    Measure("average-class", "loss", _COUNT, "How many rows does a class have on average?",
            "released rows / classes", "LeFevre et al. 2006", sizes.average_class,
            algebra=Algebra(unsuppressed="rises")),
    Measure("entropy-loss", "loss", _SHARE, "What share of each column's information is lost?",
            "Σ ln(f(shown)/f(value)) / (s·N·H)", "Gionis & Tassa 2009", losses.entropy_loss,
            Basis(rule="entropy"), _FLOORED),
    Measure("utility-loss", "loss", _TO_LN_2,
            "How wrong are estimates for large populations, on average?",
            "mean over populations of JS(true, estimated)", "Li & Li 2009, Section 4.2 (U_loss)",
            from_classes, _shown(utility_loss, of_values=True),
            parameters={"minsup": 0.05, "reader": ("uniform", "margins")}),
    Measure("query-error", "loss", _ABOVE_0,
            "How far off are answers to counting queries, on average?",
            "mean of |estimate − actual| / actual", "Xiao & Tao 2006; Li & Li 2009, Section 5.2",
            from_classes, _shown(query_error, of_values=True),
            parameters={"queries": 1000, "qd": 4, "sel": 0.05, "seed": 0},
            caution="depends on the random queries"),
    Measure(SQUARED_ERROR, "loss", _ABOVE_0,
            "How far are shown numbers from the values, beside how much these vary?",
            "Σ (value − shown)² / Σ (value − mean)²", "Domingo-Ferrer & Mateo-Sanz 2002",
            from_classes, _shown(squared_error), needs="numbers",
            caution="about numeric quasi-identifiers alone"),
    Measure("marginal-error", "loss", _SHARE, "How far are the shares of single values off, on average?",
            "mean over columns of ½ Σ |true − estimated|", "Raab, Nowok & Dibben 2021 (one-way tables)",
            from_classes, _shown(marginal_error)),
    Measure("association-error", "loss", _SHARE,
            "How far are the associations of two columns off, on average?",
            "mean over pairs of |V(original) − V(estimated)|", "Cramér 1946; Raab, Nowok & Dibben 2021",
            from_classes, _shown(association_error)),
    Measure("pmse", "loss", Scale("distance", 0, 0.25),
            "How well can original and reconstructed rows be distinguished by two columns?",
            "mean over pairs of Σ (p + q)/2 · (p/(p + q) − ½)²",
            "Woo, Reiter, Oganian & Karr 2009; Raab, Nowok & Dibben 2021",
            from_classes, _shown(propensity_error)),
    Measure("ci-overlap", "utility", _TO_1,
            "How far do the confidence intervals of declared regressions overlap?",
            "mean of ½ (overlap / length + overlap / other length)", "Karr et al. 2006",
            from_classes, _declared(purposes.interval_overlap), needs="purposes",
            caution="the mean over coefficients may hide one of them"),
    Measure("sign-kept", "utility", _SHARE, "What share of the significant findings stays significant?",
            "coefficients significant with the same sign / significant coefficients", "Karr et al. 2006",
            from_classes, _declared(purposes.sign_kept), needs="purposes",
            caution="says nothing about the size of an effect"),
    Measure("table-error", "loss", _SHARE, "How far are the shares of declared tables off?",
            "½ Σ |true − estimated|", "Raab, Nowok & Dibben 2021",
            from_classes, _declared(purposes.table_error), needs="purposes"),
    Measure("mean-error", "loss", _DISTANCE, "How many standard errors are declared means off?",
            "|true − estimated| / standard error", "the standard error of a mean as a unit",
            from_classes, _declared(purposes.mean_error), needs="purposes"),
    Measure("quantile-error", "loss", _DISTANCE, "How many interquartile ranges are declared quantiles off?",
            "|true − estimated| / interquartile range", "Hyndman & Fan 1996",
            from_classes, _declared(purposes.quantile_error), needs="purposes"),
    Measure(PURPOSE, "utility", _SHARE, "What share of the declared analyses is within tolerance?",
            "analyses within tolerance / analyses", "Regulation (EU) 2025/327, Article 66",
            from_classes, _declared(purposes.purpose_share), needs="purposes"),
)  # fmt: skip


def as_set(card: Measure, parameters: Mapping[str, object]) -> Measure:
    """The card of a measure with these parameters: some change what is known of it."""
    if parameters.get(WEIGHTS):
        return weighted(card)
    if parameters.get("missing") == "infinite":
        return replace(card, algebra=_FALLS)
    return card


class _Measures(Mapping[str, Measure]):
    """Every measure by its name: the built-in ones, then those of other packages."""

    def __init__(self, built_in: Iterable[Measure]) -> None:
        self._built_in = {measure.name: measure for measure in built_in}

    def __getitem__(self, name: str) -> Measure:
        if name in self._built_in:
            return self._built_in[name]
        if name not in plug_ins(PLUGGED_MEASURES):
            raise KeyError(name)
        measure: Measure = plugged(PLUGGED_MEASURES, name)
        return measure

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._built_in, *plug_ins(PLUGGED_MEASURES))))

    def __len__(self) -> int:
        return len(tuple(iter(self)))


MEASURES: Mapping[str, Measure] = _Measures(_ALL)


def card_of(name: str) -> Measure | None:
    """The card of a measure by its name in a question (`l`, `l@diagnosis`); None if there is no such measure.

    >>> card_of("l@diagnosis").formula
    'min 1 / max p'
    """
    return MEASURES.get(MeasureName.parsed(name).measure)
