"""pandas: the best release within a limit, as a dataframe."""

import pandas as pd

import paretonym as pn

people = pd.DataFrame({"age": [20 + i * 7 % 40 for i in range(200)], "ill": ["flu", "cold"] * 100})
schema = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])
front = pn.Study(people, schema).explore("k", "loss")
best = front.ask(at_most={"loss": 0.5}, best="k")
public = best.release()
pn.assert_k(public, ["age"], k=best.k)
print(best)
