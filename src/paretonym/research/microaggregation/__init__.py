"""Microaggregation: classes of a partition, published with the means of their numbers."""
