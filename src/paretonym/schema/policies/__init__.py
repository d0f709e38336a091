"""Policies: requirements in a file, with who set them and why."""

from __future__ import annotations

from paretonym.schema.policies.policy_file import is_policy, read_policy, requirements_in

__all__ = ["is_policy", "read_policy", "requirements_in"]
