"""`paretonym serve`: the explorer, a local page on which to choose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paretonym.cli import interruption
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
        typer.Argument(metavar="RUN", help="Folders of runs; none to start from a file."),
    ] = None,
    data: Data = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Any free one unless given.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    expose: Annotated[
        bool,
        typer.Option("--expose", help="Let others connect: needed for a --host that is not this machine."),
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A name by which browsers reach this machine."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at frontiers in the browser, choose a release and take it home.

    The page is for you alone: it listens on this machine only, and its address holds a secret.
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
        # This is how a server is ended: nothing went wrong.
        interruption.forgive()
    finally:
        explorer.close()
    note("Stopped. Uploads and what was made of them are gone.", quiet or as_json)
    _leave()


def _leave() -> None:
    """End at once, even if an answer is still being worked on that nobody waits for any more."""
    import os
    import sys
    import threading

    sys.stdout.flush()
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        os._exit(0)


def _open(explorer: Explorer, runs: list[Path], data: str | None) -> None:
    from paretonym.errors import InputError

    if data is not None and len(runs) != 1:
        raise InputError.of("--data", "it says where the data of one run are", "give exactly one RUN with it")
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
        note("Warning: others can connect, and nothing is encrypted on the way.", as_json)
    note(
        "Open this address in your browser. It is a secret: do not pass it on. Ctrl-C ends.", quiet or as_json
    )
