"""A model that is trained on a release and tested on the original rows.

Its features are the quasi-identifiers: for each group of a column the share of a row that lies in it, which
is 0 or 1 in the original.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from paretonym.arrays import Floats
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.extras import require
from paretonym.measures import Realized
from paretonym.measures.estimates import quasi_shares, released_spread, unchanged_spread
from paretonym.sentence_parts import percentage

# Steps of the model's search; more of them change little, and take minutes for many values.
STEPS = 40


class Prediction(NamedTuple):
    """Shares of the original rows whose value of `target` is predicted rightly: by a model trained on the
    original, by one trained on the release, and by always naming the most frequent value."""

    target: str
    trained_on_original: float
    trained_on_release: float
    most_frequent: float
    model: str = "logistic regression"

    def __str__(self) -> str:
        shares = map(percentage, (self.trained_on_release, self.trained_on_original, self.most_frequent))
        release, original, frequent = shares
        return (
            f"A model ({self.model}) that is trained on the release predicts {self.target} rightly for "
            f"{release} of the original rows; trained on these rows themselves, for {original}; always "
            f"naming the most frequent value, for {frequent}."
        )


def predicted(realized: Realized, target: str) -> Prediction:
    cube = realized.cube
    known = [margin.name for margin in (*cube.sensitive, *cube.classes)]
    if target not in known:
        raise InputError.of(
            Field("target"),
            f"'{target}' is not a sensitive or class column",
            did_you_mean(target, known) if known else "give one such column its role in the schema",
        )
    require("utility", "target")
    original, release = unchanged_spread(cube), released_spread(realized)
    test, truth = quasi_shares(cube, original), original.cells_of(cube, target)
    total = truth.sum()
    rights = []
    for spread in (original, release):
        chosen = _model(quasi_shares(cube, spread), spread.cells_of(cube, target)).predict(test)
        rights.append(float(truth[np.arange(len(test)), chosen.astype(np.int64)].sum() / total))
    most = float(truth.sum(axis=0).max() / total)
    own, released = (round(each, 6) for each in rights)
    return Prediction(target, own, released, round(most, 6))


def _model(features: Floats, cells: Floats) -> Any:
    """A model of the values, each row of the features repeated for each of its values."""
    from sklearn.dummy import DummyClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    places, values = np.nonzero(cells > 0)
    weights = cells[places, values]
    several = len(np.unique(values)) > 1
    model = LogisticRegression(max_iter=STEPS) if several else DummyClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(features[places], values, sample_weight=weights)
