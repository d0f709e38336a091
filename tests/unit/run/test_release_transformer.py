"""A release as a step of scikit-learn."""

from __future__ import annotations

import pandas
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import paretonym as pn
from paretonym.errors import InputError

SCHEMA = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
    }
}


def people(number: int, first: int = 0) -> pandas.DataFrame:
    rows = range(first, first + number)
    return pandas.DataFrame(
        {
            "age": [20 + (i * i) % 37 for i in rows],
            "sex": ["fm"[i % 2] for i in rows],
            "illness": [("flu", "cold", "asthma")[i % 3] for i in rows],
        }
    )


def step() -> pn.ReleaseTransformer:
    return pn.ReleaseTransformer(SCHEMA, best="loss", at_least={"k": 4}, suppress="10%")


def test_new_rows_look_like_the_release() -> None:
    fitted = step().fit(people(80))
    released = fitted.transform(people(80))
    assert fitted.solution_.k >= 4
    new = fitted.transform(people(30, first=200))
    assert fitted.union_.k >= 4
    assert len(new) == fitted.union_.stay
    assert set(new["age"]) <= set(released["age"])
    # Every class of both together is large enough, measured by the second opinion.
    both = pandas.concat([pandas.DataFrame(each) for each in (released, new)])
    assert pn.audit(both, schema=SCHEMA, require=["k>=4"]).passed


def test_the_fitted_table_is_given_as_its_release() -> None:
    fitted = step()
    released = fitted.fit_transform(people(80))
    pandas.testing.assert_frame_equal(released, fitted.solution_.release())
    pandas.testing.assert_frame_equal(released, fitted.transform(people(80)))


def test_it_is_cloned_and_put_into_a_pipeline() -> None:
    given = step()
    copied = clone(given)
    assert copied.get_params() == given.get_params()
    assert copied.set_params(best="k", at_least=None, at_most={"loss": "60%"}).best == "k"
    assert given.best == "loss"
    assert make_pipeline(copied).fit_transform(people(80)).shape[1] == 3
    with pytest.raises(ValueError, match="labels beside them would be wrong; put the labels into the table"):
        make_pipeline(copied).fit_transform(people(80), [0] * 80)
    assert not get_tags(given).target_tags.required
    with pytest.raises(InputError, match="no parameter 'bset'; did you mean 'best'"):
        given.set_params(bset="k")


def test_it_must_be_fitted_first() -> None:
    with pytest.raises(InputError, match="it is not fitted; call fit with a table first"):
        step().transform(people(10))
