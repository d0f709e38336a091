"""k of a table as it lies there, without a schema: two functions for scripts and tests."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.base.arrays import Integers
from paretonym.base.errors import InputError, UnknownName, did_you_mean
from paretonym.base.sentence_parts import several
from paretonym.tables.data_kinds import Data
from paretonym.tables.source.engines import Wanted, open_source


def k_anonymity(data: Data, quasi: Sequence[str] | str) -> int:
    """The number of rows in the smallest class: those that agree in every column of `quasi`.

    >>> import pandas
    >>> people = pandas.DataFrame({"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "m"]})
    >>> k_anonymity(people, ["age", "sex"])
    2

    `data` is whatever a `Study` takes; a missing value is a value like any other. Nothing is generalized, and
    k alone does not make a table safe to publish.
    """
    return int(_class_sizes(data, quasi).min())


def assert_k(data: Data, quasi: Sequence[str] | str, k: int) -> None:
    """Raise an AssertionError unless at least `k` rows agree in every column of `quasi` with each row.

    >>> import pandas
    >>> people = pandas.DataFrame({"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "m"]})
    >>> assert_k(people, ["age", "sex"], k=3)
    Traceback (most recent call last):
    AssertionError: k is 2, not at least 3: 2 rows of 5 are in 1 class that is smaller

    The message holds counts, never values.
    """
    if not isinstance(k, int) or k < 1:
        raise InputError.of("k", f"{k!r} is not a size of classes", "give a whole number, 1 or more")
    sizes = _class_sizes(data, quasi)
    small = sizes[sizes < k]
    if len(small):
        classes = several(len(small), "class that is", "classes that are")
        rows = f"{several(int(small.sum()), 'row', 'rows')} of {int(sizes.sum()):,}"
        verb = "is" if small.sum() == 1 else "are"
        raise AssertionError(f"k is {sizes.min()}, not at least {k}: {rows} {verb} in {classes} smaller")


def _class_sizes(data: Data, quasi: Sequence[str] | str) -> Integers:
    """The rows of each class of a table that has some."""
    names = (quasi,) if isinstance(quasi, str) else tuple(quasi)
    if not names:
        raise InputError.of("quasi", "no column is named", 'name some, such as ["age", "sex"]')
    source = open_source(data, Wanted(frozenset(names)))
    for name in names:
        if name not in source.names:
            raise UnknownName.of(
                source.name, f"there is no column '{name}'", did_you_mean(name, source.names)
            )
    if source.rows == 0:
        raise InputError.of(source.name, "there are no rows", "give a table with rows")
    return source.over([source.column(name) for name in names]).weights
