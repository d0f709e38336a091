"""Random small tables with their schemas, for exams: every kind of hierarchy, weights, missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paretonym.engine.counts import Cube
from paretonym.engine.measures import CLASS_SIZE
from paretonym.engine.recoding import parse_keep
from paretonym.engine.spaces.cuts import CutsRecoding, GenomeSpace

if TYPE_CHECKING:
    from paretonym.study import Study
    from paretonym.tables.source import Counts


_MOST = 99


@dataclass(frozen=True, slots=True)
class Spelling:
    """Values are numbered; a spelling turns numbers into texts, in an order of its own.

    >>> PLAIN.text(3), RENAMED.text(3), PLAIN.number(3), RENAMED.number(3)
    ('v03', 'w96', 3, 1021)
    >>> PLAIN.word((0, 2)), RENAMED.word((0, 2))
    ('ac', 'zx')
    """

    prefix: str
    backwards: bool
    factor: int
    offset: int
    alphabet: str

    def text(self, number: int) -> str:
        return f"{self.prefix}{_MOST - number if self.backwards else number:02d}"

    def number(self, number: int) -> int:
        return number * self.factor + self.offset

    def word(self, letters: tuple[int, ...]) -> str:
        return "".join(self.alphabet[letter] for letter in letters)


PLAIN = Spelling("v", False, 1, 0, "abcd")
RENAMED = Spelling("w", True, 7, 1000, "zyxw")


@dataclass(frozen=True, slots=True)
class RandomColumn:
    """Column of a random table: its entry in the schema, and what its rows are drawn from."""

    entry: Mapping[str, Any]
    values: tuple[str, ...]


def random_column(generator: Random, spelling: Spelling, kinds: tuple[str, ...] | None) -> RandomColumn:
    """A column of a kind that is drawn too (one of `COLUMN_KINDS`)."""
    kind = generator.choice(kinds or tuple(COLUMN_KINDS))
    return COLUMN_KINDS[kind](generator, spelling)


def sensitive_column(generator: Random, spelling: Spelling) -> RandomColumn:
    """A sensitive column of a few ordered values, with a tree above them."""
    tree = _tree(generator, spelling)
    order = _leaves(tree.entry["hierarchy"]["tree"])
    return RandomColumn({"role": "sensitive", "order": order, **tree.entry}, tree.values)


def class_column(generator: Random, spelling: Spelling) -> RandomColumn:
    """A column whose label a recipient wants to predict."""
    values = tuple(spelling.text(i) for i in range(generator.randint(1, 4)))
    return RandomColumn({"role": "class", "kept": "yes"}, values)


def _flat(generator: Random, spelling: Spelling) -> RandomColumn:
    values = tuple(spelling.text(i) for i in range(generator.randint(1, 5)))
    return RandomColumn({"hierarchy": {"flat": True}}, values)


def _order(generator: Random, spelling: Spelling) -> RandomColumn:
    listed = [spelling.text(i) for i in range(generator.randint(2, 6))]
    generator.shuffle(listed)
    return RandomColumn({"order": listed}, _some(generator, listed))


def _tree(generator: Random, spelling: Spelling) -> RandomColumn:
    """Ragged trees, one to three sets deep, with leaves that may not occur."""
    numbers = iter(range(100))
    leaves: list[str] = []

    def leaf() -> str:
        leaves.append(spelling.text(next(numbers)))
        return leaves[-1]

    def below(depth: int) -> list[Any]:
        children = range(generator.randint(1, 3))
        return [leaf() if depth == 0 or generator.random() < 0.35 else node(depth) for _ in children]

    def node(depth: int) -> dict[str, Any]:
        return {f"set {next(numbers)}": below(depth - 1)}

    tree = below(generator.randint(1, 3))
    return RandomColumn({"hierarchy": {"tree": tree}}, _some(generator, leaves))


def _leaves(tree: list[Any]) -> list[str]:
    labels: list[str] = []
    for child in tree:
        labels += (
            [child]
            if isinstance(child, str)
            else [leaf for below in child.values() for leaf in _leaves(below)]
        )
    return labels


def _intervals(generator: Random, spelling: Spelling) -> RandomColumn:
    widths = generator.choice([(2,), (3,), (2, 4), (5, 10), (2, 6, 12), (30,)])
    origin = generator.choice([0, 0, 1, -3])
    entry = {
        "intervals": [width * spelling.factor for width in widths],
        "origin": spelling.number(origin),
    }
    return RandomColumn({"hierarchy": entry}, _numbers(generator, spelling))


def _breaks(generator: Random, spelling: Spelling) -> RandomColumn:
    finer = sorted(generator.sample(range(-5, 20), generator.randint(2, 4)))
    coarser = sorted(generator.sample(finer, generator.randint(1, len(finer) - 1)))
    levels = [finer, coarser] if generator.random() < 0.6 else [finer]
    entry = {"breaks": [[spelling.number(cut) for cut in cuts] for cuts in levels]}
    return RandomColumn({"hierarchy": entry}, _numbers(generator, spelling))


def _mask(generator: Random, spelling: Spelling) -> RandomColumn:
    return RandomColumn({"hierarchy": {"mask": generator.randint(1, 3)}}, _words(generator, spelling))


def _keep(generator: Random, spelling: Spelling) -> RandomColumn:
    lengths = generator.choice([[1], [2], [2, 1], [3, 1]])
    return RandomColumn({"hierarchy": {"keep": lengths}}, _words(generator, spelling))


def _numbers(generator: Random, spelling: Spelling) -> tuple[str, ...]:
    drawn = generator.sample(range(-8, 24), generator.randint(1, 7))
    return tuple(str(spelling.number(number)) for number in drawn)


def _words(generator: Random, spelling: Spelling) -> tuple[str, ...]:
    """Words of different lengths."""
    every = [letters for length in (1, 2, 3) for letters in product(range(3), repeat=length)]
    drawn = generator.sample(every, generator.randint(1, 7))
    return tuple(spelling.word(letters) for letters in drawn)


def _some(generator: Random, values: list[str]) -> tuple[str, ...]:
    return tuple(generator.sample(values, generator.randint(1, len(values))))


Maker: TypeAlias = Callable[[Random, Spelling], RandomColumn]
COLUMN_KINDS: Mapping[str, Maker] = {
    "flat": _flat,
    "order": _order,
    "tree": _tree,
    "intervals": _intervals,
    "breaks": _breaks,
    "mask": _mask,
    "keep": _keep,
}


Row: TypeAlias = Mapping[str, str | None]
WEIGHT, HOME, PERSON, WISH = "weight", "home", "who", "wish"

# The last two have no common denominator that a float could hold exactly.
IMPORTANCES = (1, 1, 1, 1, 2, 0.5, 0.3, 7, 0.1234567890123, 2.7182818284)


@dataclass(frozen=True, slots=True)
class RandomTable:
    """Rows as people write them, and a schema as `Study` takes it."""

    rows: tuple[Row, ...]
    schema: Mapping[str, Any]

    @property
    def columns(self) -> dict[str, list[str | None]]:
        """The rows, column by column."""
        return {name: [row[name] for row in self.rows] for name in self.schema["columns"]}

    def study(self, with_population: bool = False) -> Study:
        """A study of this table, which it gets as an Arrow table of text; with its population, rows have
        weights, households, a k that they require and a purpose too."""
        # Here, so that drawing tables needs nothing heavy.
        from paretonym.study import Study

        if not with_population:
            return Study(text_table(self.columns), self.schema)
        roles = {WEIGHT: "weight", HOME: "household", WISH: "required-k"}
        further: dict[str, dict[str, str]] = {name: {"role": role} for name, role in roles.items()}
        further |= {name: {"role": "other", "kept": "yes"} for name in self.numbers}
        columns = {WEIGHT: self.weights, HOME: self.homes, WISH: self.wishes, **self.numbers}
        return Study(
            text_table({**self.columns, **columns}),
            {**self.schema, "columns": {**self.schema["columns"], **further}, "purpose": self.purpose},
            population_file=text_table(self.population),
        )

    @property
    def weights(self) -> list[str | None]:
        """A weight for each row: half a person, and 1.25 for each row with the same first value. Neither the
        order of rows nor the names of values change it."""
        first = next(iter(self.schema["columns"]))
        rows = Counter(row[first] for row in self.rows)
        return [str(0.5 + 1.25 * rows[row[first]]) for row in self.rows]

    @property
    def wishes(self) -> list[str | None]:
        """The k that each row requires: how many rows have the same second value. Neither the order of rows
        nor the names of values change it."""
        second = list(self.schema["columns"])[1]
        rows = Counter(row[second] for row in self.rows)
        return [str(rows[row[second]]) for row in self.rows]

    @property
    def numbers(self) -> dict[str, list[str | None]]:
        """Of two columns that vary, if there are such: how many rows have the same value as each row in the
        second, and that times the same for the first. Neither the order of rows nor the names of values
        change it."""
        counted = {name: Counter(row[name] for row in self.rows) for name in self.schema["columns"]}
        first, second = sorted(counted, key=lambda name: len(counted[name]) < 2)[:2]
        dose = [counted[second][row[second]] for row in self.rows]
        stay = [counted[first][row[first]] * number for row, number in zip(self.rows, dose, strict=True)]
        return {"stay": list(map(str, stay)), "dose": list(map(str, dose))}

    @property
    def purpose(self) -> list[dict[str, Any]]:
        """An analysis of each kind. Neither the order of rows nor the names of values change the results."""
        first, second = list(self.schema["columns"])[:2]
        return [
            {"name": "all", **analysis}
            for analysis in (
                {"regression": "stay ~ dose", "tolerance": {"ci-overlap": 0.5, "sign-kept": 1}},
                {"table": [first, second], "tolerance": {"table-error": 0.05}},
                {"mean": "stay", "tolerance": {"mean-error": 0.5}},
                {"quantile": ["dose", 0.5], "tolerance": {"quantile-error": 0.5}},
            )
        ]

    @property
    def homes(self) -> list[str | None]:
        """Those with the same first two values live together. Neither the order of rows nor the names of
        values change it."""
        first, second = list(self.schema["columns"])[:2]
        return [f"{row[first]} {row[second]}" for row in self.rows]

    @property
    def population(self) -> dict[str, list[str | None]]:
        """A population that the rows could have been drawn from: the first value of each row with the others
        of each row. Neither the order of rows nor the names of values change it."""
        first, *others = self.schema["columns"]
        first_cells, rest = [row[first] for row in self.rows], self.rows
        columns = {first: [value for value in first_cells for _ in rest]}
        return columns | {name: [row[name] for _ in first_cells for row in rest] for name in others}

    def shuffled(self, generator: Random) -> RandomTable:
        """This table with its rows in another order."""
        return replace(self, rows=tuple(generator.sample(self.rows, len(self.rows))))


def random_table(
    generator: Random,
    spelling: Spelling = PLAIN,
    *,
    quasi: tuple[int, int] = (2, 4),
    rows: tuple[int, int] = (1, 40),
    missing: float = 0.2,
    kinds: tuple[str, ...] | None = None,
    sensitive: int = 0,
    labelled: bool = False,
) -> RandomTable:
    """A table with from `quasi[0]` to `quasi[1]` quasi-identifiers and `rows` rows.

    With probability `missing` a column has missing values; the given number of `sensitive` columns follows,
    and with `labelled` a column of role class. The same generator state gives the same table, in whichever
    spelling.

    >>> random_table(Random(1)).rows == random_table(Random(1)).rows
    True
    """
    names = [f"q{j}" for j in range(generator.randint(*quasi))]
    columns = {name: random_column(generator, spelling, kinds) for name in names}
    gaps = {name: 0.15 if generator.random() < missing else 0.0 for name in names}
    drawn = [
        {name: _cell(generator, columns[name].values, gaps[name]) for name in names}
        for _ in range(generator.randint(*rows))
    ]
    # One row without a gap, so that some row is left.
    drawn.append({name: columns[name].values[0] for name in names})
    entries = {
        name: {"role": "quasi", "importance": generator.choice(IMPORTANCES), **columns[name].entry}
        for name in names
    }
    rule = generator.choice(["drop", "value"])
    further = {f"s{j}": sensitive_column(generator, spelling) for j in range(sensitive)}
    if labelled:
        further["label"] = class_column(generator, spelling)
    for name, column in further.items():
        drawn = [{**row, name: generator.choice(column.values)} for row in drawn]
        entries[name] = dict(column.entry)
    return RandomTable(tuple(drawn), {"missing": rule, "columns": entries})


def text_table(columns: Mapping[str, Sequence[str | None]]) -> Counts:
    """Columns of texts as a table in memory; None is a null."""
    # Here, so that drawing tables needs nothing heavy.
    import pyarrow

    from paretonym.tables.source.engines import read

    arrays = {name: pyarrow.array(cells, pyarrow.string()) for name, cells in columns.items()}
    return read(pyarrow.table(arrays))


def bounded(table: RandomTable, generator: Random) -> RandomTable:
    """This table with bounds on the levels of about half its columns."""
    entries = dict(table.schema["columns"])
    for column in table.study().bound.quasi:
        if generator.random() < 0.5:
            ends = sorted(generator.choices(range(column.hierarchy.height + 1), k=2))
            entries[column.name] = {**entries[column.name], "levels": ends}
    return replace(table, schema={**table.schema, "columns": entries})


def owned(table: RandomTable, generator: Random) -> RandomTable:
    """This table with a column that says whose a row is; with an even chance, everybody's
    quasi-identifiers are the same in all rows.

    >>> table = owned(random_table(Random(1), rows=(9, 9)), Random(1))
    >>> len({row["who"] for row in table.rows}) < len(table.rows) == 10
    True
    """
    alike, number = generator.random() < 0.5, generator.randint(1, max(1, len(table.rows) * 2 // 3))
    quasi = [name for name, entry in table.schema["columns"].items() if entry["role"] == "quasi"]
    first: dict[str, Row] = {}
    rows = []
    # The last row has no gap, and keeps its values.
    for row in reversed(table.rows):
        who = f"p{generator.randrange(number)}"
        persons_row = first.setdefault(who, row) if alike else row
        rows.append({**row, **{name: persons_row[name] for name in quasi}, PERSON: who})
    columns = {**table.schema["columns"], PERSON: {"role": "person"}}
    return RandomTable(tuple(reversed(rows)), {**table.schema, "columns": columns})


def _cell(generator: Random, values: tuple[str, ...], gap: float) -> str | None:
    value, chance = generator.choice(values), generator.random()
    return None if chance < gap else value


def random_cuts(cube: Cube, seed: int) -> CutsRecoding:
    """Random cuts; about a third of the class sizes go, the smallest first."""
    space = GenomeSpace.of(cube)
    genome = space.random(1, np.random.default_rng(seed))[0]
    while True:
        sizes = sorted(set(CutsRecoding.of(space, genome, ()).made(cube).sizes.tolist()))
        k = sizes[len(sizes) // 3]
        recoding = CutsRecoding.of(space, genome, parse_keep({CLASS_SIZE: f">={k}"}))
        hidden = recoding.hidden(cube)
        if not hidden.any():
            return recoding
        genome = genome & ~hidden
