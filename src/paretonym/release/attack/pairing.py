"""Two releases of one table: what they reveal together that neither does alone.

A person's row is in the person's class of the first file and in the one of the second; what both files show
as it is (sensitive values, labels, other columns) is the same in both. So of each combination v of these at
most min(a_v, b_v) rows can be the person's, a_v and b_v counting the rows with v in the two classes.
"""

from __future__ import annotations

from paretonym.release.attack.findings import PairLinkage, Pinning
from paretonym.release.attack.target import Target
from paretonym.release.audit.meaning import Original
from paretonym.release.audit.recoded import count_texts
from paretonym.release.audit.tablefile import listed


def pair(first: Target, second: Target, original: Original) -> PairLinkage:
    """Join every person of the original with both releases, and the rows of these with each other."""
    engine = first.engine
    shown = first.show(original), second.show(original)
    k = min(first.k(shown[0]), second.k(shown[1]))
    _join(first, second, original, shown)
    both, one, smallest, narrowed, shared = engine.row(
        "select sum(people) filter (a_size > 0 and b_size > 0), "
        "sum(people) filter ((a_size > 0) <> (b_size > 0)), min(rest), "
        f"sum(people) filter (rest < {k}), min(people) filter (a_size > 0 and b_size > 0) from joined"
    )
    names = [column.name for column in original.kept if column.values and column.name in _kept(first, second)]
    return PairLinkage(
        (str(first.file.path), str(second.file.path)),
        original.rows,
        k,
        int(both or 0),
        int(one or 0),
        int(smallest or 0),
        int(narrowed or 0),
        int(shared or 0),
        tuple(_pinning(first, second, original, name) for name in names),
    )


def _kept(first: Target, second: Target) -> list[str]:
    return [name for name in first.file.names if name in second.file.names]


def _labels(target: Target, original: Original) -> list[str]:
    return [f"{target.mark}_{place}" for place in target.quasi(original)]


def _join(first: Target, second: Target, original: Original, shown: tuple[str, str]) -> None:
    """Make the tables `joined`, a row for all people who look alike in both files, and `fitting`, with the
    combinations that are left for them."""
    engine = first.engine
    looks = [target.looks() for target in (first, second)]
    count_texts(engine, "joint", {**looks[0][0], **looks[1][0]}, {**looks[0][1], **looks[1][1]})
    engine.run("create or replace temp table pairs as select row_number() over () as pair, * from joint")
    quasi = {column.name for column in original.quasi}
    same = [
        f"a.a_{first.file.column(name)} = b.b_{second.file.column(name)}"
        for name in _kept(first, second)
        if name not in quasi
    ]
    a, b = (listed(_labels(target, original)) for target in (first, second))
    condition = " and ".join(same) or "true"
    left, right = (
        " and ".join(f"pairs.{label} = {mark}.{label}" for label in labels.split(", "))
        for mark, labels in (("a", a), ("b", b))
    )
    engine.run(
        "create or replace temp table fitting as select pair, least(a.n, b.n) as rest, "
        f"{listed(_values(first, original, quasi))} from pairs join {shown[0]} as a on {left} "
        f"join {shown[1]} as b on {right} and {condition}"
    )
    sizes = [
        f"(select {labels}, any_value(size) as {mark}_size from {table} group by {labels})"
        for mark, labels, table in (("a", a, shown[0]), ("b", b, shown[1]))
    ]
    engine.run(
        "create or replace temp table joined as select pair, n as people, coalesce(a_size, 0) as a_size, "
        f"coalesce(b_size, 0) as b_size, rest from pairs left join {sizes[0]} using ({a}) "
        f"left join {sizes[1]} using ({b}) "
        "left join (select pair, sum(rest)::bigint as rest from fitting group by pair) using (pair)"
    )


def _values(first: Target, original: Original, quasi: set[str]) -> list[str]:
    places = [first.file.column(name) for name in first.file.names if name not in quasi]
    return [f"a.a_{place} as {place}" for place in places] or ["0 as nothing"]


def _pinning(first: Target, second: Target, original: Original, name: str) -> Pinning:
    """People with one value left in the pair and several in each file."""
    engine = first.engine
    alone = []
    for target in (first, second):
        value, labels = f"{target.mark}_{target.file.column(name)}", listed(_labels(target, original))
        alone.append(
            f"(select {labels}, count(distinct {value}) as {target.mark}_choices "
            f"from shown_{target.mark} group by {labels})"
        )
    a, b = (listed(_labels(target, original)) for target in (first, second))
    together = (
        f"(select pair, count(distinct {first.file.column(name)}) as choices from fitting group by pair)"
    )
    pinned = engine.count(
        f"select sum(n) from pairs join {together} using (pair) join {alone[0]} using ({a}) "
        f"join {alone[1]} using ({b}) where choices = 1 and a_choices > 1 and b_choices > 1"
    )
    return Pinning(name, pinned)
