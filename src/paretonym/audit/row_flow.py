"""The largest flow between rows of the original and rows of a release, where a row fits several classes."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence


def largest_flow(
    supplies: Mapping[int, int], demands: Mapping[int, int], fits: Mapping[int, Sequence[int]]
) -> int:
    """How many units of the supplies can go to demands that they fit: augmenting paths after a greedy start,
    each of them O(edges).

    >>> largest_flow({0: 1, 1: 1}, {7: 1, 8: 1}, {0: [7, 8], 1: [7]})
    2
    """
    rest, room = dict(supplies), dict(demands)
    choices = {supply: [demand for demand in fits[supply] if demand in demands] for supply in supplies}
    # For each demand, how much of it each supply serves.
    sent: dict[int, dict[int, int]] = {demand: {} for demand in demands}
    for supply in sorted(rest, key=lambda one: len(choices[one])):
        for demand in choices[supply]:
            if number := min(rest[supply], room[demand]):
                rest[supply] -= number
                room[demand] -= number
                sent[demand][supply] = number
    for supply in supplies:
        while rest[supply] and (path := _open_path(supply, choices, room, sent)):
            rest[supply] -= 1
            room[path[-1][1]] -= 1
            for place, (sender, demand) in enumerate(path):
                sent[demand][sender] = sent[demand].get(sender, 0) + 1
                if place:
                    sent[path[place - 1][1]][sender] -= 1
    return sum(supplies.values()) - sum(rest.values())


def _open_path(
    start: int,
    choices: Mapping[int, Sequence[int]],
    room: Mapping[int, int],
    sent: Mapping[int, Mapping[int, int]],
) -> list[tuple[int, int]]:
    """Pairs of a supply and a demand along which one more unit can be sent, each next supply making way for
    the one before; empty if there is none."""
    sender_of: dict[int, int] = {}
    demand_before: dict[int, int] = {}
    queue = deque([start])
    while queue:
        supply = queue.popleft()
        for demand in choices[supply]:
            if demand in sender_of:
                continue
            sender_of[demand] = supply
            if room[demand]:
                path = [(supply, demand)]
                while path[0][0] != start:
                    demand = demand_before[path[0][0]]
                    path.insert(0, (sender_of[demand], demand))
                return path
            for other, number in sent[demand].items():
                if number and other != start and other not in demand_before:
                    demand_before[other] = demand
                    queue.append(other)
    return []
