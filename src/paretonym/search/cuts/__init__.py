"""Searching the space of cuts."""
