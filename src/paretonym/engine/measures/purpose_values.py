"""Values of declared analyses: how far a release moves the numbers that it is meant for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paretonym.engine.measures.estimates.declared_analyses import MORE_IS_BETTER, declared
from paretonym.engine.measures.estimates.released_regions import Seen


def interval_overlap(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Overlap of the confidence intervals of declared regressions with those of the original.

    Formula: the mean over coefficients of ½·(overlap/length₁ + overlap/length₂) of the two 95 % intervals, 0
    where they are disjoint or a column is not shown at all. Each row is spread evenly over the values that it
    shows. Of several regressions the least.

    Cost: combinations of values × coefficients², for each release that shows the analysis something new.

    Misleads about a single coefficient, which the mean may hide; and wide intervals overlap easily.

    Reference: Karr, Kohnen, Oganian, Reiter & Sanil 2006.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"sex": list("mmmmffff"), "pay": ["1", "2", "3", "4", "4", "5", "6", "7"]})
    >>> sex = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> columns = {"sex": sex, "pay": {"role": "other", "kept": "yes"}}
    >>> gap = {"name": "gap", "regression": "pay ~ sex", "tolerance": {"ci-overlap": 0.8}}
    >>> front = Study(table, {"columns": columns, "purpose": [gap]}).explore("k", "ci-overlap", suppress=0)
    >>> [(solution["k"], solution["ci-overlap"]) for solution in front]
    [(8.0, 0.0), (4.0, 1.0)]
    """
    return _worst(seen, columns, "ci-overlap")


def sign_kept(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """The share of the significant findings of declared regressions that stay significant.

    Formula: of the original's coefficients whose 95 % interval excludes 0, the share whose interval in the
    release excludes it on the same side; 1 if there is none. Of several regressions the least.

    Cost: none beyond that of ci-overlap.

    Misleads about size: an effect may shrink to a tenth and keep its sign.

    Reference: Karr, Kohnen, Oganian, Reiter & Sanil 2006 on inferences that survive.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"sex": list("mmmmffff"), "pay": ["1", "2", "3", "4", "4", "5", "6", "7"]})
    >>> sex = {"role": "quasi", "hierarchy": {"flat": True}}
    >>> columns = {"sex": sex, "pay": {"role": "other", "kept": "yes"}}
    >>> gap = {"name": "gap", "regression": "pay ~ sex", "tolerance": {"sign-kept": 1}}
    >>> front = Study(table, {"columns": columns, "purpose": [gap]}).explore("k", "sign-kept", suppress=0)
    >>> [(solution["k"], solution["sign-kept"]) for solution in front]
    [(8.0, 0.0), (4.0, 1.0)]
    """
    return _worst(seen, columns, "sign-kept")


def table_error(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Error of the shares of declared tables.

    Formula: ½ Σ |share in the original − share in the release| over the combinations of values; 1 if a column
    is not shown at all. Of several tables the largest.

    Cost: combinations of values, for each release that shows the analysis something new.

    Misleads about rare combinations: one that vanishes costs no more than its share.

    Reference: total variation distance; Raab, Nowok & Dibben 2021 on tables of declared columns.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "20", "21", "30", "31"]})
    >>> age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    >>> shares = {"name": "ages", "table": ["age"], "tolerance": {"table-error": 0.2}}
    >>> study = Study(table, {"columns": {"age": age}, "purpose": [shares]})
    >>> front = study.explore("k", "table-error", suppress=0, space="lattice")
    >>> [solution["table-error"] for solution in front]
    [1.0, 0.1666666667, 0.0]
    """
    return _worst(seen, columns, "table-error")


def mean_error(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Error of declared means, in standard errors of the original.

    Formula: |mean in the original − mean in the release| / standard error in the original, of several groups
    or means the largest; infinite if a column is not shown at all, or a group is gone, or if the standard
    error is 0 and the means differ.

    Cost: combinations of values, for each release that shows the analysis something new.

    Misleads about large tables, whose standard errors are tiny.

    Reference: the standard error of the mean in the original, as the unit of a difference.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "20", "24", "30", "30"]})
    >>> age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    >>> mean = {"name": "age", "mean": "age", "tolerance": {"mean-error": 1}}
    >>> study = Study(table, {"columns": {"age": age}, "purpose": [mean]})
    >>> front = study.explore("k", "mean-error", suppress=0, space="lattice")
    >>> [solution["mean-error"] for solution in front]
    [inf, 0.3333333333, 0.0]
    """
    return _worst(seen, columns, "mean-error")


def quantile_error(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """Error of declared quantiles, in interquartile ranges of the original.

    Formula: |quantile in the original − quantile in the release| / interquartile range in the original, of
    several groups or quantiles the largest; infinite where a mean-error is. A quantile is the smallest value
    that at least this share of the rows does not exceed.

    Cost: combinations of values, for each release that shows the analysis something new.

    Misleads about values with many equal ones, where a quantile does not move until it jumps.

    Reference: Hyndman & Fan 1996, definition 1 of a sample quantile.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "20", "24", "30", "30"]})
    >>> age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    >>> median = {"name": "age", "quantile": ["age", 0.5], "tolerance": {"quantile-error": 1}}
    >>> study = Study(table, {"columns": {"age": age}, "purpose": [median]})
    >>> front = study.explore("k", "quantile-error", suppress=0, space="lattice")
    >>> [solution["quantile-error"] for solution in front]
    [inf, 0.4, 0.0]
    """
    return _worst(seen, columns, "quantile-error")


def purpose_share(seen: Seen, columns: Sequence[str], _parameters: Mapping[str, Any]) -> float:
    """The share of the declared analyses that stay within tolerance.

    Formula: analyses whose every value is within its tolerance / analyses.

    Cost: that of every analysis.

    Misleads about what fails: a share says neither which analysis nor by how much.

    Reference: Regulation (EU) 2025/327, Article 66, asks whether a purpose can be achieved; tolerances are
    the user's own.

    >>> import pyarrow as pa
    >>> from paretonym.study.study import Study
    >>> table = pa.table({"age": ["20", "20", "20", "21", "30", "31"]})
    >>> age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    >>> shares = {"name": "ages", "table": ["age"], "tolerance": {"table-error": 0.2}}
    >>> study = Study(table, {"columns": {"age": age}, "purpose": [shares]})
    >>> front = study.explore("k", "purpose", suppress=0, space="lattice")
    >>> [(solution["k"], solution["purpose"]) for solution in front]
    [(6.0, 0.0), (2.0, 1.0)]
    """
    results = [analysis.result(seen) for analysis in declared(seen.cube, columns)]
    return sum(result.met for result in results) / len(results)


def _worst(seen: Seen, columns: Sequence[str], name: str) -> float:
    """The worst value of one measure over the analyses of these purposes that have it."""
    results = [analysis.result(seen).values for analysis in declared(seen.cube, columns)]
    values = [result[name] for result in results if name in result]
    return min(values) if name in MORE_IS_BETTER else max(values)
