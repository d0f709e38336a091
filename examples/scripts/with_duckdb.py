"""DuckDB: a query is counted inside DuckDB; the released file holds what its manifest claims."""

import duckdb

import paretonym as pn

connection = duckdb.connect()
people = connection.sql("select 20 + i * 7 % 40 as age, i % 2 = 0 as ill from range(200) t(i)")
schema = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])
best = pn.Study(people, schema).explore("k", "loss").ask(at_least={"k": 10}, best="loss")
path = best.release("public-duckdb.parquet")
print(pn.audit(path).check())
