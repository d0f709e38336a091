"""Counting many recodings at once, each a choice of cuts for every column: compiled, from the cube."""
