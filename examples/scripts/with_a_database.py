"""A database: one GROUP BY runs there; postgresql://me@host/people works alike."""

import sqlite3

import paretonym as pn

with sqlite3.connect("people.db") as connection:
    connection.execute("create table people (age integer, ill text)")
    rows = [(20 + i * 7 % 40, ("flu", "cold")[i % 2]) for i in range(200)]
    connection.executemany("insert into people values (?, ?)", rows)
schema = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])
front = pn.Study("sqlite:///people.db", schema, table="people").explore("k", "loss")
print(front.ask(at_least={"k": 10}, best="loss").release("public-database.csv"))
