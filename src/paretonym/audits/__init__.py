"""The second opinion: a table measured as it lies there, by a reader and formulas of its own.

Another reader of the file, another way to count (SQL in DuckDB), formulas written down again: no code of
counts, recoding, measures, frontier and search. `schema_adapter.py` alone opens the schema and the original,
by the readers that the search uses too (`schema` and `source`): they say which values a label stands for.
"""
