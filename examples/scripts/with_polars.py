"""polars: a lazy frame is counted where it is."""

import polars as pl

import paretonym as pn

people = pl.LazyFrame({"age": [20 + i * 7 % 40 for i in range(200)], "ill": ["flu", "cold"] * 100})
schema = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])
best = pn.Study(people, schema).explore("k", "loss").ask(at_least={"k": 10}, best="loss")
public = best.release()
print(type(public).__module__, pn.k_anonymity(public, ["age"]) >= 10)
