"""Searches: ways through a space of recodings to its frontier."""
