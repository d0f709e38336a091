"""pytest: a test of your own that fails when a table is less anonymous than you promise."""

import pandas as pd

import paretonym as pn


def test_the_public_table_is_5_anonymous() -> None:
    public = pd.DataFrame({"age": ["20-29"] * 6 + ["30-39"] * 5, "sex": ["f"] * 11})
    pn.assert_k(public, ["age", "sex"], k=5)
