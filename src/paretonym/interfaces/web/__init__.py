"""The explorer: a local web page to look at the trade-off, choose a release and download it."""

from __future__ import annotations

from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.server import check_host, has_display, listen, open_page, serve

__all__ = [
    "Explorer",
    "check_host",
    "has_display",
    "listen",
    "open_page",
    "serve",
]
