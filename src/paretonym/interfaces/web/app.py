"""The application: static files, the requests of the page, errors as JSON, and the guard around all of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from paretonym.base.errors import InputError, NoSolution, Problem, phrased
from paretonym.base.files import REFUSALS, failed
from paretonym.interfaces.web.api import Missing, routes
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.page_language import PageLanguage, page_in_language
from paretonym.interfaces.web.problem_json import on_the_page, problems_json
from paretonym.interfaces.web.request_guard import Door, Guard
from paretonym.release import SecondRelease
from paretonym.version import __version__

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript"}


def application(explorer: Explorer, door: Door) -> Guard:
    """Everything behind the guard."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        # Done here and not later: a server that is being stopped may not get that far.
        explorer.close()

    app = FastAPI(
        title="paretonym",
        version=__version__,
        summary="The explorer, for one publisher on this machine",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    app.include_router(routes(explorer))
    _errors(app)
    _pages(app)
    return Guard(PageLanguage(app), door)


def static_files() -> dict[str, tuple[bytes, str]]:
    """The static files by name, read once: no part of a request becomes a path."""
    folder = files("paretonym.interfaces.web").joinpath("static")
    return {
        entry.name: (entry.read_bytes(), TYPES["." + entry.name.rpartition(".")[2]])
        for entry in folder.iterdir()
        if "." + entry.name.rpartition(".")[2] in TYPES
    }


def _pages(app: FastAPI) -> None:
    files = static_files()
    # Fetched at once, not one after the other as each is found to import the next.
    names = sorted(name for name in files if name.endswith(".js") and name != "main.js")
    links = "\n  ".join(f'<link rel="modulepreload" href="/static/{name}">' for name in names)
    start = files["index.html"][0].decode().replace("<!-- scripts -->", links)

    @app.get("/", include_in_schema=False)
    def page() -> Response:
        return Response(page_in_language(start), media_type=TYPES[".html"])

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        if name not in files:
            return problem(404, "the address", "nothing has that name", "open the first page")
        return Response(files[name][0], media_type=files[name][1])


def _errors(app: FastAPI) -> None:
    """Every error is one JSON document of the same form; none shows a value that was sent."""

    @app.exception_handler(InputError)
    async def mistake(_: Request, error: InputError) -> JSONResponse:
        status = 404 if isinstance(error, Missing) else 409
        second = {"second": True} if isinstance(error, SecondRelease) else {}
        return JSONResponse({"problems": problems_json(error.problems), **second}, status)

    @app.exception_handler(OSError)
    async def refused(request: Request, error: OSError) -> JSONResponse:
        """A full disk is reported as the user's problem."""
        if error.errno not in REFUSALS:
            return await bug(request, error)
        return JSONResponse({"problems": problems_json(failed([Path("the server")], error).problems)}, 507)

    @app.exception_handler(NoSolution)
    async def no(_: Request, error: NoSolution) -> JSONResponse:
        return problem(409, "the answer is no", phrased(error.text, on_the_page), "ask for less")

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        problems = [
            Problem(".".join(map(str, e["loc"])), e["msg"], "see /api/openapi.json") for e in error.errors()
        ]
        return JSONResponse({"problems": problems_json(problems)}, 422)

    @app.exception_handler(Exception)
    async def bug(_: Request, error: Exception) -> JSONResponse:
        wrong = f"this is a mistake in paretonym, not yours ({type(error).__name__})"
        return problem(500, "the server", wrong, "please report it, without any data")

    @app.exception_handler(HTTPException)
    async def unknown(_: Request, error: HTTPException) -> JSONResponse:
        return problem(
            error.status_code, "the address", str(error.detail), "open the first page", error.headers
        )


def problem(status: int, place: str, wrong: str, remedy: str, headers: Any = None) -> JSONResponse:
    entries = problems_json([Problem(place, wrong, remedy)])
    return JSONResponse({"problems": entries}, status, headers=headers)
