"""A page as PDF: printed by a Chromium that is installed, without network, with a profile of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from paretonym.errors import InputError, Place

# The programs that are looked for on the PATH, then where systems install them.
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
PLACES: Mapping[str, tuple[str, ...]] = {
    "darwin": (
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
        r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
    ),
}
# The page needs nothing from elsewhere, and the browser must not ask for anything: no name is resolved.
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--password-store=basic",
    "--use-mock-keychain",
    # What would be the creator of the document otherwise names the system.
    "--user-agent=paretonym",
)
SECONDS = 120.0
# When a page was printed; blanked, so that offsets in the file stay right.
DATES = re.compile(rb"/(?:CreationDate|ModDate) ?\([^)]*\)")


def browser(place: Place) -> Path:
    """The Chromium that prints; raises with what was looked for, and what else can be done."""
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    for known in PLACES.get(sys.platform, ()):
        if Path(known).is_file():
            return Path(known)
    raise InputError.of(
        place,
        f"a PDF is printed by Chromium, and none was found (looked for {', '.join(NAMES)})",
        "install it (Debian: apt install chromium), or write a page (.html) and print it from your browser",
    )


def printed(page: str, place: Place) -> bytes:
    """A page of HTML as PDF. Nothing is left behind: the page, which may be confidential, lies in a private
    folder until it is printed."""
    program = browser(place)
    with tempfile.TemporaryDirectory(prefix="paretonym-print-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        command = [str(program), *FLAGS, *_unsandboxed(), f"--user-data-dir={Path(folder) / 'profile'}"]
        _run([*command, f"--print-to-pdf={target}", source.as_uri()], Path(folder), program, place)
        content = target.read_bytes() if target.is_file() else b""
    if not content.startswith(b"%PDF-") or b"%%EOF" not in content[-64:]:
        raise _failed(place, program, "it wrote no complete PDF")
    return DATES.sub(lambda found: b" " * len(found[0]), content)


def _unsandboxed() -> tuple[str, ...]:
    """Chromium's sandbox does not work for root, only then is it left out."""
    return ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()


def _run(command: list[str], home: Path, program: Path, place: Place) -> None:
    """Run the browser with a home of its own; end all of its processes if it takes too long."""
    process = subprocess.Popen(  # noqa: S603 - the program is a known browser, the rest is ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)},
        start_new_session=True,
    )
    _running.add(process)
    try:
        code = process.wait(SECONDS)
    except BaseException as error:
        _end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise _failed(place, program, f"it did not finish within {SECONDS:g} seconds") from None
        raise
    finally:
        _running.discard(process)
    if code:
        raise _failed(place, program, f"it ended with code {code}")


_running: set[subprocess.Popen[bytes]] = set()


def stop_printing() -> None:
    """End every browser that prints, because nobody waits for its page any more."""
    for process in tuple(_running):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failed(place: Place, program: Path, wrong: str) -> InputError:
    return InputError.of(
        place,
        f"{program.name} could not print the page: {wrong}",
        "try again, or write a page (.html) and print it from your browser",
    )
