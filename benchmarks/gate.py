"""Is this version slower than another one? Both answer the same questions in one run, by turns.

    python -m benchmarks.gate            beside the parent commit
    python -m benchmarks.gate REVISION   beside any other

Only public names are used, so that versions with another inside can be compared. Times of one round stand
beside each other, so noise of the machine hits both; what counts is the median of their ratios. The command
fails where that is above `WORST` for a question, or memory above `MOST_MEMORY` times as much.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROUNDS = 9
WORST = 1.3
MOST_MEMORY = 1.2

QUESTIONS: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    ("exact (k, loss) at 1 %", ("k", "loss"), {"suppress": "1%"}),
    ("exact (k, loss) any:0.1", ("k", "loss"), {"suppress": "any:0.1"}),
    ("exhaustive (k, loss) at 1 %", ("k", "loss"), {"suppress": "1%", "search": "exhaustive"}),
    ("exact (k, l, t, loss, sl) at 1 %", ("k", "l", "t", "loss", "sl"), {"suppress": "1%"}),
    ("cuts (k, loss), 3,000 evaluations", ("k", "loss"), {"space": "cuts", "evaluations": 3000}),
    ("Mondrian, k = 5, 10, 50", ("k", "loss"), {"space": "mondrian", "sweep": ["k=5,10,50"]}),
)

# Answers one question for each number that it reads, with the seconds that it took; at the end its memory.
WORKER = """
import json, resource, sys, time
import paretonym
questions = json.loads(sys.argv[1])
study = paretonym.example("adult")
for line in sys.stdin:
    _, objectives, options = questions[int(line)]
    start = time.perf_counter()
    front = study.explore(*objectives, **options)
    print(json.dumps([time.perf_counter() - start, len(front)]), flush=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
"""


class Version:
    """A process that answers questions with the sources of one version."""

    def __init__(self, source: Path, state: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source), "PARETONYM_STATE": str(state)}
        command = [sys.executable, "-c", WORKER, json.dumps(QUESTIONS)]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=state
        )

    def ask(self, number: int) -> tuple[float, int]:
        seconds, found = json.loads(self._said(f"{number}\n"))
        return seconds, found

    def memory(self) -> float:
        """The process ends and says how many MB it took at most."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self.process.stdin.close()
        return float(self.process.stdout.read())

    def _said(self, line: str) -> str:
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline()


def main() -> int:
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD~1"
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        git("worktree", "add", "--quiet", "--detach", str(other), revision)
        try:
            build = other / "scripts" / "build_kernels.py"
            if build.exists():
                subprocess.run([sys.executable, str(build)], check=True, capture_output=True, cwd=other)
            return compare(other / "src", Path(folder), revision)
        finally:
            git("worktree", "remove", "--force", str(other))


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, cwd=ROOT)


def compare(other: Path, state: Path, revision: str) -> int:
    old, new = Version(other, state), Version(ROOT / "src", state)
    failed = False
    print(f"{'Adult':<40}{revision[:12] + ', ms':>18}{'now, ms':>12}{'ratio':>8}")
    for number, (name, _, _) in enumerate(QUESTIONS):
        rounds = [(old.ask(number), new.ask(number)) for _ in range(ROUNDS + 1)][1:]  # the first one warms up
        ratio = statistics.median(now[0] / before[0] for before, now in rounds)
        before, now = (1000 * statistics.median(one[side][0] for one in rounds) for side in (0, 1))
        other_answer = rounds[0][0][1] != rounds[0][1][1]
        failed |= ratio > WORST or other_answer
        remark = "  other frontier" if other_answer else "  slower" if ratio > WORST else ""
        print(f"{name:<40}{before:>18.1f}{now:>12.1f}{ratio:>8.2f}{remark}")
    before, now = old.memory(), new.memory()
    failed |= now > MOST_MEMORY * before
    print(f"{'memory, MB':<40}{before:>18.0f}{now:>12.0f}{now / before:>8.2f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
