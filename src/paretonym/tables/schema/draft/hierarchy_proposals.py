"""The lines of TOML that propose a hierarchy for a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal

from paretonym.base.errors import shown
from paretonym.tables.schema.draft.column_profile import FEW_CODES, Profile
from paretonym.tables.schema.draft.interval_widths import age_widths
from paretonym.tables.schema.hierarchies import ready_for, ready_matches, ready_words
from paretonym.tables.schema.toml_text import WIDTH, comment, header, one_line, quoted

FEWEST_TO_GROUP = 4
MOST_TO_GROUP = 200
OLDEST_ALONE = 90
FLAT = "hierarchy.flat = true"
# How a sensitive column of many numbers is published; the first is better, if it is enough.
INTERVALS = "# release_level = 1  # publish these intervals, and measure l and t by them"
EXACT = "# level = 1  # publish the exact numbers; only l and t are measured by these intervals"


def number_lines(
    profile: Profile, widths: tuple[Decimal, ...] | None = None, open_values: bool = True
) -> list[str]:
    """Intervals, or flat if there is nothing to widen; no value is named unless `open_values`."""
    widths = profile.widths if widths is None else profile.useful(widths)
    if not widths:
        return [FLAT]
    kind = [] if profile.odd else [f'type = "{profile.type}"']
    spelled = ", ".join(format(width.normalize(), "f") for width in widths)
    return [*kind, f"hierarchy.intervals = [{spelled}]", *_odd_lines(profile, open_values)]


def count_lines(profile: Profile) -> list[str]:
    """Intervals of numbers none of which is named."""
    return number_lines(profile, open_values=False)


def interval_lines(profile: Profile) -> list[str]:
    """Intervals of a sensitive column, and the two ways to publish it."""
    return [*count_lines(profile), INTERVALS, EXACT]


def age_lines(profile: Profile) -> list[str]:
    """Intervals of 5, 10, 20 and 40 years; the oldest are one group."""
    widths = age_widths(profile.numbers)
    if not widths:
        return number_lines(profile)
    lines = number_lines(profile, widths)
    if lines != [FLAT] and profile.numbers[-1] >= OLDEST_ALONE:
        lines.append(f"top = {OLDEST_ALONE}  # the oldest are few: {OLDEST_ALONE} and above are one group")
    return [*_or_ready(profile, "ages"), *lines]


def date_lines(profile: Profile, born: bool = False, open_values: bool = True) -> list[str]:
    """Months, years and more; with the format if it is not ISO."""
    days = profile.days[profile.days >= 0]
    years = int((days.max() - days.min()) / 365) if len(days) else 0
    units = ["month", "year", "decade"] if born or years > 10 else ["month", "quarter", "year"]
    layout = profile.layouts[0] if profile.layouts else None
    spelled = [] if layout is None else [f"format = {quoted(layout)}"]
    proposed = f"hierarchy.date = [{', '.join(map(quoted, units))}]"
    kind = [] if profile.odd else ['type = "date"']
    return [*_or_ready(profile, "dates"), *kind, *spelled, proposed, *_odd_lines(profile, open_values)]


def several_way_lines(profile: Profile) -> list[str]:
    """The formats of dates that could be read in several ways, for a person to choose one."""
    lines = date_lines(profile, open_values=False)
    formats = [f"# format = {quoted(layout)}" for layout in profile.layouts if layout is not None]
    return [*formats, *(line for line in lines if not line.startswith("format"))]


def code_lines(profile: Profile) -> list[str]:
    """The first characters kept, as text, so that leading zeros stay; or a ready hierarchy of such codes."""
    if ready := ready_lines(profile):
        return ready
    length = profile.longest
    characters = sorted({-(-length * 3 // 5), -(-length * 2 // 5), 1} - {0, length}, reverse=True)
    return [f"hierarchy.keep = {characters}"] if characters else [FLAT]


def category_lines(profile: Profile) -> list[str]:
    """Flat and, if there is something to group, a tree for a person to arrange; or a ready hierarchy."""
    if ready := ready_lines(profile):
        return ready
    if profile.distinct < FEWEST_TO_GROUP:
        return [FLAT]
    if profile.distinct > MOST_TO_GROUP:
        better = (
            f"With {profile.distinct:,} values, a file with a line value;set;larger set for each is better "
            'than flat: hierarchy.file = "NAME.csv".'
        )
        return [*comment(better), FLAT]
    return [FLAT, *_tree_template(profile)]


def value_lines(profile: Profile) -> list[str]:
    """The lines that the values of a column suggest."""
    if profile.dated:
        return date_lines(profile)
    if profile.numeric and profile.distinct > FEW_CODES:
        return number_lines(profile)
    many_codes = profile.is_code and profile.distinct > FEW_CODES
    return code_lines(profile) if many_codes else category_lines(profile)


def coarser_lines(profile: Profile) -> list[str]:
    """Lines on publishing fewer details of a sensitive column, in a comment; none where no hierarchy is found
    that names none of its values."""
    lines = [FLAT]
    if profile.dated and not profile.odd:
        lines = date_lines(profile)
    elif profile.numeric and not profile.odd:
        lines = number_lines(profile)
    elif not profile.numeric:
        lines = code_lines(profile) if profile.is_code else ready_lines(profile) or [FLAT]
    if lines == [FLAT]:
        return []
    notes = [line for line in lines if line.startswith("#")]
    offered = [f"# {line}" for line in (*lines, "release_level = 1") if line not in notes]
    return [*notes, "# It is published exactly. To publish coarser values, uncomment:", *offered]


def shape_lines(profile: Profile) -> list[str]:
    """The hierarchy of a column of which only the shape is known, and how it is published if it is
    sensitive."""
    if ready := ready_lines(profile):
        return ready
    if profile.numeric and profile.distinct > 2:
        lines = count_lines(profile)
        return lines if lines == [FLAT] else [*lines, "# If it is sensitive, one of:", INTERVALS, EXACT]
    return code_lines(profile) if profile.is_code and profile.distinct > 20 else [FLAT]


def ready_lines(profile: Profile) -> list[str]:
    """The ready hierarchy of a column's codes, if its name suggests one."""
    name = ready_for(profile.name, profile.texts)
    if name is None:
        return []
    levels = ", then ".join(words.removeprefix("by ") for words in ready_words()[name])
    return [
        *comment(f"All values are codes of the ready hierarchy {name}: {levels}."),
        f"hierarchy.ready = {quoted(name)}",
    ]


def _or_ready(profile: Profile, name: str) -> list[str]:
    """A ready hierarchy that could be taken instead, in a comment."""
    if name not in ready_matches([text for text in profile.texts if text not in profile.end_codes]):
        return []
    return comment(f'Or hierarchy.ready = "{name}": {", then ".join(ready_words()[name])}.')


def _tree_template(profile: Profile) -> list[str]:
    """Two sets that contain every value: a tree that is valid as soon as the comment marks are removed."""
    texts, half = sorted(profile.texts), profile.distinct // 2
    better = (
        f"Flat is all or nothing. Better: sort the {len(texts)} values into meaningful sets; delete the line "
        "above and uncomment those below."
    )
    return [
        *comment(better),
        f"# {header(profile.name, 'hierarchy', 'tree')}",
        *_set_lines("first set", texts[:half]),
        *_set_lines("second set", texts[half:]),
    ]


def _set_lines(label: str, texts: Iterable[str]) -> list[str]:
    lines, line = [], f"# {quoted(label)} = ["
    for text in texts:
        entry = f"{quoted(text)}, "
        if len(line) + len(entry) > WIDTH:
            lines.append(line.rstrip())
            line = "#   "
        line += entry
    return [*lines, line.rstrip(", ") + "]"]


def _odd_lines(profile: Profile, open_values: bool) -> list[str]:
    """Lines on what happens to the few values that are not like the others."""
    if not profile.odd:
        return []
    cells = zip(profile.texts, profile.counts.tolist(), strict=True)
    others = sum(count for text, count in cells if text in profile.odd)
    many = "dates" if profile.dated else "numbers"
    number = f"{profile.present - others:,} of {profile.present:,} values are {many}, the rest not"
    named = f" ({one_line(shown(sorted(profile.odd)))})" if open_values else ""
    where = "in the set of top or bottom if it says so, otherwise in the top set"
    if profile.dated:
        where = "in the top set; correct them, or list them in null if they mean missing"
    return [*comment(f"{number}{named}: {where}."), 'unknown = "top"']


# By the names that `role_rules.toml` uses.
PROPOSALS: Mapping[str, Callable[[Profile], Sequence[str]]] = {
    "none": lambda profile: (),
    "flat": lambda profile: (FLAT,),
    "values": value_lines,
    "category": category_lines,
    "number": number_lines,
    "count": count_lines,
    "intervals": interval_lines,
    "age": age_lines,
    "date": date_lines,
    "birth": lambda profile: date_lines(profile, born=True),
    "several ways": several_way_lines,
    "code": code_lines,
    "coarser": coarser_lines,
    "shape": shape_lines,
}
