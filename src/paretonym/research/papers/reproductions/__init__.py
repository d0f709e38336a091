"""Results that the papers printed, measured again."""

from __future__ import annotations

from paretonym.research.papers.reproductions.panels import draw
from paretonym.research.papers.reproductions.reproduction import Fact, Reproduction, Result, summary
from paretonym.research.papers.reproductions.reproduction_registry import ALL, chosen

__all__ = ["ALL", "Fact", "Reproduction", "Result", "chosen", "draw", "summary"]
