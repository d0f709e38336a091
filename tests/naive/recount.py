"""What a released file shows, counted again in the obvious way: csv and Counter, nothing of the package."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import exp, log
from pathlib import Path


def recount(path: Path, roles: Mapping[str, str]) -> dict[str, float]:
    """Every claim of a CSV file, by name."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    quasi = [name for name, role in roles.items() if role == "quasi"]
    classes: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in quasi)].append(row)
    sizes = [len(members) for members in classes.values()]
    found: dict[str, float] = {
        "k": min(sizes),
        "risk-highest": 1 / min(sizes),
        "risk-average": len(sizes) / len(rows),
        "uniques": sizes.count(1),
    }
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    each = {name: _values([[row[name] for row in c] for c in classes.values()]) for name in sensitive}
    for measure in next(iter(each.values()), {}):
        values = [of[measure] for of in each.values()]
        found[measure] = min(values) if measure.startswith("l") else max(values)
        if len(sensitive) > 1:
            found |= {f"{measure}@{name}": of[measure] for name, of in each.items()}
    return found


def _values(classes: list[list[str]]) -> dict[str, float]:
    whole = _shares([value for members in classes for value in members])
    shares = [_shares(members) for members in classes]
    return {
        "l": min(1 / max(p.values()) for p in shares),
        "l-distinct": min(len(p) for p in shares),
        "l-entropy": min(exp(-sum(x * log(x) for x in p.values())) for p in shares),
        "alpha": max(max(p.values()) for p in shares),
        "t-release": max(sum(abs(p.get(v, 0) - q) for v, q in whole.items()) / 2 for p in shares),
        "t-js-release": max(_divergence(p, whole) for p in shares),
        "delta-release": max(abs(log(p[v] / whole[v])) for p in shares for v in p),
        "beta-release": max((p[v] - whole[v]) / whole[v] for p in shares for v in p),
    }


def _shares(values: list[str]) -> dict[str, float]:
    return {value: count / len(values) for value, count in Counter(values).items()}


def _divergence(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    def half(a: Mapping[str, float]) -> float:
        return sum(x * log(2 * x / (p.get(v, 0) + q.get(v, 0))) for v, x in a.items()) / 2

    return half(p) + half(q)
