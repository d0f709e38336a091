"""Methods of ours at a few k beside rivals' tables: `python -m scripts.peers.which_method FOLDER OUT.md`.

FOLDER comes from `referee_tables` and `rivals.sh`: for each table a folder with `original.csv`,
`control.csv`, `schema.toml` and the tables that rivals made. Writes, as Markdown, risks with their intervals
and utility.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import paretonym as pn
from paretonym.base.errors import NoSolution
from paretonym.report.table_comparison import MeasuredTable
from paretonym.study import TableComparison

SIZES = (2, 5, 15, 50)
# Each with further limits on the sensitive columns, beside k.
METHODS: Mapping[str, tuple[str, dict[str, float], dict[str, float]]] = {
    "one level per column": ("lattice", {}, {}),
    "local recoding": ("local", {}, {}),
    "local recoding, ℓ ≥ 2": ("local", {"l": 2.0}, {}),
    "local recoding, t ≤ 0.3": ("local", {}, {"t": 0.3}),
}
RISKS = ("inference", "linkability", "singling-out")


def releases(study: pn.Study) -> Iterator[tuple[str, Any]]:
    """For each method and k the release that loses least."""
    for method, (space, least, most) in METHODS.items():
        try:
            run = study.explore("k", "loss", space=space, at_least=least, at_most=most)  # type: ignore[arg-type]
        except NoSolution:
            print(f"{method}: nothing meets the limits", flush=True)
            continue
        yielded = set()
        for k in SIZES:
            try:
                solution = run.ask(best="loss", at_least={"k": k}, allow_unproven=True)
            except NoSolution:
                continue
            if solution.id in yielded:
                continue
            yielded.add(solution.id)
            yield f"{method}, k ≥ {k}", solution.release()


def compared(folder: Path) -> TableComparison:
    """Our releases and the rivals' tables, measured alike."""
    original, schema = folder / "original.csv", folder / "schema.toml"
    tables = dict(releases(pn.Study(original, schema)))
    given = ("original", "control")
    tables |= {path.stem: path for path in sorted(folder.glob("*.csv")) if path.stem not in given}
    stated = {name: f"ε = {name.partition('-')[2]}" for name in tables if name.startswith(("mst-", "aim-"))}
    tables["the original itself"] = original
    comparison = pn.compare(
        tables, original=original, control=folder / "control.csv", schema=schema, stated=stated
    )
    if not isinstance(comparison, TableComparison):
        raise TypeError("tables were given")
    return comparison


def row(table: MeasuredTable) -> str:
    """One line of the Markdown table."""
    risks = []
    for name in RISKS:
        risk = table.risk(name)
        risks.append("–" if risk is None else f"{risk.interval}{'' if risk.beats_guessing else ' *'}")
    values = table.utility.values
    errors = [value for name, value in values.items() if name.startswith("prediction-error")]
    costs = [values[name] for name in ("marginal-error", "association-error", "pmse")]
    cells = (
        table.name,
        *risks,
        *(f"{cost:.3g}" for cost in costs),
        f"{100 * sum(errors) / len(errors):.1f} %",
    )
    return f"| {' | '.join(cells)} | {table.guaranteed} |"


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    lines = []
    for part in sorted(path.parent for path in folder.glob("*/original.csv")):
        comparison = compared(part)
        sample = comparison.sample.values
        errors = [value for name, value in sample.items() if name.startswith("prediction-error")]
        costs = " | ".join(f"{sample[name]:.3g}" for name in ("marginal-error", "association-error", "pmse"))
        lines += [
            f"\n## {part.name}\n",
            "| table | inference | linkability | singling out | marginal error | association error | pMSE "
            "| wrong predictions | formal guarantee |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
            *map(row, comparison.tables),
            f"| another sample (the control) | | | | {costs} | {100 * sum(errors) / len(errors):.1f} % | |",
        ]
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
