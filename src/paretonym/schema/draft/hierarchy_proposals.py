"""The lines of TOML that propose a hierarchy for a column."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_FLOOR, Decimal

from paretonym.errors import shown
from paretonym.schema.draft.column_profile import FEWEST_ROWS, MOST_TRIED, Profile
from paretonym.schema.hierarchies import ready_for, ready_matches, ready_words
from paretonym.schema.hierarchies.date_line import read_days
from paretonym.schema.toml_text import WIDTH, comment, header, one_line, quoted

FEWEST_TO_GROUP = 4
MOST_TO_GROUP = 200
FEW_NUMBERS, FEW_CODES = 5, 10
OLDEST_ALONE = 90
FLAT = "hierarchy.flat = true"


def number_lines(
    profile: Profile, widths: tuple[Decimal, ...] | None = None, open_values: bool = True
) -> list[str]:
    """Intervals, or flat if there is nothing to widen; no value is named unless `open_values`."""
    if widths is None:
        whole = profile.type == "integer"
        many = profile.distinct > FEW_NUMBERS
        widths = nested_widths(profile.numbers, profile.spread, whole) if many else ()
    if profile.present >= FEWEST_ROWS:
        widths = tuple(width for width in widths if _joins(profile.numbers, width))
    if not widths:
        return [FLAT]
    kind = [] if profile.odd else [f'type = "{profile.type}"']
    spelled = ", ".join(format(plain(width), "f") for width in widths)
    return [*kind, f"hierarchy.intervals = [{spelled}]", *_odd_lines(profile, open_values)]


def _joins(numbers: list[Decimal], width: Decimal) -> bool:
    """Whether intervals of this width combine any two of the numbers; otherwise the level hides nothing."""
    places = {(number / width).to_integral_value(ROUND_FLOOR) for number in numbers}
    return len(places) < len(numbers)


def age_lines(profile: Profile) -> list[str]:
    widths = age_widths(profile.numbers)
    if not widths:
        return number_lines(profile)
    lines = number_lines(profile, widths)
    if lines != [FLAT] and profile.numbers[-1] >= OLDEST_ALONE:
        lines.append(f"top = {OLDEST_ALONE}  # the oldest are few: {OLDEST_ALONE} and above are one group")
    return [*_or_ready(profile, "ages"), *lines]


def date_lines(profile: Profile, born: bool = False, open_values: bool = True) -> list[str]:
    """Months, years and more; with the format if it is not ISO."""
    years = _years(profile)
    units = ["month", "year", "decade"] if born or years > 10 else ["month", "quarter", "year"]
    layout = profile.layouts[0] if profile.layouts else None
    spelled = [] if layout is None else [f"format = {quoted(layout)}"]
    proposed = f"hierarchy.date = [{', '.join(map(quoted, units))}]"
    kind = [] if profile.odd else ['type = "date"']
    return [*_or_ready(profile, "dates"), *kind, *spelled, proposed, *_odd_lines(profile, open_values)]


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
        return [
            *comment(
                f"With {profile.distinct:,} values, a file with a line value;set;larger set for each is "
                'better than flat: hierarchy.file = "NAME.csv".'
            ),
            FLAT,
        ]
    return [FLAT, *_tree_template(profile)]


def value_lines(profile: Profile) -> list[str]:
    """The lines that the values of a column suggest."""
    if profile.type == "date":
        return date_lines(profile)
    if profile.numeric and profile.distinct > FEW_CODES:
        return number_lines(profile)
    many_codes = profile.is_code and profile.distinct > FEW_CODES
    return code_lines(profile) if many_codes else category_lines(profile)


def several_way_lines(profile: Profile) -> list[str]:
    """The formats of dates that could be read in several ways, for a person to choose one."""
    lines = date_lines(profile, open_values=False)
    formats = [f"# format = {quoted(layout)}" for layout in profile.layouts if layout is not None]
    return [*formats, *(line for line in lines if not line.startswith("format"))]


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
    if name not in ready_matches(profile.texts):
        return []
    return [*comment(f'Or hierarchy.ready = "{name}": {", then ".join(ready_words()[name])}.')]


def _tree_template(profile: Profile) -> list[str]:
    """Two sets that contain every value: a tree that is valid as soon as the comment marks are removed."""
    texts = sorted(profile.texts)
    half = len(texts) // 2
    return [
        *comment(
            f"Flat is all or nothing. Better: sort the {len(texts)} values into meaningful sets; delete "
            "the line above and uncomment those below."
        ),
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
    if not profile.odd:
        return []
    others = sum(
        count
        for text, count in zip(profile.texts, profile.counts.tolist(), strict=True)
        if text in profile.odd
    )
    many = "dates" if profile.type == "date" else "numbers"
    number = f"{profile.present - others:,} of {profile.present:,} values are {many}, the rest not"
    named = f" ({one_line(shown(sorted(profile.odd)))})" if open_values else ""
    where = "in the set of top or bottom if it says so, otherwise in the top set"
    if profile.type == "date":
        where = "in the top set; correct them, or list them in null if they mean missing"
    return [*comment(f"{number}{named}: {where}."), 'unknown = "top"']


def _years(profile: Profile) -> int:
    """About how many years the dates span."""
    tried = profile.texts[:: max(1, profile.distinct // MOST_TRIED)]
    days = read_days(tried, profile.layouts[0] if profile.layouts else None)
    return int((days.max() - days[days >= 0].min()) / 365) if (days >= 0).any() else 0


AGES = (Decimal(5), Decimal(10), Decimal(20), Decimal(40))
OLDEST = 130
FIRST_GROUPS = 25
MOST_WIDTHS = 4
# What follows a width that begins with this digit: 1, 5, 10, 50 and 2, 10, 50 and 5, 10, 50.
FACTORS = {"1": 5, "2": 5, "5": 2}


def nested_widths(numbers: list[Decimal], spread: Decimal, whole: bool) -> tuple[Decimal, ...]:
    """Widths for these rising numbers, most of which lie within `spread`; none if there is nothing to widen.

    >>> [str(width) for width in nested_widths([Decimal(0), Decimal(90000)], Decimal(60000), True)]
    ['5000', '10000', '50000']
    """
    reach = numbers[-1] - numbers[0]
    if whole and reach <= 20:
        return tuple(width for width in map(Decimal, (2, 4, 8)) if width < reach)
    width = round_up((spread or reach) / FIRST_GROUPS) if reach else Decimal(0)
    if whole:
        width = max(width, Decimal(2))
    widths: list[Decimal] = []
    while 0 < width < reach and len(widths) < MOST_WIDTHS:
        widths.append(width)
        width = width * FACTORS[leading_digit(width)]
    return tuple(widths)


def age_widths(numbers: list[Decimal]) -> tuple[Decimal, ...]:
    """Widths of 5, 10, 20 and 40 years, as far as there are people that old; none if the values are not
    years."""
    if not numbers or numbers[0] < 0 or numbers[-1] > OLDEST:
        return ()
    return tuple(width for width in AGES if width < numbers[-1] - numbers[0])


def round_up(number: Decimal) -> Decimal:
    """The next number that begins with 1, 2 or 5.

    >>> [str(round_up(Decimal(text))) for text in ("0.3", "3200", "5", "51")]
    ['0.5', '5000', '5', '100']
    """
    unit = Decimal(1).scaleb(number.adjusted())
    return plain(next(unit * step for step in (1, 2, 5, 10) if unit * step >= number))


def leading_digit(number: Decimal) -> str:
    return str(number.normalize().as_tuple().digits[0])


def plain(number: Decimal) -> Decimal:
    """The number without an exponent."""
    return Decimal(format(number.normalize(), "f"))
