"""A first schema for a table that nobody described yet: guesses with their reasons, for a person to judge."""
