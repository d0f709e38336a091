"""POkA as the paper writes it: two recursive functions with their memo lists (Functions 1 to 3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tests.naive.made_lattice import MadeLattice

Node: TypeAlias = tuple[int, ...]
Best: TypeAlias = tuple[Node | None, float, float]

NULL: Best = (None, 0.0, 0.0)


@dataclass
class Recursion:
    made: MadeLattice
    depth: int
    evaluated: set[Node] = field(default_factory=set)

    def run(self) -> list[Node]:
        """Function 3; ends where nothing is found, which the paper leaves open."""
        base: Node = self.made.lattice.highest
        path = [base]
        self.evaluate(base)
        while self.evaluate(base)[0] > 2:
            self.base, self.below, self.above = base, dict[Node, Best](), dict[Node, Best]()
            # Fewer levels are left than the depth: the bottom is the ground node.
            self.reach = min(self.depth, sum(base))
            found, _, _ = self.depth_search(base)
            if found is None:
                return path
            base = found
            path.append(base)
        return path

    def evaluate(self, node: Node) -> tuple[float, float]:
        self.evaluated.add(node)
        k, loss = self.made.table[self.made.lattice.number(node)]
        return float(k), float(loss)

    def steps(self, node: Node) -> int:
        return sum(abs(n - c) for n, c in zip(self.base, node, strict=True))

    def specialized(self, node: Node) -> bool:
        return all(c <= n for n, c in zip(self.base, node, strict=True))

    def height_search(self, node: Node, use: bool) -> Best:
        if node in self.above:
            return self.above[node]
        best: Best = (node, *self.evaluate(node)) if use else NULL
        for child in neighbours(node, 1, self.made.lattice.highest):
            if self.specialized(child) and self.steps(child) > 1:
                found = self.height_search(child, False)
            else:
                values, limits = self.evaluate(child), self.evaluate(self.base)
                lower = values[0] < limits[0] and values[1] < limits[1]
                found = self.height_search(child, True) if lower else NULL
            best = better(found, best)
        self.above[node] = best
        return best

    def depth_search(self, node: Node) -> Best:
        if node in self.below:
            return self.below[node]
        best = NULL
        for child in neighbours(node, -1, self.made.lattice.highest):
            if self.steps(child) == self.reach:
                if self.reach == 1:
                    self.evaluate(child)
                found = self.height_search(child, self.reach == 1)
            else:
                found = self.depth_search(child)
            best = better(found, best)
        self.below[node] = best
        return best


def neighbours(node: Node, step: int, highest: Node) -> list[Node]:
    moved = [(*node[:j], level + step, *node[j + 1 :]) for j, level in enumerate(node)]
    return [each for each in moved if all(0 <= n <= top for n, top in zip(each, highest, strict=True))]


def better(new: Best, old: Best) -> Best:
    return new if new[1] > old[1] or (new[1] == old[1] and new[2] < old[2]) else old
