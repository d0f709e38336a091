"""Hierarchies of a column: one file per family of kinds, and the builder that chooses among them."""
