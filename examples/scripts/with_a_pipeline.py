"""A pipeline, as a task of Airflow or a Python model of dbt: no release leaves it that misses its policy."""

import pandas as pd

import paretonym as pn

SCHEMA = pn.Schema([pn.Column("age", "quasi", {"intervals": [5, 10, 20]}), pn.Column("ill", "sensitive")])


def publish(people: pd.DataFrame, path: str = "public-pipeline.csv") -> str:  # @task, or model(dbt, session)
    best = pn.Study(people, SCHEMA).explore("k", "loss").ask(at_least={"k": 10}, best="loss")
    released = best.release(path, force=True, allow_second_release=True)
    pn.audit(released, schema=SCHEMA, require=["k>=10"]).check()  # raises, so that the task fails
    return str(released)


if __name__ == "__main__":
    print(publish(pd.DataFrame({"age": [20 + i * 7 % 40 for i in range(200)], "ill": ["flu", "cold"] * 100})))
