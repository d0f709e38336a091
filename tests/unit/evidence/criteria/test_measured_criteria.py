"""The three attacks on tables with a known answer, and beside slow twins."""

from __future__ import annotations

import numpy as np
import pytest

from paretonym.evidence.criteria import ComparedColumn, ComparedRows, Criterion
from paretonym.evidence.criteria.inference import inference
from paretonym.evidence.criteria.linkability import linkability
from paretonym.evidence.criteria.singling_out import (
    _multivariate,
    expected_success,
    satisfying_rows,
    singling_out,
)
from tests.naive.criteria import naive_inference_rate, naive_satisfying


def plain(name: str, size: int, numeric: bool = False) -> ComparedColumn:
    numbers = np.arange(size, dtype=np.float64) + 1 if numeric else None
    return ComparedColumn.of_sets(
        name, tuple(map(str, range(size))), list(np.eye(size, dtype=np.bool_)), numbers
    )


def people(generator: np.random.Generator, number: int, sizes: tuple[int, ...]) -> np.ndarray:
    return np.stack([generator.integers(0, size, number) for size in sizes], axis=1)


def compared(
    table: np.ndarray, original: np.ndarray, control: np.ndarray, sizes: tuple[int, ...], numeric: int = -1
) -> ComparedRows:
    columns = tuple(plain(f"c{j}", size, j == numeric) for j, size in enumerate(sizes))
    cells, weights = np.unique(table, axis=0, return_counts=True)
    return ComparedRows(columns, cells, weights, original, control)


def covers(criterion: Criterion, risk: float) -> bool:
    return abs(criterion.risk - risk) <= criterion.half_width


SIZES = (12, 12, 12, 4)


def test_a_copy_tells_everything_and_strangers_nothing() -> None:
    generator = np.random.default_rng(3)
    every = np.unique(people(generator, 900, (40, 40, 40)), axis=0)
    generator.shuffle(every)
    secret = generator.integers(0, 4, (len(every), 1))
    table = np.hstack([every, secret])
    original, control = table[: len(table) // 2], table[len(table) // 2 :]
    rows = compared(original, original, control, (40, 40, 40, 4))
    copied = inference(rows, ["c0", "c1", "c2"], "c3", 300, 0)
    assert copied.original.successes == copied.original.attacks
    assert copied.upper > 0.99
    (linked,) = linkability(rows, (1,), 300, 0)
    assert linked.original.share > 0.25 > 0.02 > linked.control.share
    apart = compared(control, original, control, (40, 40, 40, 4))
    assert inference(apart, ["c0", "c1", "c2"], "c3", 300, 0).risk == 0


def test_an_independent_secret_is_within_its_interval() -> None:
    """The table is about other people, so that nothing about these is in it."""
    covered = {"inference": 0, "linkability": 0, "singling-out": 0}
    for seed in range(100):
        generator = np.random.default_rng(seed)
        table, original, control = (people(generator, 120, SIZES) for _ in range(3))
        rows = compared(table, original, control, SIZES)
        for criterion in (
            inference(rows, ["c0", "c1", "c2"], "c3", 120, seed),
            *linkability(rows, (1,), 120, seed),
            singling_out(rows, 120, seed),
        ):
            covered[criterion.name] += covers(criterion, 0)
    assert min(covered.values()) >= 90, covered


def skewed(generator: np.random.Generator, number: int, sizes: tuple[int, ...]) -> np.ndarray:
    """People of whom a few values are frequent and many are rare, as in registers."""
    shares = [1 / np.arange(1, size + 1) ** 1.5 for size in sizes]
    return np.stack([generator.choice(len(one), number, p=one / one.sum()) for one in shares], axis=1)


@pytest.mark.parametrize(("people_of_original", "people_of_control"), [(1200, 200), (300, 900)])
def test_nothing_is_singled_out_by_a_table_of_others(people_of_original: int, people_of_control: int) -> None:
    """However small the control: what it says of as many people as the original has is an estimate, and the
    interval is as wide as that is uncertain."""
    covered, sizes = 0, (40, 30, 20, 10, 4)
    for seed in range(100):
        generator = np.random.default_rng(seed)
        table, original, control = (
            skewed(generator, number, sizes)
            for number in (people_of_original, people_of_original, people_of_control)
        )
        criterion = singling_out(compared(table, original, control, sizes, numeric=0), 200, seed)
        covered += covers(criterion, 0)
        copied = singling_out(compared(original, original, control, sizes, numeric=0), 200, seed)
        assert copied.risk > 0.95
    assert covered >= 94, covered


def test_what_is_expected_of_more_people() -> None:
    """All predicates alike: a Poisson distribution has a closed form."""
    generator = np.random.default_rng(5)
    parts = generator.poisson(0.4 / 20, (2000, 20))
    whole = parts.sum(axis=1)[:, None]
    growth = 4 * np.array([1, *[20 / 19] * 20])
    expected = expected_success(np.hstack([whole, whole - parts]), growth)
    assert expected.share == pytest.approx(1.6 * np.exp(-1.6), abs=0.04)
    assert abs(expected.center - 1.6 * np.exp(-1.6)) <= expected.half_width


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_a_mixture_lies_in_between(share: float) -> None:
    """So many of the rows are copied, the others are of people whom nobody asks about: the secret of a copied
    person is certain, that of others is a guess among four."""
    covered = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        numbers = generator.permutation(40**3)[:1500]
        every = np.stack([numbers // 1600, numbers // 40 % 40, numbers % 40], axis=1)
        every = np.hstack([every, generator.integers(0, 4, (len(every), 1))])
        original, control, others = every[:500], every[500:1000], every[1000:]
        copied = round(share * len(original))
        table = np.vstack([original[:copied], others[: len(original) - copied]])
        rows = compared(table, original, control, (40, 40, 40, 4))
        covered += covers(inference(rows, ["c0", "c1", "c2"], "c3", 500, seed), share)
    assert covered >= 15


def test_singling_out_beside_its_twin() -> None:
    for seed in range(30):
        generator = np.random.default_rng(seed)
        table, original, control = (people(generator, 40, (5, 6, 3, 4)) for _ in range(3))
        rows = compared(table, original, control, (5, 6, 3, 4), numeric=1)
        predicates = list(_multivariate(rows, generator, 40))
        satisfying = satisfying_rows(predicates, rows.original).tolist()
        assert satisfying == naive_satisfying(predicates, rows.original)


def test_inference_beside_its_twin() -> None:
    """Where no guess is a tie, nothing is left to chance."""
    compared_tables = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        table, original = people(generator, 60, (3, 3, 5, 2)), people(generator, 6, (3, 3, 5, 2))
        rows = compared(table, original, original, (3, 3, 5, 2), numeric=2)
        share = naive_inference_rate(rows.once, ["c0", "c1", "c2"], "c3")
        if share is not None:
            compared_tables += 1
            measured = inference(rows.once, ["c0", "c1", "c2"], "c3", 1000, seed)
            assert measured.original.share == share
    assert compared_tables > 5


@pytest.mark.parametrize(("true", "wrong"), [(9, 1), (1, 9)])
def test_of_equal_rows_the_vote_that_learns_more_counts(true: int, wrong: int) -> None:
    """Nine of ten rows that look the same have the true value: their number tells it. Or one does, and a
    wrong one is repeated: then the number deceives, and one vote for each different row does not."""
    people_of_original = np.array([[place, place % 2] for place in range(40)])
    control = np.array([[40, place % 2] for place in range(40)])
    decoys = people_of_original * [1, 0] + [0, 2]
    rows = compared(
        np.vstack([people_of_original.repeat(true, axis=0), decoys.repeat(wrong, axis=0)]),
        people_of_original, control, (41, 3),
    )  # fmt: skip
    share = inference(rows, ["c0"], "c1", 40, 0).original.share
    assert share == 1 if true > wrong else 0.2 < share < 0.8


def test_what_is_expected_of_many_more_people_is_extrapolated() -> None:
    """Growth is that of distinct rows."""
    generator = np.random.default_rng(0)
    original, control = people(generator, 400, (40, 30, 20)), people(generator, 100, (40, 30, 20))
    for others, extrapolated in ((control, True), (np.repeat(control, 4, axis=0), True), (original, False)):
        criterion = singling_out(compared(original, original, others, (40, 30, 20)), 50, 0)
        assert criterion.is_extrapolated is extrapolated
        assert criterion.interval.endswith(" (extrapolated)") is extrapolated
        assert Criterion.from_json(criterion.as_json()).is_extrapolated is extrapolated


def test_a_generalized_cell_counts_by_the_size_of_its_set() -> None:
    sets = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 1]], dtype=np.bool_)
    column = ComparedColumn.of_sets("job", ("a", "b", "c", "d"), list(sets), None)
    every = np.arange(4)
    expected = [[0.5, 0, 0.25], [0.5, 0, 0.25], [0, 1, 0.25], [0, 0, 0.25]]
    assert column.nearness(every, every[:3]).tolist() == expected
    assert column.votes(np.array([0, 1, 1, 2]), np.array([2, 1, 1, 4])).tolist() == [2, 2, 3, 1]


def test_numbers_are_near_by_their_ranks() -> None:
    generator = np.random.default_rng(0)
    for _ in range(50):
        size = int(generator.integers(2, 9))
        sets = [generator.random(size) < 0.5 for _ in range(6)]
        sets = [mask if mask.any() else ~mask for mask in sets]
        column = ComparedColumn.of_sets(
            "age", tuple(map(str, range(size))), sets, 2.0 * np.arange(size, dtype=np.float64)
        )
        expected = [
            [1 - np.abs(np.flatnonzero(mask) - value).mean() / (size - 1) for mask in sets]
            for value in range(size)
        ]
        assert np.allclose(column.nearness(np.arange(size), np.arange(6)), expected, atol=1e-6)


def test_the_same_seed_gives_the_same_figures() -> None:
    generator = np.random.default_rng(0)
    table, original, control = (people(generator, 100, SIZES) for _ in range(3))
    rows = compared(table, original, control, SIZES, numeric=0)
    assert inference(rows, ["c0", "c1"], "c3", 50, 7) == inference(rows, ["c0", "c1"], "c3", 50, 7)
    assert linkability(rows, (1, 5), 50, 7) == linkability(rows, (1, 5), 50, 7)
    assert singling_out(rows, 50, 7) == singling_out(rows, 50, 7)


def test_nothing_is_measurable_where_the_control_is_found_as_well() -> None:
    generator = np.random.default_rng(1)
    table = people(generator, 50, (3, 1))
    rows = compared(table, table, table, (3, 1))
    one = inference(rows, ["c0"], "c1", 50, 0)
    assert one.original.share == one.control.share == 1
    assert one.risk < 1e-9
    assert not one.beats_guessing
