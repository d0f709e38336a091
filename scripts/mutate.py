"""Change the guard of the explorer and the measures, one place at a time, and see whether a test notices.

    .venv/bin/python scripts/mutate.py [--number 20] [--seed 1] [--least 0.8]

Each mutant is the file with one comparison, operator, truth or number changed, in a copy of the tree. The
tests that are named beside the file must fail. Survivors are printed; the script ends with 1 if fewer than
`--least` of the mutants are noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
# Files to change, and the tests that must notice.
_MEASURES = "tests/unit/engine/measures tests/exams/test_measures.py"
TARGETS = {
    "src/paretonym/interfaces/web/request_guard.py": "tests/web/test_door.py tests/web/test_requests.py",
    "src/paretonym/engine/measures/class_size.py": _MEASURES,
    "src/paretonym/engine/measures/closeness.py": _MEASURES,
    "src/paretonym/engine/measures/diversity.py": _MEASURES,
    "src/paretonym/engine/measures/information_loss.py": _MEASURES,
}
TARGETS["src/paretonym/engine/counts/class_statistics.py"] = (
    "tests/exams/test_measures.py tests/unit/engine/counts"
)
PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
)
SWAPPED = {**dict(PAIRS), **{second: first for first, second in PAIRS}}
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "build", "dist", ".*_cache", "__pycache__")


class Mutant(NamedTuple):
    """A file with one change, and the line of it."""

    path: str
    line: int
    text: str
    words: str


def operator_of(node: ast.AST) -> ast.AST | None:
    if isinstance(node, ast.Compare):
        return node.ops[0]
    return node.op if isinstance(node, ast.BoolOp | ast.BinOp) else None


def places(tree: ast.AST) -> list[ast.AST]:
    """The nodes that can be changed."""
    return [
        node
        for node in ast.walk(tree)
        if type(operator_of(node)) in SWAPPED
        or (isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float))
    ]


def change(node: Any) -> str:
    """Change a node; says how."""
    if isinstance(node, ast.Constant):
        before: Any = node.value
        node.value = not before if isinstance(before, bool) else before + 1
        return f"{before} → {node.value}"
    operator = operator_of(node)
    other = SWAPPED[type(operator)]()  # type: ignore[index]
    if isinstance(node, ast.Compare):
        node.ops[0] = other  # type: ignore[call-overload]
    else:
        node.op = other
    return f"{type(operator).__name__} → {type(other).__name__}"


def mutants(path: str) -> list[Mutant]:
    """Every mutant of a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    made = []
    for number in range(len(places(ast.parse(text)))):
        tree = ast.parse(text)
        node = places(tree)[number]
        words = change(node)
        made.append(Mutant(path, getattr(node, "lineno", 0), ast.unparse(tree), words))
    return made


def survives(mutant: Mutant, copy: Path) -> bool:
    """Whether the tests of its folder pass with a mutant."""
    file = copy / mutant.path
    before = file.read_text(encoding="utf-8")
    file.write_text(mutant.text, encoding="utf-8")
    try:
        tests = [test for test in TARGETS[mutant.path].split() if (copy / test).exists()]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-m",
            "not slow",
            "-p",
            "no:cacheprovider",
            *tests,
        ]
        paths = {**os.environ, "PYTHONPATH": str(copy / "src")}
        return subprocess.run(command, cwd=copy, env=paths, capture_output=True, check=False).returncode == 0
    finally:
        file.write_text(before, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutation of the guard and the measures.")
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--least", type=float, default=0.8)
    options = parser.parse_args()
    every = [mutant for path in TARGETS if (ROOT / path).exists() for mutant in mutants(path)]
    chosen = random.Random(options.seed).sample(every, min(options.number, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "build", "dist", ".*_cache")
        )
        alive = [mutant for mutant in chosen if survives(mutant, copy)]
    for mutant in alive:
        print(f"survives: {mutant.path}:{mutant.line}: {mutant.words}")
    share = 1 - len(alive) / len(chosen)
    print(
        f"seed {options.seed}: {len(chosen) - len(alive)} of {len(chosen)} mutants are noticed ({share:.0%})"
    )
    raise SystemExit(share < options.least)


if __name__ == "__main__":
    main()
