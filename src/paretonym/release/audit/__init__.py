"""The second opinion: a table measured as it lies there, by code that shares nothing with the search.

Another reader, another way to count (SQL in DuckDB), formulas written down again. Only `meaning.py` knows the
schema and its hierarchies, since those say what "generalized" means.
"""
