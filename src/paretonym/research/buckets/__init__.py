"""Buckets: quasi-identifiers unchanged, sensitive values permuted among the rows of a bucket."""
