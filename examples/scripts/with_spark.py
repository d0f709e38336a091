"""Spark: a DataFrame is counted by its workers, and the release is written by them."""

from pyspark.sql import SparkSession

import paretonym as pn

spark = SparkSession.builder.master("local[1]").getOrCreate()
people = spark.createDataFrame(
    [(20 + i * 7 % 40, ("flu", "cold")[i % 2]) for i in range(200)], ["age", "ill"]
)
schema = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])
best = pn.Study(people, schema).explore("k", "loss", space="lattice").ask(at_least={"k": 10}, best="loss")
print(best.release().groupBy("age").count().count())
