"""Work of the worker process: draft a schema, or find a frontier. Files in, plain values out."""

from __future__ import annotations

import os
import signal
import threading
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.base.errors import InputError, NoSolution, Problem, Remark
from paretonym.base.files import REFUSALS, failed
from paretonym.base.language import N_, in_language
from paretonym.interfaces.web.problem_json import on_the_page
from paretonym.interfaces.web.uploads import check_unpacked

# Sends a message to the server: its kind and its content.
Tell: TypeAlias = Callable[[str, Any], None]

FEWER = "use fewer columns or coarser levels"
OFTEN = 0.1
LONELY = 1.0


def main(connection: Any, name: str, arguments: Mapping[str, Any]) -> None:
    """Do one job and report its progress. Ctrl-C is handled by the server, which then ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def tell(word: str, value: Any) -> None:
        connection.send((word, value))

    try:
        tell("done", JOBS[name](tell, **arguments))
    except InputError as error:
        tell("problems", error.problems)
    except NoSolution as error:
        tell("problems", (Problem("the answer is no", error.text, "ask for less"),))
    except OSError as error:
        tell(*_refused(error))
    except MemoryError:
        tell("problems", (Problem("memory", "it was not enough", FEWER),))
    except Exception as error:
        # Its text could hold data.
        tell("bug", type(error).__name__)


def _refused(error: OSError) -> tuple[str, Any]:
    """A full disk is reported as the user's problem; any other failure with files is a bug, whose text could
    contain data."""
    if error.errno not in REFUSALS:
        return "bug", type(error).__name__
    return "problems", failed([Path("the job")], error).problems


def _end_with(parent: int) -> None:
    """No worker outlives its server, not even one that was killed."""
    while os.getppid() == parent:
        time.sleep(LONELY)
    os._exit(1)


def draft(
    tell: Tell,
    path: str,
    asked: Mapping[str, Any],
    example: str | None = None,
) -> dict[str, Any]:
    """The draft that `init` makes of a file: the schema as plain values, with the reason for each guess, and
    its first cells as they are read. The built-in example has a schema of its own."""
    from paretonym.interfaces.web.upload_form import UploadForm
    from paretonym.tables.schema.draft import draft_schema
    from paretonym.tables.schema.hierarchies import ready_matches, ready_words
    from paretonym.tables.source.engines import read
    from paretonym.tables.source.example_data import example_path

    tell("remark", N_("Reading …"))
    _bound_memory()
    reading = UploadForm.of(Path(path), asked)
    tell("reading", reading.as_json())
    form = reading.form
    table = read(Path(path), **form.as_json())
    check_unpacked(table.rows, len(table.columns), 0)
    drafted = draft_schema(table, reading.decimal, form)
    text = drafted.text if example is None else example_path(f"{example}.toml").read_text(encoding="utf-8")
    schema = tomllib.loads(text)
    return {
        "rows": table.rows,
        "form": form.as_json(),
        "reading": reading.with_cells(table, schema, drafted.types),
        "schema": schema,
        "ready": dict(ready_words()),
        "decisions": [
            {"text": str(decision), "columns": list(decision.columns), "key": decision.key}
            for decision in (drafted.undecided if example is None else ())
        ],
        "noticed": [f"{sentence}." for sentence in drafted.noticed] if example is None else [],
        "columns": [
            {
                "name": one.name,
                "role": one.role,
                "reason": one.reason if example is None else "",
                "decide": (not example and one.decide) or None,
                "distinct": len(c.texts),
                "ready": list(ready_matches(c.texts)),
            }
            for one, c in zip(drafted.suggestions, table.columns, strict=True)
        ],
    }


def _bound_memory() -> None:
    """Let this process take no more memory than the machine has: a workbook of a few bytes may claim a
    sheet of billions of cells. Where that cannot be limited, nothing is."""
    try:
        import resource

        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ImportError, ValueError, OSError):
        return


def _progress(tell: Tell) -> Callable[[int, int], None]:
    """Function that reports progress, but not too often."""
    last = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > OFTEN or done == total:
            last = time.monotonic()
            tell("progress", (done, total))

    return progress


def explore(
    tell: Tell,
    path: str,
    form: Mapping[str, Any],
    schema: Mapping[str, Any],
    hierarchies: Mapping[str, str],
    folder: str,
    objectives: list[str],
    question: Mapping[str, Any],
) -> dict[str, Any]:
    """Find the frontier and save the run into a folder."""
    from paretonym.interfaces.web.schema_drafts import schema_of
    from paretonym.study import Study

    tell("remark", N_("Reading …"))
    # The schema keeps how the file is written, so that commands need no option for it.
    study = Study(path, schema_of({**schema, **form}, hierarchies))

    def remark(text: Remark) -> None:
        tell("remark", text.said(on_the_page))

    frontier = study.explore(*objectives, **question, progress=_progress(tell), remark=remark)
    frontier.save(folder)
    return {"folder": folder, "text": str(frontier)}


def audit(tell: Tell, path: str, name: str, manifest: str | None, run: str | None) -> dict[str, Any]:
    """Audit a released file by its manifest, or measure it with the roles of a run."""
    from paretonym.audit import audit as audit_file
    from paretonym.interfaces.web.upload_form import UploadForm
    from paretonym.release import withdrawal
    from paretonym.study import load

    tell("remark", N_("Reading …"))
    _bound_memory()
    UploadForm.of(Path(path), {})
    record = None if run is None else load(run).record
    outcome = audit_file(path, manifest=manifest, schema=None if record is None else record.schema)
    withdrawn = withdrawal(outcome.sha256)
    warnings = outcome.warnings if withdrawn is None else (*outcome.warnings, withdrawn)
    return replace(outcome, path=name, warnings=warnings).to_dict(on_the_page)


def measure(
    tell: Tell, folder: str, source: Any, name: str, limits: Sequence[Mapping[str, Any]], language: str
) -> dict[str, Any]:
    """Say whether a purpose can be achieved with the releases that a run is about."""
    from paretonym.engine.measures import Limit
    from paretonym.study import load

    tell("remark", N_("Reading …"))
    wanted = [Limit(each["measure"], each["sense"], each["bound"]) for each in limits]
    with in_language(language):
        return load(folder, source).purpose(name, wanted, progress=_progress(tell)).as_json()


def compare(tell: Tell, path: str, name: str, folder: str, source: Any, label: str) -> dict[str, Any]:
    """Measure a file beside releases of a run, as the command does."""
    from paretonym.base.extras import installed
    from paretonym.interfaces.web.upload_form import UploadForm
    from paretonym.report import AXES
    from paretonym.study import compare as compared
    from paretonym.study import load

    tell("remark", N_("Measuring …"))
    _bound_memory()
    UploadForm.of(Path(path), {})
    run = load(folder, source)
    risk = AXES[0] if run.table.sensitive else "linkability"
    tables: Any = compared({label: run, name: Path(path)}, control=None, measures=(risk, AXES[1]))
    return {
        "words": list(tables.words),
        "remarks": list(tables.remarks),
        "head": list(tables.head),
        "rows": list(map(list, tables.rows())),
        "picture": tables.plot().svg() if installed("plot") else None,
    }


JOBS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "draft": draft,
    "explore": explore,
    "audit": audit,
    "measure": measure,
    "compare": compare,
}
