"""The largest flow between rows of the original and rows of a release, where a row fits several classes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence


class Flow:
    """Units that go from supplies to demands that they fit."""

    def __init__(
        self, supplies: Mapping[int, int], demands: Mapping[int, int], fits: Mapping[int, Sequence[int]]
    ) -> None:
        self.rest = dict(supplies)
        self.open = dict(demands)
        self.fits = {supply: [one for one in fits[supply] if one in demands] for supply in supplies}
        # For each demand, how much of it each supply serves.
        self.sent: dict[int, dict[int, int]] = {demand: {} for demand in demands}

    def start(self) -> None:
        """Send greedily, the supplies with the fewest choices first."""
        for supply in sorted(self.rest, key=lambda one: len(self.fits[one])):
            for demand in self.fits[supply]:
                if number := min(self.rest[supply], self.open[demand]):
                    self.rest[supply] -= number
                    self.open[demand] -= number
                    self.sent[demand][supply] = self.sent[demand].get(supply, 0) + number

    def augment(self, supply: int) -> bool:
        """Send one more unit from a supply, others making way; false if that is impossible."""
        supplier: dict[int, int] = {}
        moved_from: dict[int, int] = {}
        seen, queue = {supply}, deque([supply])
        while queue:
            current = queue.popleft()
            for demand in self.fits[current]:
                if demand in supplier:
                    continue
                supplier[demand] = current
                if self.open[demand]:
                    self._move(supply, demand, supplier, moved_from)
                    return True
                for other, number in self.sent[demand].items():
                    if number and other not in seen:
                        seen.add(other)
                        moved_from[other] = demand
                        queue.append(other)
        return False

    def _move(
        self, start: int, demand: int, supplier: Mapping[int, int], moved_from: Mapping[int, int]
    ) -> None:
        """Move one unit along the path that ends at an open demand."""
        self.open[demand] -= 1
        self.rest[start] -= 1
        while True:
            supply = supplier[demand]
            self.sent[demand][supply] = self.sent[demand].get(supply, 0) + 1
            if supply == start:
                return
            demand = moved_from[supply]
            self.sent[demand][supply] -= 1


def largest_flow(
    supplies: Mapping[int, int], demands: Mapping[int, int], fits: Mapping[int, Sequence[int]]
) -> int:
    """How many units of the supplies can go to demands that they fit: augmenting paths after a greedy start,
    each of them O(edges).

    >>> largest_flow({0: 1, 1: 1}, {7: 1, 8: 1}, {0: [7, 8], 1: [7]})
    2
    """
    flow = Flow(supplies, demands, fits)
    flow.start()
    for supply in supplies:
        while flow.rest[supply] and flow.augment(supply):
            pass
    return sum(supplies.values()) - sum(flow.rest.values())
