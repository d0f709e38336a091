"""Rows in: files and dataframes become one `Table` of dictionary-encoded columns."""
