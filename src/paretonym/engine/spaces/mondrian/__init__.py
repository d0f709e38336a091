"""Mondrian: the rows are split recursively, as long as every part meets the requirements."""
