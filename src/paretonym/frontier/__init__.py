"""Dominance, indicators, and the frontier: the releases that no other beats."""
