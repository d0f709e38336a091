"""Counting many recodings at once, each a choice of cuts for every column: compiled, from the cube."""

from __future__ import annotations

from pathlib import Path

# What is compiled here is kept under this folder's name.
FOLDER = Path(__file__).parent
