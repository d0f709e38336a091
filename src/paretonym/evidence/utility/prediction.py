"""A model that is trained on a release and tested on original rows that it was not trained on.

The rows of the original are divided into folds by a fixed seed. For each fold a model is trained on the other
rows, as they are and as the same recoding shows them, and tested on the original rows of the fold. Its
features are the quasi-identifiers: for each group of a column the share of a row that lies in it, which is 0
or 1 in the original.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.extras import require
from paretonym.base.sentence_parts import percentage
from paretonym.engine.counts import Cube
from paretonym.engine.measures import Realized
from paretonym.engine.measures.estimates import coarse_tuples, quasi_shares, released_spread, unchanged_spread

# Steps of the model's search; more of them change little, and take minutes for many values.
STEPS = 40
FOLDS = 5
_SEED = 20_261_118


class Prediction(NamedTuple):
    """Shares of the original rows whose value of `target` is predicted rightly, by models that were trained
    on other rows: as they are in the original, and as the release shows them; and by always naming the most
    frequent value."""

    target: str
    trained_on_original: float
    trained_on_release: float
    most_frequent: float
    model: str = "logistic regression"
    folds: int = FOLDS

    def __str__(self) -> str:
        shares = map(percentage, (self.trained_on_release, self.trained_on_original, self.most_frequent))
        release, original, frequent = shares
        return (
            f"A model ({self.model}) that is trained on the release predicts {self.target} rightly for "
            f"{release} of the original rows; trained on the original, for {original}; always naming the "
            f"most frequent value, for {frequent}. Each row is predicted by a model that was trained on "
            f"other rows ({self.folds}-fold cross-validation)."
        )


def predicted(realized: Realized, target: str) -> Prediction:
    """Quality of a model's prediction of a sensitive or class column from the quasi-identifiers."""
    cube = realized.cube
    columns = [margin.name for margin in (*cube.sensitive, *cube.classes)]
    if target not in columns:
        raise InputError.of(
            Field("target"),
            f"'{target}' is not a sensitive or class column",
            did_you_mean(target, columns) if columns else "give one such column its role in the schema",
        )
    require("utility", "target")
    original, release = quasi_shares(cube, unchanged_spread(cube)), _ReleasedRows.of(realized, target)
    values = _values(cube.of_values, target)
    right = np.zeros(2)
    for test in _folds(values):
        train = values - test
        right[0] += _number_right(original, train, original, test)
        right[1] += _number_right(release.features, release.recoded(train), original, test)
    original_right, release_right = (right / values.sum()).round(6).tolist()
    most_frequent = round(float(values.sum(axis=0).max() / values.sum()), 6)
    return Prediction(target, original_right, release_right, most_frequent)


def _values(cube: Cube, column: str) -> Integers:
    """Counts of each value of a column in each tuple."""
    return cube.margin(column).by_rows.cells(np.arange(cube.tuples), cube.tuples)


def _folds(values: Integers) -> Iterator[Integers]:
    """The counts of values in the rows of each fold. Rows are drawn without replacement, so that every row is
    in one fold and folds are of equal size."""
    generator, rest = np.random.default_rng(_SEED), values.ravel().copy()
    for number in range(FOLDS, 0, -1):
        fold = generator.multivariate_hypergeometric(rest, int(rest.sum()) // number, method="marginals")
        rest -= fold
        yield fold.reshape(values.shape)


class _ReleasedRows(NamedTuple):
    """The rows of the original as the release shows them: the `features` of each class; the tuple of the cube
    that each tuple of the original belongs to, and the class of that; the share of its rows that stay; and
    how values are mixed, where they are."""

    features: Floats
    tuple_of: Integers
    class_of: Integers
    staying: Floats
    mixed: Callable[[Floats], Floats] | None

    @classmethod
    def of(cls, realized: Realized, target: str) -> _ReleasedRows:
        whole = realized if realized.before is None else realized.before
        cube, gone = realized.gone
        classes, sensitive = whole.classes, [margin.name for margin in cube.sensitive]
        every = Realized(cube, classes, np.ones(len(classes), dtype=np.bool_))
        features = quasi_shares(cube, released_spread(every))
        tuple_of, staying = coarse_tuples(cube.of_values, cube), 1 - gone / cube.counts
        if classes.buckets is None:
            return cls(features, tuple_of, classes.of_tuple, staying, None)
        mixed = classes.buckets.expected if target in sensitive else None
        return cls(features, tuple_of, np.arange(cube.tuples), staying, mixed)

    def recoded(self, values: Integers) -> Floats:
        """The counts of values in each class, of those rows that stay."""
        cells = np.zeros((len(self.class_of), values.shape[1]))
        np.add.at(cells, self.tuple_of, values)
        cells *= self.staying[:, None]
        if self.mixed is not None:
            cells = self.mixed(cells)
        counts = np.zeros((len(self.features), values.shape[1]))
        np.add.at(counts, self.class_of, cells)
        return counts


def _number_right(features: Floats, train: Integers | Floats, tested: Floats, test: Integers) -> float:
    """The number of test rows whose value a model names that was trained on other rows."""
    if not train.any():
        return 0.0
    chosen = _model(features, train).predict(tested).astype(np.int64)
    return float(test[np.arange(len(test)), chosen].sum())


def _model(features: Floats, cells: Integers | Floats) -> Any:
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
