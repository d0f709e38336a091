"""Trying to break a release: everybody of the original is looked for in it, or in two of them together."""
