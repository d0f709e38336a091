"""Sweeps: what is read, tried and kept."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.mondrian.partition_requirement import as_text
from paretonym.engine.spaces.parameter_sweep import DISTANCES, SIZES, VARIETIES, parse_sweep, usual_settings
from paretonym.engine.spaces.space_registry import SPACES
from paretonym.research.exams.random_tables import random_table
from paretonym.study.explored_run import Run
from paretonym.study.study import Study


@pytest.fixture(scope="module")
def study() -> Study:
    return random_table(Random(11), rows=(60, 80), sensitive=1).study()


def test_frontier_is_the_best_of_all_candidates(study: Study) -> None:
    front = study.explore(space="mondrian", sweep=["k=2,3,5,8", "t-js=0.1,0.2,0.4"])
    assert [str(each.recoding.flat()["requirement"]) for each in front.candidates] == [
        "k=2", "k=3", "k=5", "k=8", "t-js=0.1", "t-js=0.2", "t-js=0.4",
    ]  # fmt: skip
    for one in front.candidates:
        values = [(each["privacy-loss"], each["utility-loss"]) for each in front.candidates]
        mine = one["privacy-loss"], one["utility-loss"]
        beaten = any(a <= mine[0] and b <= mine[1] and (a, b) != mine for a, b in values)
        kept = any((each["privacy-loss"], each["utility-loss"]) == mine for each in front)
        assert kept != beaten
        assert Realized.of(one.recoding, study.cube).measure(*one.values) == dict(one.values)
    assert not front.search.complete
    assert str(front).endswith("the best of 7 settings")


def test_boxes_thin_the_frontier_out_and_leave_the_candidates(study: Study) -> None:
    whole = study.explore("k", "loss", space="mondrian", sweep="k=2,3,4,5,6,7,8,9")
    few = study.explore("k", "loss", space="mondrian", sweep="k=2,3,4,5,6,7,8,9", box={"k": 4})
    assert few.candidates == whole.candidates
    assert 1 < len(few) < len(whole)
    assert len({each["k"] // 4 for each in few}) == len(few)
    assert Run.from_json(few.as_json(), SPACES).as_json() == few.as_json()
    assert "one per box of k=4" in str(few)


def test_written_and_read_back(study: Study) -> None:
    front = study.explore("k", "loss", space="mondrian", sweep="k=2,5")
    assert Run.from_json(front.as_json(), SPACES).as_json() == front.as_json()
    assert len(front.as_json()["candidates"]) == 2


def test_threads_change_nothing(study: Study) -> None:
    one, two = (study.explore(space="buckets", sweep="t-js=0.1,0.2,0.3", threads=n) for n in (1, 2))
    assert one.as_json() == two.as_json()


def test_requirements_together(study: Study) -> None:
    front = study.explore("k", "t-js", "loss", space="mondrian", sweep="k=4+t-js=0.3,0.5")
    assert all(each["k"] >= 4 for each in front.candidates)
    assert [each["t-js"] <= bound for each, bound in zip(front.candidates, (0.3, 0.5), strict=True)] == [
        True
    ] * 2


def test_what_is_not_wanted_is_left_out(study: Study) -> None:
    said: list[str] = []
    front = study.explore("k", "loss", space="mondrian", sweep="k=2,5", at_least={"k": 5}, remark=said.append)
    assert [each["k"] >= 5 for each in front.candidates] == [True]
    assert said == ["k=2 is skipped: it misses k>=5."]


def test_what_cannot_be_is_said(study: Study) -> None:
    said: list[str] = []
    study.explore("k", "loss", space="mondrian", sweep="k=2,100000", remark=said.append)
    assert said == [
        "k=100000 is skipped. Even the whole table as one part does not have k=100000. Require less."
    ]
    with pytest.raises(NoSolution, match="No setting of this sweep gives a release"):
        study.explore("k", "loss", space="mondrian", sweep="k=100000")


def test_seeds_count_for_what_is_drawn(study: Study) -> None:
    names = ("privacy-loss", "query-error")
    runs = [study.explore(*names, space="mondrian", sweep="k=5", seed=s) for s in (0, 1, 1)]
    values = [run.candidates[0]["query-error"] for run in runs]
    assert values[0] != values[1] == values[2]


USUAL = SIZES, VARIETIES, DISTANCES


def test_defaults(study: Study) -> None:
    settings = usual_settings(study.cube, USUAL)
    assert {required[0].name for required in settings} == {"k", "l", "t-js"}
    assert max(limit.bound for (limit,) in settings if limit.name == "k") <= study.cube.rows
    plain = random_table(Random(3)).study()
    assert {required[0].name for required in usual_settings(plain.cube, USUAL)} == {"k"}
    assert [each.name for each in plain.explore(space="mondrian").objectives] == ["k", "loss"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sweep": "k"}, "sweep: 'k' is not of the form MEASURE=NUMBER,NUMBER,…; use, for example, k=10,50"),
        ({"sweep": "k=2+k=3"}, "sweep: 'k=2+k=3' names a measure twice; give each measure once"),
        ({"sweep": "k=x"}, "sweep: 'k=x' is not a number; give a decimal"),
        ({"sweep": "loss=1"}, "sweep: 'loss' cannot be required of a part; "),
        ({"search": "exact"}, "search: the space mondrian has no search 'exact'; "),
        ({"suppress": "5%"}, "suppress: nothing is suppressed in this space"),
        (
            {"method": "anatomy"},
            "method: the space mondrian does not have this option; use space='buckets'",
        ),
        ({"depth": 2}, "depth: the search 'sweep' does not have this option; omit it"),
    ],
)
def test_refused(study: Study, options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as error:
        study.explore(space="mondrian", **options)  # type: ignore[arg-type]
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("options", "owners"),
    [
        ({"sweep": "k=2"}, "space='mondrian' or space='buckets' or space='microaggregation'"),
        ({"method": "anatomy"}, "space='buckets'"),
        ({"problem": 2}, "space='cuts'"),
    ],
)
def test_a_lattice_has_no_sweep(study: Study, options: dict[str, object], owners: str) -> None:
    """Nor a problem of the trade-offs paper, which was ignored here without a word."""
    with pytest.raises(InputError) as error:
        study.explore(space="lattice", **options)  # type: ignore[arg-type]
    assert (
        str(error.value)
        == f"{next(iter(options))}: the space lattice does not have this option; use {owners}"
    )


def test_sweeps_are_read() -> None:
    assert [as_text(each) for each in parse_sweep(["k=5, 10", "k=5"])] == ["k=5", "k=10"]
    assert [as_text(each) for each in parse_sweep(["l@illness=2+k=3"])] == ["l@illness=2 + k=3"]
