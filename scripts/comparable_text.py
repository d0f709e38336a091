"""What of a file or an output is compared with that of another run or version: all but what must differ."""

from __future__ import annotations

import json
import re
from typing import Any

# What may differ from one run to the next, or between versions that are to give the same.
VOLATILE = re.compile(
    r'("(?:seconds|time|version|manifest_sha256)": )(?:"[^"]*"|[-+.e\d]+)|\b\d+(?:\.\d+)?( s\b| seconds)'
)
# Measures that came after the versions that are compared with: claims and checks of them are more, not other.
ADDED = r"beta(?:-release)?(?:@[^\"]*)?"
ADDED_CLAIM = re.compile(rf',\s*"{ADDED}": (?:"inf"|[-+.e\d]+)')
# A warning of a group of which nobody is left, likewise.
ADDED_WARNING = "A group disappears altogether: "
# The digest of what was counted, which runs of before have not.
ADDED_DIGEST = re.compile(r',\s*"counted": "[0-9a-f]{64}"')
# Keys of JSON documents that hold sentences.
PROSE = frozenset(
    (
        "assumption", "caution", "decide", "decisions", "description", "doubts", "formula",
        "less_would_cost", "message", "more_would_buy", "note", "notes", "origin", "problems", "question",
        "reason", "reasons", "reference", "shown", "text", "warnings", "what", "why", "words", "cannot_see",
    )
)  # fmt: skip


def comparable(label: str, text: str, texts: bool = False) -> str:
    """A text without times, versions and, unless `texts`, sentences; the label ends with the name of its file
    or with "stdout". What is printed has fractions of 12 digits, since an audit adds up in no fixed order."""
    text = ADDED_DIGEST.sub("", ADDED_CLAIM.sub("", VOLATILE.sub(_steady, text)))
    if label.endswith(": failed"):
        return text.strip().splitlines()[-1]
    if label.endswith(("draft.toml", "updated.toml")) and not texts:
        lines = (re.sub(r"(^|\s)#.*", "", line).rstrip() for line in text.splitlines())
        return "\n".join(filter(None, lines))
    return _said(text, texts) if label.endswith((": stdout", "comparison.json", "run.json")) else text


def _steady(found: re.Match[str]) -> str:
    return f'{found[1]}"…"' if found[1] else f"…{found[2]}"


def _said(text: str, prose: bool) -> str:
    """A printed document, without its sentences unless they count."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    usual = json.dumps(document, indent=1, ensure_ascii=False).strip() == text.strip()
    masked = _masked(document, prose)
    return json.dumps(masked if usual else ["spelled otherwise", masked])


def _is_added(entry: Any) -> bool:
    if isinstance(entry, str):
        return entry.startswith(ADDED_WARNING)
    return isinstance(entry, dict) and bool(re.fullmatch(ADDED, str(entry.get("name", ""))))


def _is_added_list(key: str, value: Any) -> bool:
    """The groups that lose most rows, which came after the versions that are compared with."""
    return key == "suppressed" and isinstance(value, list)


def _masked(entry: Any, prose: bool, within: bool = False) -> Any:
    if isinstance(entry, dict):
        kept = {key: value for key, value in entry.items() if not _is_added_list(key, value)}
        return {key: _masked(value, prose, within or key in PROSE) for key, value in kept.items()}
    if isinstance(entry, list):
        return [_masked(value, prose, within) for value in entry if not _is_added(value)]
    if isinstance(entry, float):
        return float(f"{entry:.12g}")
    return "…" if within and isinstance(entry, str) and not prose else entry
