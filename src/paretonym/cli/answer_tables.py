"""Answers and shortlists as text for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from paretonym.cli.schema_command import printable
from paretonym.frontier.cautions import known_briefly
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.queries.answer import Answer
from paretonym.frontier.queries.answer_text import bought, priced, sentence
from paretonym.frontier.queries.shortlist import Choice
from paretonym.frontier.solution import Solution
from paretonym.frontier.solution_description import Description
from paretonym.measures.formatting import measured
from paretonym.spaces.registry import space_of


def answer_view(frontier: Frontier, answer: Answer, described: Description) -> RenderableType:
    """The sentence, the row, the columns; then what more would buy and less would cost."""
    parts: list[RenderableType] = [*_warned(answer.warnings), Text(sentence(answer))]
    parts += [Text(f"Not proven: {doubt}.") for doubt in answer.doubts]
    parts.append(answer_row(frontier, answer.solution))
    parts += [Text(f"{kept}.") for kept in _kept(answer.solution)]
    parts += [Text(described.left_out)]
    if described.columns:
        parts.append(columns_table(described))
    parts += _steps("A little more would buy:", bought(answer))
    parts += _steps("The next stricter limit would cost:", priced(answer))
    return Group(*parts)


def answer_row(frontier: Frontier, solution: Solution) -> Table:
    """One solution: the objectives, and k and the parts of loss where they are known."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    wanted = dict.fromkeys([*(o.name for o in frontier.objectives), "k", "loss", "gl", "sl"])
    names = [name for name in wanted if name in solution.values]
    for name in ("id", *names, "suppressed"):
        table.add_column(name, justify="left" if name == "id" else "right", no_wrap=True)
    values = (measured(name, solution.values[name]) for name in names)
    table.add_row(solution.id, *values, f"{solution.suppressed:,}")
    return table


def columns_table(described: Description) -> Table:
    """How each column is shown, and what it loses."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("shown", overflow="fold")
    table.add_column("loss", justify="right", no_wrap=True)
    for column in described.columns:
        loss = "" if column.loss is None else measured("loss", column.loss)
        table.add_row(printable(column.name), printable(str(column.words)), loss)
    return table


def shortlist_view(
    frontier: Frontier, choices: tuple[Choice, ...], doubts: tuple[str, ...]
) -> RenderableType:
    """The shortlist as a table: values, how the columns are shown, and why it is on the list."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False)
    names = [objective.name for objective in frontier.objectives]
    table.add_column("id", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("suppressed", justify="right", no_wrap=True)
    table.add_column("why, and what it shows", overflow="fold")
    for choice in choices:
        solution = choice.solution
        words = Text("; ".join(choice.reasons))
        known = [printable(f"warning: {text}") for text in known_briefly(solution)]
        shown = "; ".join([*known, *_kept(solution), printable(solution.describe().shown)])
        words.append(f"\n{shown}", style="dim")
        values = (measured(name, solution.values[name]) for name in names)
        table.add_row(solution.id, *values, f"{solution.suppressed:,}", words)
    doubted = (Text(f"Not proven: {doubt}.") for doubt in doubts)
    return Group(*_warned(frontier.unit.warnings), *doubted, table)


def _warned(warnings: tuple[str, ...]) -> list[RenderableType]:
    """Warnings come first: what follows must not be read without them."""
    return [Text(f"Warning: {printable(text)}") for text in warnings]


def _kept(solution: Solution) -> list[str]:
    """What every part or bucket was required to have, where that is what makes the release."""
    promised = space_of(solution.recoding).promised(solution.recoding)
    return [promised] if promised else []


def _steps(title: str, lines: tuple[str, ...]) -> list[RenderableType]:
    return [Text(f"\n{title}"), *(Text(f"  {line}") for line in lines)] if lines else []
