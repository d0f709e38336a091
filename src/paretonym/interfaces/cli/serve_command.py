"""`paretonym serve`: the explorer, a local web page for choosing a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.base.extras import require
from paretonym.interfaces.cli import interruption
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import PLAIN, Screen, View, note

if TYPE_CHECKING:
    from paretonym.interfaces.web import Explorer

FORMAT = "paretonym.serve/1"
EXAMPLES = """Examples:

\b
  paretonym serve run
  paretonym serve run-of-may run-of-june
  paretonym serve
  paretonym serve run --data /archive/patients.csv --port 8000 --no-browser
"""


def serve(
    runs: list[Path] | None = None,
    data: str | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
    expose: bool = False,
    no_browser: bool = False,
    names: list[str] | None = None,
    screen: Screen = PLAIN,
) -> None:
    """Explore frontiers in the browser, choose a release and download it.

    The page opens by itself where there is a screen. It is for you alone: it listens on this machine only,
    and its address contains a secret.
    """
    require("web", "serve")
    screen.note("Starting …")
    from paretonym.interfaces.web import Explorer, check_host, has_display, listen, open_page
    from paretonym.interfaces.web import serve as answer

    check_host(host, expose)
    explorer = Explorer(in_shell)
    try:
        _open(explorer, runs or [], data)
        place = listen(host, port, names or [])

        opens = not no_browser and not screen.as_json and has_display()

        def ready(address: str) -> None:
            _say(explorer, address, expose, opens, screen)
            if opens:
                open_page(address, explorer.folder)

        answer(explorer, place, ready)
    except KeyboardInterrupt:
        # Ctrl-C is the normal way to stop a server.
        interruption.forgive()
    finally:
        explorer.close()
    screen.note("Stopped. Uploads and everything made from them were deleted.")
    _leave()


def _leave() -> None:
    """Exit at once, even if a thread is still computing an answer."""
    import os
    import sys
    import threading

    sys.stdout.flush()
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        interruption.end_if_asked()
        os._exit(0)


def _open(explorer: Explorer, runs: list[Path], data: str | None) -> None:
    from paretonym.base.errors import InputError

    if data is not None and len(runs) != 1:
        raise InputError.of("--data", "it gives the data of one run", "give exactly one RUN with it")
    for run in runs:
        explorer.runs.open(run, data)


def _say(explorer: Explorer, address: str, expose: bool, opens: bool, screen: Screen) -> None:
    document = {"format": FORMAT, "url": address, "runs": [run.label for run in explorer.runs]}
    todo = "The page opens in your browser; its" if opens else "Open this address in your browser. The"
    hint = f"{todo} address is a secret: do not share it. Press Ctrl-C to stop."
    screen.show(View(document, [address], hint=hint))
    if expose and not screen.as_json:
        note("Warning: others can connect, and the connection is not encrypted.")
