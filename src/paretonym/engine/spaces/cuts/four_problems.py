"""The four problems of the trade-offs paper (Section 5.3), each also with ℓ in place of k."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from paretonym.base.errors import Field, InputError
from paretonym.engine.counts import Cube
from paretonym.engine.measures import MEASURES, Objective, Settings
from paretonym.engine.search import Rule

Prefer: TypeAlias = Literal["k", "l"]

# The measure of one class for each letter.
KEYS: Mapping[str, str] = {"k": "k", "l": "l-distinct"}

# Basis in place of the squared sizes, so it exists in these problems only.
WEIGHTED_L = replace(
    MEASURES["weighted-k"],
    name="weighted-l",
    question="How many sensitive values has an average person's class?",
    formula="Σ |C|·values of C / N, before suppression",
    reference="Dewri et al., trade-offs, Eq. 6 with ℓ in place of k",
    caution="",
)


@dataclass(frozen=True, slots=True)
class PaperProblem:
    """`number` is the paper's. `prefer` says whether the problem is about k or ℓ, in Problem 4 which of the
    two matters more. With `sound`, every pair (k, ℓ) that a recoding can reach is a candidate instead of the
    paper's one. With `floor`, the ℓ of a class is the integer part of `l` (Definition 4), not its number of
    values."""

    number: int
    prefer: Prefer | None = None
    sound: bool = False
    floor: bool = False

    def __post_init__(self) -> None:
        if self.number not in MAKERS:
            raise InputError.of(Field("problem"), f"there is no problem {self.number}", "give 1, 2, 3 or 4")
        if self.prefer not in (None, *KEYS):
            raise InputError.of(Field("prefer"), f"'{self.prefer}' is neither k nor l", "give k or l")
        if self.sound and self.number != 4:
            raise InputError.of(Field("sound"), "only Problem 4 has a sound version", "leave it out")
        if self.floor and self.number != 4:
            raise InputError.of(
                Field("floor_l"), "only Problem 4 puts classes in order by both", "leave it out"
            )
        if self.floor and self.sound:
            raise InputError.of(
                Field("floor_l"),
                "the sound version knows no whole numbers: it tries every threshold",
                f"leave it out, or ask for {Field('objectives', 'k,l,loss')} {Field('suppress', 'any:0.1')}",
            )

    @classmethod
    def of_options(cls, options: Mapping[str, object]) -> PaperProblem | None:
        """The problem that parameters of the space ask for, as people write them; None if they ask for none.

        >>> PaperProblem.of_options({"problem": "4", "prefer": "k"})
        PaperProblem(number=4, prefer='k', sound=False, floor=False)
        """
        if "problem" not in options:
            for name in (name for name in ("prefer", "sound", "floor_l") if options.get(name)):
                raise InputError.of(
                    Field(name), f"it belongs to {Field('problem')}", f"give {Field('problem', 4)}, too"
                )
            return None
        text = str(options["problem"]).strip()
        if not text.isdecimal():
            raise InputError.of(Field("problem"), f"there is no problem '{text}'", "give 1, 2, 3 or 4")
        prefer: Any = options.get("prefer")
        sound, floor = (_flag(name, options.get(name, False)) for name in ("sound", "floor_l"))
        return cls(int(text), prefer, sound, floor)

    @property
    def options(self) -> dict[str, object]:
        """The parameters of the space that ask for this problem."""
        values = {"problem": self.number, "prefer": self.prefer, "sound": self.sound, "floor_l": self.floor}
        return {name: value for name, value in values.items() if value not in (None, False)}

    @property
    def own_suppression(self) -> str:
        """Words for the suppression that the problem itself says; empty if it takes a limit."""
        return {1: "suppresses nothing", 3: "suppresses every class below the mean"}.get(self.number, "")

    @property
    def preferred(self) -> Prefer:
        """The preference, by default that of the paper: k, and ℓ in Problem 4."""
        return self.prefer or ("l" if self.number == 4 else "k")

    def asked(
        self, cube: Cube, fraction: Fraction, settings: Settings | None = None
    ) -> tuple[tuple[Objective, ...], Rule]:
        """The objectives of this problem on a table, and which classes are suppressed; `fraction` is the
        share of rows that may be, if the problem limits it."""
        names, rule = MAKERS[self.number](self, fraction)
        return tuple(_objective(name, cube, settings) for name in names), rule


def _objective(name: str, cube: Cube, settings: Settings | None) -> Objective:
    if name != WEIGHTED_L.name:
        return Objective.of(name, cube, settings, Field("problem"))
    # Asked for its errors: without a sensitive column there is no ℓ.
    Objective.of(KEYS["l"], cube, settings, Field("prefer"))
    return Objective(name, WEIGHTED_L, ())


Made: TypeAlias = tuple[tuple[str, ...], Rule]


def _zero_suppression(problem: PaperProblem, fraction: Fraction) -> Made:
    letter = problem.preferred
    return (f"weighted-{letter}", "gl"), Rule("order", (KEYS[letter],))


def _limited_suppression(problem: PaperProblem, fraction: Fraction) -> Made:
    key = KEYS[problem.preferred]
    return (key, "loss"), Rule("order", (key,), fraction)


def _any_suppression(problem: PaperProblem, fraction: Fraction) -> Made:
    letter = problem.preferred
    return (f"weighted-{letter}", "gl", "sl"), Rule("mean", (KEYS[letter],))


def _safety(problem: PaperProblem, fraction: Fraction) -> Made:
    """The less preferred property decides first, since its low values are suppressed first."""
    k, diversity = KEYS["k"], "l" if problem.floor else KEYS["l"]
    names = (k, diversity, "loss")
    if problem.sound:
        return names, Rule("any", (k, diversity), fraction)
    keys = (k, diversity) if problem.preferred == "l" else (diversity, k)
    return names, Rule("order", keys, fraction, whole=problem.floor)


MAKERS: Mapping[int, Callable[[PaperProblem, Fraction], Made]] = {
    1: _zero_suppression,
    2: _limited_suppression,
    3: _any_suppression,
    4: _safety,
}


_FLAGS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def _flag(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in _FLAGS:
        raise InputError.of(Field(name), f"'{value}' is neither yes nor no", f"give {Field(name, 'yes')}")
    return _FLAGS[text]
