"""The schemas of the five tables: what `paretonym init` drafts, and the few decisions that a person made.

python examples/tables/make_schemas.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paretonym.schema.draft.draft_schema import draft_schema
from paretonym.source.table_reader import open_table


@dataclass(frozen=True)
class Decisions:
    """What a person decided: roles, and the lines that were drafted with a mark before them."""

    roles: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


DECISIONS: Mapping[str, Decisions] = {
    # Half of the wards are empty: dropping those rows would lose half of the stays.
    "hospital": Decisions({"insurance_type": "quasi"}, ('missing = "value"', 'rows = "events"')),
    "payroll": Decisions({"company_car": "quasi"}),
    "survey": Decisions({"interview_mode": "other"}, ('missing = "value"',)),
    "shop": Decisions({"device": "drop"}, ('rows = "events"',)),
    "school": Decisions({"class": "quasi"}),
}


def decided(text: str, decisions: Decisions) -> str:
    """A drafted schema after the decisions; every comment stays, and says that it was decided."""
    for column, role in decisions.roles.items():
        entry = rf'(?ms)(^\[columns\.{column}\]$.*?^role = )"undecided"'
        text, count = re.subn(entry, rf'\1"{role}"', text, count=1)
        if count != 1:
            raise ValueError(f"{column} is not undecided")
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
    draft = draft_schema(open_table(folder / f"{name}.csv"))
    path.write_text(decided(draft.text, DECISIONS[name]), encoding="utf-8")
    return path


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for table in DECISIONS:
        print(write_schema(table, target))
