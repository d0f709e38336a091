"""A page as PDF, made by WeasyPrint (the extra `pdf`). Nothing is fetched and no program is started; the
document says neither when nor where it was made."""

from __future__ import annotations

import logging

from paretonym.base.errors import MissingExtra, Place
from paretonym.base.extras import remedy

INSTEAD = "or write the page as HTML and print it from your browser"


def check_printer(place: Place) -> None:
    """Raise at once, before a page is made, if it could not be printed."""
    try:
        import weasyprint  # noqa: F401
    except ImportError:
        wrong = "a PDF needs WeasyPrint, which is not installed"
        raise MissingExtra.of(place, wrong, f"{remedy('pdf')}, {INSTEAD}") from None
    except OSError:
        wrong = "WeasyPrint does not find Pango, with which it sets text"
        libraries = "libpango-1.0-0 libpangoft2-1.0-0"
        raise MissingExtra.of(place, wrong, f"install it (Debian: {libraries}), {INSTEAD}") from None


def printed(page: str, place: Place) -> bytes:
    """A page of HTML as PDF."""
    check_printer(place)
    from weasyprint import HTML
    from weasyprint.urls import URLFetcher

    # It reports every property that only browsers know.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    content: bytes = HTML(string=page, url_fetcher=URLFetcher(allowed_protocols=("data",))).write_pdf()
    return content
