"""What pycanon says of tables: runs in an environment of its own, knows nothing of paretonym.

`python scripts/peers/pycanon_answers.py FOLDER OUT.json`: every table in the folder, all columns but the last
being quasi-identifiers. Its t of texts is half the sum of |p − q| (equal distances), q being the distribution
in the table itself: the largest total variation, our `t-release`.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pandas
from pycanon import anonymity


def answers(path: Path) -> dict[str, float]:
    table = pandas.read_csv(path, dtype=str, keep_default_na=False)
    *quasi, sensitive = table.columns
    alpha, k = anonymity.alpha_k_anonymity(table, quasi, [sensitive])
    return {
        "rows": len(table),
        "k": int(k),
        "alpha": float(alpha),
        "l-distinct": int(anonymity.l_diversity(table, quasi, [sensitive])),
        "t-release": float(anonymity.t_closeness(table, quasi, [sensitive])),
    }


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    recodings = json.loads((folder / "recodings.json").read_text(encoding="utf-8"))
    document = {
        "made by": "scripts/peers (make peers)",
        "pycanon": version("pycanon"),
        "tables": [
            {"id": name, "recoding": recoding, "answers": answers(folder / f"{name}.csv")}
            for name, recoding in recodings.items()
        ],
    }
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
