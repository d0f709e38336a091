"""An analytical form of a frontier: a polynomial through it, and how far it is off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Floats
from paretonym.errors import InputError
from paretonym.frontier import Frontier
from paretonym.frontier.queries import gain_and_cost

HIGHEST_DEGREE = 5


@dataclass(frozen=True, slots=True)
class Fit:
    """The cost as a polynomial of the gain, or of its logarithm where `logarithmic`; `coefficients[i]`
    belongs to the i-th power. `error` is the root of the mean squared difference, `worst` the largest, both
    over the solutions; `left_out` the same root with each solution predicted from all others."""

    gain: str
    cost: str
    logarithmic: bool
    coefficients: tuple[float, ...]
    error: float
    worst: float
    left_out: float

    def __call__(self, gain: float) -> float:
        """The cost that the form gives for a gain."""
        at = np.log(gain) if self.logarithmic else gain
        return float(np.polynomial.polynomial.polyval(at, self.coefficients))

    def __str__(self) -> str:
        name = f"ln({self.gain})" if self.logarithmic else self.gain
        powers = ["", f"·{name}", *(f"·{name}^{i}" for i in range(2, len(self.coefficients)))]
        terms = [f"{value:.4g}{power}" for value, power in zip(self.coefficients, powers, strict=True)]
        return f"{self.cost} ≈ {' + '.join(terms)}".replace("+ -", "− ")


def fitted(frontier: Frontier, highest: int = HIGHEST_DEGREE) -> Fit:
    """The polynomial of at most that degree which best predicts each solution from the others.

    It holds for this frontier alone: nothing says that another table's looks alike, nor that it holds beyond
    the solutions. Gains that spread over more than a factor of ten are taken by their logarithm.

    Reference: Dewri et al., trade-offs, Section 7.5 (polynomial curve fitting).
    """
    if len(frontier.objectives) != 2 or len(frontier) < 3:
        raise InputError.of(
            "the frontier", "a form is fitted to two objectives and three solutions or more", "explore two"
        )
    gain, cost = gain_and_cost(frontier)
    gains, costs = (np.array([s.values[o.name] for s in frontier]) for o in (gain, cost))
    logarithmic = bool(gains.min() > 0 and gains.max() > 10 * gains.min())
    at = np.log(gains) if logarithmic else gains
    tries = [_of_degree(at, costs, degree) for degree in range(1, min(highest, len(frontier) - 2) + 1)]
    coefficients, error, worst, left_out = min(tries, key=lambda found: found[3])
    return Fit(gain.name, cost.name, logarithmic, tuple(coefficients.tolist()), error, worst, left_out)


def _of_degree(at: Floats, costs: Floats, degree: int) -> tuple[Floats, float, float, float]:
    """Least squares; leaving one out needs no second fit, the diagonal of the projection is enough."""
    powers = np.vander(at, degree + 1, increasing=True)
    orthogonal, upper = np.linalg.qr(powers)
    coefficients = np.linalg.lstsq(upper, orthogonal.T @ costs, rcond=None)[0]
    differences = costs - powers @ coefficients
    alone = differences / np.maximum(1 - (orthogonal**2).sum(axis=1), 1e-9)
    error, left_out = (float(np.sqrt(np.mean(each**2))) for each in (differences, alone))
    return coefficients, error, float(np.abs(differences).max()), left_out
