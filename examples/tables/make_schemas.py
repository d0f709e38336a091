"""The schemas of the five tables: what `paretonym init` drafts, and the few decisions that a person made.

python examples/tables/make_schemas.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paretonym.tables.schema.draft.draft_schema import draft_schema
from paretonym.tables.source.engines import read


@dataclass(frozen=True)
class Decisions:
    """What a person decided: roles, the lines that were drafted with a mark before them, and roles that were
    proposed otherwise."""

    roles: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    instead: Mapping[str, tuple[str, str]] = field(default_factory=dict)


# Measuring exact numbers by intervals (level = 1) is shown by pages; the tutorial publishes intervals.
DECISIONS: Mapping[str, Decisions] = {
    # Half of the wards are empty: dropping those rows would lose half of the stays.
    # Pages show what events are, too.
    "hospital": Decisions(
        {"insurance_type": "quasi"},
        ('missing = "value"', 'rows = "events"'),
        {"patient_id": ("person", "identifier")},
    ),
    "payroll": Decisions({"company_car": "quasi"}, ("level = 1",)),
    # A page gives weights and households their roles.
    "survey": Decisions(
        {"interview_mode": "other"},
        ('missing = "value"', "level = 1"),
        {"pweight": ("weight", "drop"), "hhid": ("household", "drop")},
    ),
    "shop": Decisions(
        {"device": "drop"}, ('rows = "events"', "level = 1"), {"customer_id": ("person", "identifier")}
    ),
    "school": Decisions({"class": "quasi"}),
}


def decided(text: str, decisions: Decisions) -> str:
    """A drafted schema after the decisions; every comment stays, and says that it was decided."""
    roles = {column: ("undecided", role) for column, role in decisions.roles.items()}
    for column, (before, role) in {**roles, **decisions.instead}.items():
        entry = rf'(?ms)(^\[columns\.{column}\]$.*?^role = )"{before}"'
        text, count = re.subn(entry, rf'\1"{role}"', text, count=1)
        if count != 1:
            raise ValueError(f"{column} is not {before}")
    for line in decisions.lines:
        text, count = re.subn(rf"(?m)^# ({re.escape(line)})( |$)", r"\1\2", text, count=1)
        if count != 1:
            raise ValueError(f"{line} was not drafted")
    # What was edited is no longer what `init` wrote.
    text = re.sub(r"(?m)^# written by paretonym, sha256 .*\n", "", text)
    return re.sub(r"(?m)^# .* left to decide.*$", "# All was decided.", text).replace("DECIDE:", "Decided:")


def write_schema(name: str, folder: Path) -> Path:
    """Draft the schema of one of the tables in a folder, and decide; its file."""
    path = folder / f"{name}.toml"
    draft = draft_schema(read(folder / f"{name}.csv"))
    path.write_text(decided(draft.text, DECISIONS[name]), encoding="utf-8")
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for table in DECISIONS:
        print(write_schema(table, target))
