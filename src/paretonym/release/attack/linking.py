"""One release: who can be found, and how well can a sensitive value be guessed?

Somebody knows the quasi-identifiers of everybody and joins them with the release, exactly.
"""

from __future__ import annotations

from paretonym.release.attack.findings import Guessing, Linkage
from paretonym.release.attack.target import Target
from paretonym.release.audit.meaning import Original
from paretonym.release.audit.recoded import recode
from paretonym.release.audit.tablefile import listed


def link(target: Target, original: Original) -> Linkage:
    """Join every person of the original with the rows that show the person's labels."""
    engine = target.engine
    shown = target.show(original)
    people = recode(target.file, original, target.look, "recoded_people").view
    engine.run(
        f"create or replace temp table people as select {listed(target.marked(original))}, n from {people}"
    )
    labels = listed([f"{target.mark}_{place}" for place in target.quasi(original)])
    classes = f"select {labels}, any_value(size) as size from {shown} group by {labels}"
    engine.run(
        "create or replace temp table linked as select people.*, coalesce(size, 0) as size "
        f"from people left join ({classes}) using ({labels})"
    )
    k = target.k(shown)
    narrowed, absent, smallest = engine.row(
        f"select sum(n) filter (size between 1 and {k - 1}), sum(n) filter (size = 0), "
        "min(size) filter (size > 0) from linked"
    )
    strangers = engine.count(f"select sum(n) from {shown} anti join people using ({labels})")
    guesses = tuple(
        _guessing(target, original, shown, column.name) for column in original.kept if column.values
    )
    return Linkage(
        str(target.file.path),
        original.rows,
        k,
        int(narrowed or 0),
        int(absent or 0),
        int(smallest or 0),
        strangers,
        guesses,
    )


def _guessing(target: Target, original: Original, shown: str, name: str) -> Guessing:
    """The most frequent value of all against the most frequent value of a person's class; every guess is
    compared with the person's true value."""
    engine, value = target.engine, f"{target.mark}_{target.file.column(name)}"
    labels = listed([f"{target.mark}_{place}" for place in target.quasi(original)])
    cells = f"select {labels}, {value}, any_value(size) as size, sum(n) as n from {shown} group by all"
    engine.run(f"create or replace temp table cells as {cells}")
    engine.run(
        f"create or replace temp table guesses as select {labels}, arg_max({value}, n) as guess, "
        "count(*) as choices, max(n / size) as share from cells group by all"
    )
    blind, informed, homogeneous, there = engine.row(
        f"select sum(n) filter ({value} = (select arg_max({value}, n) from "
        f"(select {value}, sum(n) as n from cells group by all))), "
        f"sum(n) filter ({value} = guess), sum(n) filter (choices = 1), sum(n) "
        f"from linked join guesses using ({labels})"
    )
    whole = f"select {value}, sum(n) / sum(sum(n)) over () as q from cells group by {value}"
    gain, surest = engine.row(
        f"select max(n / size - q), max(n / size) from cells join ({whole}) using ({value})"
    )
    people = int(there or 0) or 1
    return Guessing(
        name,
        int(blind or 0) / people,
        int(informed or 0) / people,
        int(homogeneous or 0),
        float(gain or 0),
        float(surest or 0),
    )
