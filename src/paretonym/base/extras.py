"""Extras: parts that are installed on request, what each of them needs, and the message without it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from paretonym.base.errors import MissingExtra

# What the extra provides, and the libraries that it needs.
EXTRAS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "excel": ("calamine, which reads workbooks", ("python_calamine",)),
    "postgres": ("the PostgreSQL driver of ADBC", ("adbc_driver_postgresql",)),
    "pdf": ("WeasyPrint", ("weasyprint",)),
    "plot": ("matplotlib", ("matplotlib",)),
    "spark": ("Spark", ("pyspark", "grpc")),
    "statistics": ("pyreadstat, which reads files of SPSS, Stata and SAS", ("pyreadstat",)),
    "utility": ("scikit-learn", ("sklearn",)),
    "web": ("the web server", ("fastapi", "uvicorn")),
}


def installed(extra: str) -> bool:
    """True if the libraries of an extra are installed; none of them is loaded."""
    return all(find_spec(name) is not None for name in EXTRAS[extra][1])


def remedy(extra: str) -> str:
    """
    >>> remedy("web")
    "install it with: pip install 'paretonym[web]'"
    """
    return f"install it with: pip install 'paretonym[{extra}]'"


def require(extra: str, place: str) -> None:
    """Raise an error at once if an extra is needed but not installed."""
    if not installed(extra):
        raise MissingExtra.of(place, f"this needs {EXTRAS[extra][0]}, which is not installed", remedy(extra))
