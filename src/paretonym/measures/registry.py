"""Every measure, in one table that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paretonym.counts.class_statistics import Kind
from paretonym.measures import class_size as sizes
from paretonym.measures import closeness, diversity
from paretonym.measures import information_loss as losses
from paretonym.measures.card import Algebra, Measure
from paretonym.measures.estimates.counting_queries import query_error
from paretonym.measures.estimates.populations import utility_loss

_RISES = Algebra(unsuppressed="rises", classwise=True)
_FALLS = Algebra(unsuppressed="falls", classwise=True)
_COSTS = Algebra(unsuppressed="rises", suppression="rises")

_DISTANCES = (
    Measure("t", "min", 0, 1, "How far is a class's sensitive distribution from the whole table's?",
            "max ½ Σ |p − q|", "Li et al. 2007, total variation", closeness.farthest,
            _FALLS, statistic=Kind.VARIATION, over="sensitive"),
    Measure("t-ordered", "min", 0, 1, "The same for ordered values: how far would they have to be moved?",
            "max Σ |cumulated p − q| / (m − 1)", "Li et al. 2007, ordered distance", closeness.farthest,
            _FALLS, statistic=Kind.ORDERED, over="sensitive"),
    Measure("t-tree", "min", 0, 1, "The same over a tree: how far up would they have to be moved?",
            "max Σ moved · height of the common ancestor / height", "Li et al. 2007, hierarchical distance",
            closeness.farthest, _FALLS, statistic=Kind.TREE, over="sensitive"),
    Measure("t-js", "min", 0, 0.6931471805599454, "The same as information: how much does a class tell?",
            "max Jensen–Shannon divergence of p and q", "Li & Li 2009, Section 4", closeness.farthest,
            _FALLS, statistic=Kind.DIVERGENCE, over="sensitive"),
    Measure("delta", "min", 0, None, "By which factor can any sensitive value get more or less likely?",
            "max |ln(p/q)|", "Brickell & Shmatikov 2008, semantic privacy", closeness.farthest,
            _FALLS, statistic=Kind.RATIO, over="sensitive",
            caution="infinite where a class lacks a value"),
)  # fmt: skip


def _released(card: Measure) -> Measure:
    """The same distance from the release's own distribution: what a file alone can show."""
    return replace(
        card,
        name=f"{card.name}-release",
        question=f"{card.question.removesuffix('?')}, measured against the release itself?",
        formula=f"{card.formula}, q of the release",
        algebra=Algebra(unsuppressed="falls"),
        released=True,
    )


_ALL = (
    Measure("k", "max", 1, None, "How many people at least look the same?",
            "min |C|", "Samarati & Sweeney 1998", sizes.k,
            Algebra(unsuppressed="rises", limited="rises", suppression="rises", classwise=True)),
    Measure("weighted-k", "max", 1, None, "How many people look the same as an average person?",
            "Σ |C|² / N, before suppression", "Dewri et al., trade-offs, Eq. 6", sizes.weighted_k,
            Algebra(unsuppressed="rises", limited="rises", suppression="constant"),
            caution="says nothing about the smallest class"),
    Measure("l", "max", 1, None, "Among how many sensitive values can a person's hide?",
            "min 1 / max p", "Dewri et al., trade-offs, Def. 4", diversity.diversity,
            _RISES, statistic=Kind.SHARE, over="sensitive"),
    Measure("l-distinct", "max", 1, None, "How many different sensitive values has each class at least?",
            "min number of values", "Machanavajjhala et al. 2007", diversity.distinct_diversity,
            _RISES, statistic=Kind.DISTINCT, over="sensitive"),
    Measure("l-entropy", "max", 1, None, "How many equally frequent values would be as uncertain?",
            "min exp(entropy of p)", "Machanavajjhala et al. 2007", diversity.entropy_diversity,
            _RISES, statistic=Kind.ENTROPY, over="sensitive"),
    Measure("l-recursive", "max", 0, None, "Up to which ℓ is the most frequent value not too frequent?",
            "largest ℓ with r₁ < c·(r_ℓ + … + r_m) in every class", "Machanavajjhala et al. 2007",
            diversity.recursive_diversity, Algebra(unsuppressed="rises"),
            statistic=Kind.RECURSIVE, over="sensitive", parameters={"c": 3.0}),
    Measure("alpha", "min", 0, 1, "How sure can a guess of the sensitive value be?",
            "max p", "Wong et al. 2006", diversity.confidence,
            _FALLS, statistic=Kind.SHARE, over="sensitive"),
    *_DISTANCES,
    replace(_DISTANCES[3], name="privacy-loss",
            question="How much does a class tell about its people? (another name of t-js)",
            reference="Li & Li 2009, Section 4 (P_loss)"),
    *(_released(card) for card in _DISTANCES),
    Measure("spread-k", "max", 1, None, "How many look like each of the people that stay, summed?",
            "Σ |C|²", "Dewri et al., property-based, Section 4", sizes.spread_k,
            Algebra(unsuppressed="rises", suppression="falls")),
    Measure("spread-l", "max", 1, None, "How many share each one's sensitive value in its class, summed?",
            "Σ over rows of the count of my value", "Dewri et al., property-based, Section 4",
            diversity.spread_diversity, Algebra(unsuppressed="rises", suppression="falls"),
            statistic=Kind.PAIRS, over="sensitive",
            caution="rewards classes of one value, which hide nothing"),
    Measure("risk-highest", "min", 0, 1, "How likely is it at worst to pick a person's row?",
            "1 / k", "El Emam 2013, prosecutor risk", sizes.highest_risk,
            Algebra(unsuppressed="falls", limited="falls", suppression="falls")),
    Measure("risk-average", "min", 0, 1, "Which share of people would be found, all being looked for?",
            "classes / rows that stay", "El Emam 2013, marketer risk", sizes.average_risk,
            Algebra(unsuppressed="falls")),
    Measure("uniques", "min", 0, None, "How many people are alone in their class?",
            "rows in classes of size 1", "Skinner & Elliot 2002", sizes.unique_rows,
            Algebra(unsuppressed="falls", limited="falls", suppression="falls")),
    Measure("gl", "min", 0, 1, "How much detail do the rows that stay lose?",
            "Σ w·(shown − 1)/(D − 1) / (N·Σw)", "Iyengar 2002", losses.generalization_loss,
            Algebra(unsuppressed="rises", suppression="falls"), costs=("generalization",),
            caution="falls when rows are suppressed"),
    Measure("sl", "min", 0, 1, "Which share of the rows is left out?",
            "suppressed / N", "Dewri et al., trade-offs, Section 4", sizes.suppressed_share,
            Algebra(unsuppressed="constant", suppression="rises")),
    Measure("loss", "min", 0, 1, "How much detail is lost in all?",
            "gl + sl", "Iyengar 2002 (GLM)", losses.loss, _COSTS, costs=("generalization",)),
    Measure("discernibility", "min", 1, None, "How many pairs of rows cannot be told apart?",
            "Σ |C|² + suppressed·N", "Bayardo & Agrawal 2005", sizes.discernibility, _COSTS,
            caution="grows with the square of the number of rows"),
    Measure("classification-error", "min", 0, 1, "Which share of rows has not its class's usual label?",
            "(suppressed + rows without the majority label) / N", "Iyengar 2002 (CM)",
            losses.classification_error, _COSTS, statistic=Kind.MAJORITY, over="class"),
    Measure("precision-loss", "min", 0, 1, "How far up their hierarchies are cells on average?",
            "mean of level / height", "Sweeney 2002 (Prec)", losses.precision_loss, _COSTS,
            costs=("precision",)),
    Measure("average-class", "min", 1, None, "How many rows has a class on average?",
            "rows that stay / classes", "LeFevre et al. 2006", sizes.average_class,
            Algebra(unsuppressed="rises")),
    Measure("entropy-loss", "min", 0, 1, "Which share of each column's information is lost?",
            "Σ ln(f(shown)/f(value)) / (s·N·H)", "Gionis & Tassa 2009", losses.entropy_loss, _COSTS,
            costs=("entropy",)),
    Measure("utility-loss", "min", 0, 0.6931471805599454,
            "How wrong is what large populations seem to have, on average?",
            "mean over populations of JS(true, estimated)", "Li & Li 2009, Section 4.2 (U_loss)",
            losses.from_classes, over="sensitive", parameters={"minsup": 0.05}, from_classes=utility_loss),
    Measure("query-error", "min", 0, None, "How far off are answers to counting queries, on average?",
            "mean of |estimate − actual| / actual", "Xiao & Tao 2006; Li & Li 2009, Section 5.2",
            losses.from_classes, over="sensitive",
            parameters={"queries": 1000, "qd": 4, "sel": 0.05, "seed": 0},
            caution="hangs on the queries that are drawn", from_classes=query_error, drawn=True),
)  # fmt: skip

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _ALL}
