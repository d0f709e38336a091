"""What the papers printed, measured again."""

from __future__ import annotations

from paretonym.papers.reproductions.panels import draw
from paretonym.papers.reproductions.reproduction import Fact, Reproduction, Result
from paretonym.papers.reproductions.reproduction_registry import REPRODUCTIONS, chosen

__all__ = ["REPRODUCTIONS", "Fact", "Reproduction", "Result", "chosen", "draw"]
