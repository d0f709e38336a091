"""Requirements of a house for its releases: policies, and checklists of published rules."""

from __future__ import annotations

from paretonym.tables.schema.policies.checklist_file import (
    Checklist,
    ChecklistItem,
    in_words,
    looks_like,
    name_contains,
    read_checklist,
)
from paretonym.tables.schema.policies.policy_file import Policy, is_policy, read_policy, requirements_in

__all__ = [
    "Checklist",
    "ChecklistItem",
    "Policy",
    "in_words",
    "is_policy",
    "looks_like",
    "name_contains",
    "read_checklist",
    "read_policy",
    "requirements_in",
]
