"""A release as a step of scikit-learn: chosen when it is fitted, and applied to new rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from paretonym.data_kinds import Data, OwnFrame
from paretonym.errors import InputError, did_you_mean
from paretonym.measures import CLASS_SIZE, LOSS, Bounds, Settings
from paretonym.release import CombinedRelease
from paretonym.run.explored_run import Run, Solution
from paretonym.run.study import Study
from paretonym.schema import Schema
from paretonym.spaces import SearchName, SpaceName

if TYPE_CHECKING:
    import os

    from sklearn.utils import Tags


class ReleaseTransformer:
    """Recodes tables as a release of the table that it was fitted on.

    >>> import pandas
    >>> rows = pandas.DataFrame({"sex": ["f", "m"] * 10, "illness": ["flu", "flu", "cold", "cold"] * 5})
    >>> columns = {"sex": {"role": "quasi", "hierarchy": {"flat": True}}, "illness": {"role": "sensitive"}}
    >>> step = ReleaseTransformer({"columns": columns}, best="loss", at_least={"k": 5})
    >>> step.fit_transform(rows).shape, step.solution_.k
    ((20, 2), 10)

    `fit` explores the frontier in `objectives` and chooses the release that is best in the measure `best`
    within `at_least` and `at_most`. `transform` shows new rows as that release shows the old ones, and
    suppresses those whose class, together with the old rows, is too small; the table that was fitted is
    given as its release. Rows may be suppressed and are sorted, so that their order says nothing: labels
    that are kept apart (`y`) would be those of other people, and are refused. `solution_`, `frontier_`,
    `study_` and, after `transform`, `union_` say what was chosen and what old and new rows give together.

    It follows scikit-learn's conventions (`clone`, `get_params`, pipelines), and works without it.
    """

    study_: Study
    frontier_: Run
    solution_: Solution
    union_: CombinedRelease

    def __init__(
        self,
        schema: str | os.PathLike[str] | Mapping[str, object] | Schema,
        *,
        best: str = CLASS_SIZE,
        at_least: Bounds | None = None,
        at_most: Bounds | None = None,
        objectives: Sequence[str] = (CLASS_SIZE, LOSS),
        suppress: str | float = "any:0.1",
        space: SpaceName = "lattice",
        search: SearchName | None = None,
        settings: Settings | None = None,
    ) -> None:
        # As they are: scikit-learn compares what it gave with what it gets back.
        self.schema = schema
        self.best = best
        self.at_least = at_least
        self.at_most = at_most
        self.objectives = objectives
        self.suppress = suppress
        self.space = space
        self.search = search
        self.settings = settings

    def fit(self, X: Data, y: object = None) -> ReleaseTransformer:  # noqa: N803 - scikit-learn's name
        """Explore a table and choose its release. There is no `y`: rows do not keep their places."""
        if y is not None:
            wrong = "the rows of a release are sorted and may be fewer, so labels beside them would be wrong"
            remedy = "put the labels into the table as a column (role class), and take them from the release"
            raise InputError.of("y", wrong, remedy)
        self.study_ = Study(X, self.schema)
        self.frontier_ = self.study_.explore(
            *self.objectives,
            suppress=self.suppress,
            space=self.space,
            search=self.search,
            settings=self.settings,
        )
        self.solution_ = self.frontier_.ask(best=self.best, at_least=self.at_least, at_most=self.at_most)
        return self

    def transform(self, X: Data) -> OwnFrame:  # noqa: N803
        """New rows as the chosen release shows the old ones; of the table that was fitted, its release."""
        if not hasattr(self, "solution_"):
            raise InputError.of("the transformer", "it is not fitted", "call fit with a table first")
        new = Study(X, self.schema)
        if new.source.fingerprint == self.study_.source.fingerprint:
            return self.solution_.release()
        rows, self.union_ = self.solution_.apply(X)
        return rows

    def fit_transform(self, X: Data, y: object = None) -> OwnFrame:  # noqa: N803
        """Fit a table, and return its release."""
        return self.fit(X, y).solution_.release()

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The parameters by name; `deep` makes no difference, for there are none inside them."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **parameters: object) -> ReleaseTransformer:
        """Change parameters; what was fitted before stays until `fit` is called again."""
        names = _parameters(type(self))
        for name, value in parameters.items():
            if name not in names:
                raise InputError.of("the transformer", f"no parameter '{name}'", did_you_mean(name, names))
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "solution_")

    def __sklearn_tags__(self) -> Tags:
        """Tags that tell scikit-learn, which asks for them, to expect a table of texts, without a target."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        texts = InputTags(string=True, categorical=True, allow_nan=True)
        target = TargetTags(required=False)
        return Tags(None, target, TransformerTags(preserves_dtype=[]), input_tags=texts, requires_fit=True)

    def __repr__(self) -> str:
        chosen = f", {self.solution_!r}" if hasattr(self, "solution_") else ""
        return f"<ReleaseTransformer: best {self.best} in space {self.space}{chosen}>"


def _parameters(kind: type[ReleaseTransformer]) -> list[str]:
    names = inspect.signature(kind.__init__).parameters
    return [name for name in names if name != "self"]
