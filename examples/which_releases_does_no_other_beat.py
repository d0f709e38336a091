"""Which releases of a table does no other release beat?

Runs as it is: the built-in example is a census table of 30,162 people.
"""

from __future__ import annotations

import paretonym as pn

study = pn.example("adult")
front = study.explore("k", "loss", suppress=0.01)
print(front)

# Everybody should look the same as at least four others: what does that cost at least?
cheapest = min((s for s in front if s["k"] >= 5), key=lambda s: s["loss"])
print(
    f"k = {cheapest['k']:.0f} costs {cheapest['loss']:.1%} of the detail: "
    f"levels {cheapest.recoding.as_json()['levels']}"
)

print(front.to_pandas()[["id", "k", "loss", "suppressed"]].head())
