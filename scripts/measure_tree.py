"""Measure the tree, for docs/architecture.md. Usage: python scripts/measure_tree.py [SOURCES [TESTS]]

Counts what makes code hard to find one's way in: the sizes of files and functions, helpers that are called
once, modules in import cycles (imports inside functions and for the type checker count), repeated names.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def body_lines(function: ast.FunctionDef) -> int:
    """The lines of a function's body without its docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    start = (first.end_lineno or 0) + 1 if documented else first.lineno
    return max((function.end_lineno or 0) - start + 1, 0)


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def in_cycles(graph: dict[str, set[str]]) -> int:
    """How many modules reach themselves."""
    reached = {name: set(others) for name, others in graph.items()}
    while True:
        more = {name: others.union(*(reached[each] for each in others)) for name, others in reached.items()}
        if more == reached:
            return sum(name in others for name, others in reached.items())
        reached = more


def called_once(trees: dict[str, ast.Module]) -> float:
    """The share of private functions of modules that one place alone calls."""
    uses = {
        (name, node.name): -1
        for name, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_")
    }
    for name, tree in trees.items():
        counted = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        for place in uses:
            if place[0] == name:
                uses[place] = counted[place[1]]
    return sum(count == 1 for count in uses.values()) / max(len(uses), 1)


def measure(sources: Path, tests: Path) -> dict[str, str]:
    paths = sorted(sources.rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    parts = {path: path.relative_to(sources.parent).with_suffix("").parts for path in paths}
    names = {path: ".".join(parts[path]).removesuffix(".__init__") for path in paths}
    trees = {names[path]: ast.parse(text) for path, text in texts.items()}
    graph = {
        name: {other for other in imported(tree) if other in trees and not name.startswith(other)}
        for name, tree in trees.items()
    }
    lengths = [len(text.splitlines()) for text in texts.values()]
    bodies = [body_lines(function) for tree in trees.values() for function in functions(tree)]
    last = [name.rpartition(".")[2] for name in trees]
    tested = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in tests.rglob("*.py"))
    return {
        "files / lines": f"{len(paths)} / {sum(lengths):,}",
        "file length median / max": f"{median(lengths):.0f} / {max(lengths)}",
        "function body median / max": f"{median(bodies):.0f} / {max(bodies)}",
        "private helpers called from one place only": f"{called_once(trees):.0%}",
        "module names ending in -ing": f"{sum(name.endswith('ing') for name in last) / len(last):.0%}",
        "module names that occur twice": str(sum(count > 1 for count in Counter(last).values())),
        "modules in import cycles, counting imports inside functions": str(in_cycles(graph)),
        "lines of test per line of source": f"{tested / sum(lengths):.2f}",
    }


if __name__ == "__main__":
    given = [Path(word) for word in sys.argv[1:]]
    for what, found in measure(*(given + [ROOT / "src/paretonym", ROOT / "tests"][len(given) :])).items():
        print(f"{what:60} {found}")
