"""Answers in sentences: what was reached, what a little more would buy, what less would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paretonym.measures.formatting import apart, is_share, measured, written

if TYPE_CHECKING:
    from paretonym.frontier.queries.answer import Answer, Step


def sentence(answer: Answer) -> str:
    """The answer in one sentence."""
    limits = answer.question.limits
    asked = f"With {' and '.join(map(str, limits))}" if limits else "Without any limit"
    besides = f", among releases with {' and '.join(map(str, answer.scope))}" if answer.scope else ""
    sure = "proven" if answer.proven else "not proven"
    return (
        f"{asked}, the best {answer.best} is {measured(answer.best, answer.value)}: "
        f"release {answer.solution.id} ({sure}{besides})."
    )


def bought(answer: Answer) -> tuple[str, ...]:
    """What relaxing each limit would buy, one sentence for each step."""
    steps = [f"{_moved(step)}: {_changed(answer, step)}" for step in answer.relaxations]
    held = {step.before for step in answer.relaxations}
    idle = [limit for limit in answer.question.limits if limit not in held]
    walls = [str(limit) for limit in idle if limit in answer.walls]
    idle_words = [str(limit) for limit in idle if limit not in answer.walls]
    if idle_words:
        steps.append(f"No relaxation of {' or of '.join(idle_words)} alone improves {answer.best}.")
    steps += [
        f"{wall}: the run itself went no further, so what more would buy needs another run" for wall in walls
    ]
    return tuple(steps)


def priced(answer: Answer) -> tuple[str, ...]:
    """What the next stricter limit would cost, one sentence for each limit."""
    return tuple(f"{_moved(step)}: {_changed(answer, step)}" for step in answer.tightenings)


def _moved(step: Step) -> str:
    """The new limit, and how far it is from the old one."""
    old, new = step.before.bound, step.limit.bound
    name = step.limit.name
    if is_share(name):
        points = f"{abs(100 * (new - old)):.2g}"
        moved = f"{points} point{'' if points == '1' else 's'} {'more' if new > old else 'less'}"
    else:
        moved = f"instead of {written(name, old)}"
    return f"{step.limit} ({moved})"


def _changed(answer: Answer, step: Step) -> str:
    """Every value that differs, the best first."""
    names = dict.fromkeys([answer.best, *(name for name in answer.names if name != step.limit.name)])
    before, after = answer.solution.values, step.solution.values
    changes = [
        f"{name} {' instead of '.join(apart(name, after[name], before[name]))}"
        for name in names
        if after[name] != before[name]
    ]
    sure = "" if step.proven else "; not proven"
    return f"{', '.join(changes) or f'the same {answer.best}'} (release {step.solution.id}{sure})"
