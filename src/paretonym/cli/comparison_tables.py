"""A comparison as tables for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

from paretonym.measures.wording import measured
from paretonym.report.comparing import Comparison, Stretch

MOST_ROWS = 30


def comparison_view(found: Comparison) -> RenderableType:
    """The joint frontier, which method owns which stretch of it, and how the methods stand."""
    return Group(_joint(found), _methods(found))


def _plain(title: str) -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")


def _joint(found: Comparison) -> Table:
    table = _plain("The joint frontier: no release of any run beats these")
    for name in found.measures:
        table.add_column(name, justify="right", no_wrap=True)
    for heading in ("method", "id", "recoding"):
        table.add_column(heading, no_wrap=heading != "recoding", overflow="fold")
    points = found.joint
    for point in points[:MOST_ROWS]:
        values = (measured(name, value) for name, value in zip(found.measures, point.values, strict=True))
        table.add_row(*values, point.method, point.id, point.recoding)
    if len(points) > MOST_ROWS:
        table.caption = f"The first {MOST_ROWS} of {len(points):,}; --json has all."
    return table


def _methods(found: Comparison) -> Table:
    first, second = found.measures[:2]
    table = _plain("Who owns it, and by how much")
    table.add_column("method", overflow="fold")
    for heading in ("releases", "on it", "covers", "alone", "behind"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(f"stretches of {first}", overflow="fold")
    for share in sorted(found.shares, key=lambda share: -share.covered):
        own = [stretch for stretch in found.stretches if stretch.method == share.method]
        behind = "" if share.behind is None else measured(second, share.behind)
        table.add_row(
            share.method,
            f"{share.releases:,}",
            f"{share.joint:,}",
            f"{100 * share.covered:.1f} %",
            f"{100 * share.alone:.1f} %",
            behind,
            ", ".join(_ends(first, stretch) for stretch in own),
        )
    table.caption = (
        "covers: the volume between its releases and the worst values, as a share of that of all together; "
        f"alone: what only it covers; behind: by how much its {second} is worse than the best of all, on "
        f"average at equal {first}."
    )
    table.caption_justify = "left"
    return table


def _ends(name: str, stretch: Stretch) -> str:
    start, end = measured(name, stretch.start), measured(name, stretch.end)
    return start if start == end else f"{start} … {end}"
