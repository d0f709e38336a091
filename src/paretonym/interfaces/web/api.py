"""The requests that the page makes, each a line or two; described by OpenAPI at /api/openapi.json."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response

from paretonym.base.errors import InputError
from paretonym.base.language import _
from paretonym.engine.frontier import plain_word
from paretonym.engine.measures import MEASURES, OBJECTIVES
from paretonym.interfaces.web.downloads import TYPES, take_release, take_report, take_schema
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.open_runs import OpenRun
from paretonym.interfaces.web.page_language import page_words
from paretonym.interfaces.web.release_detail import example_rows
from paretonym.interfaces.web.request_models import (
    Ask,
    AskPurpose,
    ColumnOf,
    Described,
    Explore,
    TakeRelease,
    TakeReport,
    Written,
)
from paretonym.interfaces.web.risk_and_utility import table_risk_facts, utility_facts
from paretonym.interfaces.web.web_answers import answer_facts
from paretonym.tables.schema import Analysis
from paretonym.version import __version__

Key = Annotated[str, Path(max_length=20, pattern=r"^[0-9]+$")]
Id = Annotated[str, Path(max_length=64, pattern=r"^[0-9a-f]+$")]
# A request whose body is a file, unchanged.
BYTES = {"requestBody": {"content": {"application/octet-stream": {}}, "required": True}}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": words}
    for status, words in (
        (401, "without a cookie of this server"),
        (403, "from another site"),
        (404, "not found"),
        (409, "another job or another release prevents this"),
        (413, "too large or too slow"),
        (421, "sent to a name that is not this server's"),
    )
}


def routes(explorer: Explorer) -> APIRouter:
    """All requests about the state of this explorer."""
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    _looking(router, explorer)
    _choosing(router, explorer)
    _taking(router, explorer)
    _loading(router, explorer)
    _starting(router, explorer)
    _auditing(router, explorer)
    return router


def _looking(router: APIRouter, explorer: Explorer) -> None:
    @router.get("/state")
    def state() -> dict[str, Any]:
        """The open runs, the job, and the upload."""
        return {
            "version": __version__,
            "runs": [run.summary() for run in explorer.runs],
            "job": explorer.jobs.state.as_json(),
            "draft": explorer.draft,
            "most_bytes": explorer.bounds.bytes,
        }

    @router.get("/words")
    def words() -> dict[str, Any]:
        """The texts of the page in the language of the request."""
        return page_words()

    @router.get("/measures")
    def measures() -> list[dict[str, Any]]:
        """Every measure that a run can be about."""
        analyses = {name: kind for kind, names in Analysis.kinds().items() for name in names}
        return [
            {
                "name": m.name,
                "analysis": analyses.get(m.name),
                "plain": plain_word(m.name),
                "direction": m.direction,
                "question": _(m.question),
                "over": m.counted.over,
                "offered": m.offered,
                "asked": m.name in OBJECTIVES,
            }
            for m in MEASURES.values()
        ]

    @router.get("/runs/{run}")
    def run_facts(run: Key) -> Response:
        """Everything about a run that the page draws."""
        # Written directly: the facts are plain, and there may be many thousands of them.
        return JSONResponse(found(explorer, run).facts)

    @router.get("/runs/{run}/risk")
    def table_risk(run: Key) -> dict[str, Any]:
        """Where the risk of the table comes from, before any release."""
        opened = found(explorer, run)
        with explorer.lock:
            return table_risk_facts(opened.data)


def _choosing(router: APIRouter, explorer: Explorer) -> None:
    @router.post("/runs/{run}/ask")
    def ask(run: Key, question: Ask) -> dict[str, Any]:
        """The answer of `paretonym ask`, and what relaxing a limit would give."""
        limits = [bound.limit() for bound in question.limits]
        return answer_facts(found(explorer, run).frontier, limits, question.best)

    @router.post("/runs/{run}/purpose", status_code=202)
    def purpose(run: Key, question: AskPurpose) -> dict[str, Any]:
        """Begin to find out whether a purpose can be achieved within limits."""
        limits = [bound.model_dump() for bound in question.limits]
        return explorer.ask_purpose(found(explorer, run), question.purpose, limits).as_json()

    @router.get("/runs/{run}/points/{name}")
    def point(run: Key, name: Id) -> dict[str, Any]:
        """One release: in words, its columns, its risk, the lines that make it."""
        return explorer.point(found(explorer, run).key, name)

    @router.get("/runs/{run}/points/{name}/utility")
    def utility(run: Key, name: Id) -> dict[str, Any]:
        """Utility of a release for analysts."""
        opened = found(explorer, run)
        with explorer.lock:
            return utility_facts(opened, name)

    @router.get("/runs/{run}/points/{name}/rows")
    def rows(run: Key, name: Id, start: Annotated[int, Query(ge=0, le=2**53)] = 0) -> dict[str, Any]:
        """Twenty rows before and after."""
        opened = found(explorer, run)
        with explorer.lock:
            return example_rows(opened.data, opened.frontier.pick(name).recoding, start)


def _taking(router: APIRouter, explorer: Explorer) -> None:
    @router.post("/runs/{run}/points/{name}/release")
    def release(run: Key, name: Id, wanted: TakeRelease) -> dict[str, Any]:
        """Make the release and its manifest, and audit them."""
        opened = found(explorer, run)
        with explorer.lock:
            solution = opened.frontier.pick(name)
            return take_release(explorer.shelf, opened, solution, wanted.kind, wanted.allow_second_release)

    @router.post("/runs/{run}/points/{name}/report")
    def report(run: Key, name: Id, wanted: TakeReport) -> dict[str, Any]:
        """Make the report about one release."""
        opened = found(explorer, run)
        with explorer.lock:
            return take_report(explorer.shelf, opened, opened.frontier.pick(name), wanted.reader)

    @router.post("/runs/{run}/schema")
    def schema(run: Key) -> dict[str, Any]:
        """The schema of a run as files."""
        return take_schema(explorer.shelf, found(explorer, run).record.schema)

    @router.post("/schema")
    def draft_schema(schema: Described) -> dict[str, Any]:
        """The schema that is edited, as a file."""
        return take_schema(explorer.shelf, explorer.schema(schema.description))

    @router.get("/files/{key}")
    def file(key: Annotated[str, Path(max_length=64, pattern=r"^[\w-]+$")]) -> FileResponse:
        """A file that was made here, as a download."""
        path = explorer.shelf[key]
        return FileResponse(path, media_type=TYPES[path.suffix], filename=path.name)


def _loading(router: APIRouter, explorer: Explorer) -> None:
    @router.put(
        "/schema",
        openapi_extra=BYTES,
    )
    async def load_schema(
        request: Request, name: Annotated[str, Query(max_length=300)] = "schema.toml"
    ) -> dict[str, Any]:
        """Load a schema to edit."""
        content = await request.body()
        return await run_in_threadpool(explorer.load_schema, content, name)

    @router.put(
        "/hierarchy",
        openapi_extra=BYTES,
    )
    async def hierarchy(
        request: Request, name: Annotated[str, Query(max_length=300)] = "hierarchy.csv"
    ) -> dict[str, Any]:
        """Take a hierarchy file that a schema names, before the schema itself."""
        return explorer.take_hierarchy(await request.body(), name)


def _starting(router: APIRouter, explorer: Explorer) -> None:
    @router.put(
        "/upload",
        status_code=202,
        openapi_extra=BYTES,
    )
    async def upload(
        request: Request, name: Annotated[str, Query(max_length=300)] = "table.csv"
    ) -> dict[str, Any]:
        """Upload a file with a table, unchanged; its schema is then drafted."""
        return (await explorer.take_in(request.stream(), name)).as_json()

    @router.post("/reading", status_code=202)
    def reading(written: Written) -> dict[str, Any]:
        """Read the file that was sent last again, with what is now said about how it is written."""
        return explorer.read_again(written.model_dump()).as_json()

    @router.post("/example", status_code=202)
    def example() -> dict[str, Any]:
        """Take the built-in example instead of a file."""
        return explorer.take_example().as_json()

    @router.post("/review")
    def review(schema: Described) -> dict[str, Any]:
        """Review of the upload by a schema: every level of every column, and all problems."""
        return explorer.review(schema.description)

    @router.post("/values")
    def values(wanted: ColumnOf) -> dict[str, Any]:
        """The values of a column with their rows, to edit its hierarchy."""
        return explorer.values(wanted.description, wanted.column)

    @router.post("/explore", status_code=202)
    def explore(wanted: Explore) -> dict[str, Any]:
        """Find the frontier of the upload, in the worker process."""
        return explorer.explore(wanted.description, wanted.objectives, wanted.question()).as_json()

    @router.get("/job")
    def job() -> dict[str, Any]:
        """The progress of the job."""
        return explorer.jobs.state.as_json()

    @router.post("/job/cancel")
    def cancel() -> dict[str, Any]:
        """Stop the job."""
        return explorer.jobs.cancel().as_json()


class Missing(InputError):
    """There is no such run or release."""


def found(explorer: Explorer, key: str) -> OpenRun:
    try:
        return explorer.runs[key]
    except InputError as error:
        raise Missing(error.problems) from None


def _auditing(router: APIRouter, explorer: Explorer) -> None:
    @router.put("/audit", status_code=202, openapi_extra=BYTES)
    async def audit(
        request: Request,
        name: Annotated[str, Query(max_length=300)] = "release.csv",
        run: Annotated[Key | None, Query()] = None,
    ) -> dict[str, Any]:
        """Audit a released file; it is removed when that is done."""
        return (await explorer.take_audit(request.stream(), name, run)).as_json()

    @router.put("/runs/{run}/compare", status_code=202, openapi_extra=BYTES)
    async def compare(
        request: Request, run: Key, name: Annotated[str, Query(max_length=300)] = "table.csv"
    ) -> dict[str, Any]:
        """Measure a file beside releases of a run; it is removed when that is done."""
        return (await explorer.take_comparison(request.stream(), name, found(explorer, run))).as_json()

    @router.put("/audit/manifest", openapi_extra=BYTES)
    async def manifest(request: Request) -> dict[str, Any]:
        """Take the manifest of the file that is audited next."""
        explorer.manifest = await request.body()
        return {}
