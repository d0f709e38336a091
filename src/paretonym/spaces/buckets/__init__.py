"""Buckets: quasi-identifiers as they are, sensitive values mixed up among the rows of a bucket."""
