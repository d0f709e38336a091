"""`paretonym serve`: the explorer, a local web page for choosing a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from paretonym.cli import interruption
from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import Data, Json, Quiet
from paretonym.cli.console import note, output, print_json
from paretonym.cli.option_flags import in_shell
from paretonym.extras import require

if TYPE_CHECKING:
    from paretonym.web import Explorer

FORMAT = "paretonym.serve/1"
EXAMPLES = """Examples:

\b
  paretonym serve run
  paretonym serve run-of-may run-of-june
  paretonym serve
  paretonym serve run --data /archive/patients.csv --port 8000
"""


def serve(
    runs: Annotated[
        list[Path] | None,
        Argument(metavar="RUN", help="Folders that explore wrote; give none to start from a file."),
    ] = None,
    data: Data = None,
    port: Annotated[int, Option(min=0, max=65535, help="Listen on this port (0: any free one).")] = 0,
    host: Annotated[str, Option(metavar="ADDRESS", help="Listen on this address.")] = "127.0.0.1",
    expose: Annotated[
        bool,
        Option("--expose", help="Let others connect; needed with a --host other than this machine."),
    ] = False,
    name: Annotated[
        list[str] | None,
        Option("--name", metavar="NAME", help="Accept this host name from browsers; may be repeated."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explore frontiers in the browser, choose a release and download it.

    The page is for you alone: it listens on this machine only, and its address contains a secret.
    """
    require("web", "serve")
    note("Starting …", quiet or as_json)
    from paretonym.web import Explorer, check_host, listen
    from paretonym.web import serve as answer

    check_host(host, expose)
    explorer = Explorer(in_shell)
    try:
        _open(explorer, runs or [], data)
        place = listen(host, port, name or [])
        answer(explorer, place, lambda address: _say(explorer, address, expose, as_json, quiet))
    except KeyboardInterrupt:
        # Ctrl-C is the normal way to stop a server.
        interruption.forgive()
    finally:
        explorer.close()
    note("Stopped. Uploads and everything made from them were deleted.", quiet or as_json)
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
    from paretonym.errors import InputError

    if data is not None and len(runs) != 1:
        raise InputError.of("--data", "it gives the data of one run", "give exactly one RUN with it")
    for run in runs:
        explorer.runs.open(run, data)


def _say(explorer: Explorer, address: str, expose: bool, as_json: bool, quiet: bool) -> None:
    import sys

    if as_json:
        print_json({"format": FORMAT, "url": address, "runs": [run.label for run in explorer.runs]})
    else:
        output().out(address)
    sys.stdout.flush()
    if expose:
        note("Warning: others can connect, and the connection is not encrypted.", as_json)
    note(
        "Open this address in your browser. It is a secret: do not share it. Press Ctrl-C to stop.",
        quiet or as_json,
    )
