"""Releases made of microdata: a dataframe, files with a manifest, and new rows beside an old release."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.files import digest_of
from paretonym.base.state import KEY_FILE, read_key
from paretonym.engine.frontier import Microdata, RunFiles
from paretonym.engine.recoding import Recoding
from paretonym.engine.spaces import space_of
from paretonym.release.appended_release import CombinedRelease, PriorRelease, apply_recoding
from paretonym.release.bucketized_rows import Bucketed, bucket_rows
from paretonym.release.csv_form import USUAL as USUAL_FORM
from paretonym.release.csv_form import CsvForm, of_output
from paretonym.release.draw_key import draw_mark, find_key
from paretonym.release.release_files import check_release, publish
from paretonym.release.release_log import Release, ReleaseLog
from paretonym.release.release_manifest import manifest_path
from paretonym.release.release_writer import arrow_table
from paretonym.release.released_rows import Released, release_rows
from paretonym.release.small_counts import Cost, staying_cost
from paretonym.tables.data_address import local_file
from paretonym.tables.schema import wanted_of
from paretonym.tables.source import Counts, TableForm, give_back
from paretonym.tables.source.engines import open_source


def log_of(data: Microdata, run: Path | None = None) -> ReleaseLog:
    """The log of what was released of these data, by any run, and of the run in a folder: their own run
    unless another is given."""
    return ReleaseLog.of(data.source, data.schema, run or data.run, data.digests)


def _log_of_draws(data: Microdata, run: Path | None = None) -> ReleaseLog:
    """The log of the rows that random draws are for; where they are collected, that of these."""
    _ = data.table
    return log_of(data, run)


def recoded_rows(data: Microdata, recoding: Recoding) -> Released:
    """The rows that a recoding releases, sorted, as new columns."""
    return release_rows(data.source, data.schema, data.bound, data.realized(recoding))


def bucketized(data: Microdata, recoding: Recoding, key: bytes) -> Bucketed:
    """The rows in their buckets; the same key gives the same buckets."""
    rows, taken = data.table, data.source.names
    return bucket_rows(rows, data.schema, data.bound, data.realized(recoding), recoding, key, taken)


def release_cost(data: Microdata, recoding: Recoding) -> Cost:
    """The cost of a release as far as it may be published, computed from the rows that stay."""
    return staying_cost(data.source, data.bound, data.realized(recoding))


def rows_shown(data: Microdata, recoding: Recoding) -> Released:
    """The rows of a release; for buckets, the table in which sensitive values are permuted inside each."""
    if space_of(recoding).publish is not None:
        return bucketized(data, recoding, find_key(_log_of_draws(data))).mixed
    return recoded_rows(data, recoding)


def released_texts(data: Microdata, recoding: Recoding) -> dict[str, tuple[str, ...]]:
    """The different values that each column of a release shows, as text, without missing ones."""
    return {column.name: tuple(column.texts.to_pylist()) for column in rows_shown(data, recoding).columns}


def released_table(data: Microdata, recoding: Recoding) -> Any:
    """The rows of a release in Arrow."""
    return arrow_table(rows_shown(data, recoding))


def release_dataframe(data: Microdata, recoding: Recoding) -> Any:
    """The rows as a recoding shows them, in the caller's own kind of dataframe. Nothing is recorded: a
    dataframe is not published yet."""
    released = rows_shown(data, recoding)
    if data.source.frame_of is not None and space_of(recoding).publish is None:
        return data.source.frame_of(released.distinct_table())
    return give_back(arrow_table(released), data.source.kind)


def publish_release(
    data: Microdata,
    recoding: Recoding,
    path: Path,
    force: bool = False,
    allow_second_release: bool = False,
    log: ReleaseLog | None = None,
    form: CsvForm = USUAL_FORM,
) -> dict[str, Any]:
    """Write a release and its manifest, which is returned, if the log does not forbid it. A second, different
    release of the same rows, by whichever run or study, is refused unless `allow_second_release` is
    given: two can be joined. `form` is that of a CSV file."""
    form.check_kind(path)
    check_release(path, force, data.inputs)
    drawn = space_of(recoding).publish is not None
    log = log or (_log_of_draws(data) if drawn else log_of(data))
    # The table is open, so its files are known.
    check_release(path, force, data.inputs)
    cost = release_cost(data, recoding)
    key = find_key(log) if drawn else None
    rows = recoded_rows(data, recoding) if key is None else bucketized(data, recoding, key)
    content = log.content_of(rows.mixed if isinstance(rows, Bucketed) else rows)
    mark = None if key is None else draw_mark(key, data.source.whole)
    with log.opened(Release(recoding, path.name, content, mark), allow_second_release) as note:
        return publish(rows, path, recoding, cost, force, note, inputs=data.inputs, form=form)


def open_rows(
    data: Microdata,
    new: Any,
    form: TableForm | None = None,
    memory: str | int | None = None,
    **options: Any,
) -> Counts:
    """New rows, in memory or counted where they are; a file is read with the options of the data, and within
    their memory, unless others are given. `options` are further ones of `open_source`."""
    if isinstance(new, Counts):
        return new
    limit = data.source.memory
    return open_source(
        new,
        wanted_of(data.schema),
        form=data.form if form is None else form.or_else(data.form),
        memory=limit if memory is None else memory,
        **options,
    )


def append_rows(data: Microdata, recoding: Recoding, new: Counts) -> tuple[Any, CombinedRelease]:
    """New rows as a recoding of these data shows them, in their own kind of dataframe, and the union with its
    release."""
    released, union = _appended(data, recoding, new)
    return give_back(arrow_table(released), new.kind), union


def append_to_file(
    data: Microdata,
    recoding: Recoding,
    new: Counts,
    path: Path,
    force: bool = False,
    allow_second_release: bool = False,
    form: CsvForm = USUAL_FORM,
) -> tuple[CombinedRelease, dict[str, Any]]:
    """Recode, write and record new rows; returns the union with the old release, and the manifest."""
    with of_output():
        form.check_kind(path)
    further = _files_of(new)
    check_release(path, force, (*data.inputs, *further))
    log = log_of(data)
    read = (*data.inputs, *further)
    check_release(path, force, read)
    _check_extended(data, path)
    released, union = _appended(data, recoding, new)
    of_new = ReleaseLog.of(new, data.schema)
    made = Release(recoding, path.name, of_new.content_of(released), new_rows=union.read)
    with log.opened_beside(of_new, made, allow_second_release) as note:
        made_of = (recoding, union.cost, force, note, union.entry, read)
        with of_output():
            return union, publish(released, path, *made_of, form=form)


def _check_extended(data: Microdata, path: Path) -> None:
    """Refuse to replace a release by the rows that are added to one, even where a file may be replaced."""
    if path.is_file() and _is_release(data, path):
        raise InputError.of(
            str(path),
            "this is a release of the old rows, to which the new ones are added",
            "give another name: both files are published side by side",
        )


def _is_release(data: Microdata, path: Path) -> bool:
    """True if a file is a release that is not made of added rows: its manifest says so, or else the run."""
    try:
        return "applied" not in json.loads(manifest_path(path).read_bytes())
    except (OSError, ValueError, TypeError, RecursionError):
        made = () if data.run is None else RunFiles(data.run).releases()
        return digest_of(path) in {entry.get("sha256") for entry in made if "new_rows" not in entry}


def _files_of(new: Counts) -> tuple[str, ...]:
    """The files that new rows are read from, which no output may replace."""
    files = new.files or [new.path]
    return tuple(str(file) for place in files if place and (file := local_file(place)))


def _appended(data: Microdata, recoding: Recoding, new: Counts) -> tuple[Released, CombinedRelease]:
    """The new rows themselves, sorted, as new columns."""
    prior = PriorRelease(data.source, data.schema, data.bound, data.realized(recoding))
    return apply_recoding(prior, new, recoding)


def appended_before(data: Microdata, path: Path) -> list[str]:
    """The files of new rows that were made of a run, except the one that is written now."""
    made = () if data.run is None else RunFiles(data.run).releases()
    names = (entry["file"] for entry in made if "new_rows" in entry)
    return [name for name in dict.fromkeys(names) if name != path.name]


def draw_key(data: Microdata, recodings: Iterable[Recoding], run: Path | None = None) -> bytes | None:
    """The key for the random draws of a run's recodings and of its control group, None if nothing is drawn.
    `run` is the folder of a
    run of the same data that may have the only copy; the data of a saved run have a key of their own."""
    if data.run is not None:
        return read_key(data.run / KEY_FILE)
    if any(space_of(recoding).publish is not None for recoding in recodings):
        return find_key(_log_of_draws(data, run))
    return None if data.source.control is None else find_key(log_of(data, run))
