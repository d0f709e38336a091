"""The release log: what was released of a table, from whichever run, so that no second release is made by
accident.

The log is in the user's state folder and is found by the content of the table, so it does not depend on the
run, the schema, the kind of file, or the order of the rows. The run's own list, in `run.json`, goes with the
run to other machines, and counts too. A release is recorded before its files have names: at worst the log
lists one that was never written, but none is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from paretonym.base.errors import Field, InputError, did_you_mean, printable
from paretonym.base.state import State, TableState, state_folder
from paretonym.engine.frontier import RunFiles
from paretonym.engine.recoding import Recoding, digest, short_ids
from paretonym.release.released_rows import Released
from paretonym.release.table_sketch import Recognition, Sketch, recognize, table_sketches
from paretonym.tables.schema import Schema
from paretonym.tables.source import Counts, content_digest, distinct_digest, file_bytes_digest
from paretonym.tables.source.engines import joined
from paretonym.version import __version__

Entry: TypeAlias = Mapping[str, Any]
# Records a release, given its manifest.
Note: TypeAlias = Callable[[dict[str, Any]], None]

FORMAT = "paretonym.releases/1"
FILE = "releases.json"
MOST_NAMED = 5
# The key with the reason why a release counts no longer.
WITHDRAWN = "withdrawn"
# Within the mark of a draw, between that of the key and that of the columns that were counted.
PARTIAL = "-"


class SecondRelease(InputError):
    """Another release of the same table was made before."""


class Related(NamedTuple):
    """A release of another content: whether that was in the same place, and whether most rows of this table
    were in it."""

    entry: Entry
    same_place: bool
    recognition: Recognition

    @property
    def may_be_same(self) -> bool:
        """True if the people may be the same."""
        return self.same_place or self.recognition.recognized or self.recognition.cannot_tell


@dataclass(frozen=True, slots=True)
class Release:
    """A release that is about to be written. `content` is the digest of its table, `drawn` the mark of the
    key that it was drawn with, if any;
    `new_rows` is the number of rows read, if they are added to a release."""

    recoding: Recoding
    file: str
    content: str
    drawn: str | None = None
    new_rows: int | None = None

    @property
    def partial_draw(self) -> str | None:
        """The mark of a draw for rows of which not all columns were counted."""
        return self.drawn if self.drawn is not None and PARTIAL in self.drawn else None

    @property
    def named(self) -> dict[str, Any]:
        """The entry that every list has."""
        return {
            "id": short_ids([self.recoding])[0],
            "file": self.file,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": __version__,
            **({} if self.drawn is None else {"drawn": self.drawn}),
        }


@dataclass(frozen=True, slots=True)
class ReleaseLog:
    """The releases of one table: those that the user's state knows, and those of the run in the folder `run`.
    Without a state, only the latter: the built-in example is public anyway. `partial`: not all columns of the
    table are known here, so nothing tells a changed table from other columns of the same one."""

    state: State | None
    tables: tuple[TableState, ...] = ()
    run: Path | None = None
    path: str | None = None
    partial: bool = False
    sketches: Callable[[], Mapping[str, Sketch]] = dict

    @classmethod
    def of(
        cls,
        table: Counts,
        schema: Schema,
        run: Path | None = None,
        known: dict[Any, Any] | None = None,
    ) -> ReleaseLog:
        """The log of a table, found both with and without the columns that the schema never releases: if
        these were removed from the file before, it is still about the same people; and with its control
        group. For tables counted in an
        engine only the released columns are known. As for any table, the files are also recognized by their
        bytes. `known` keeps digests for later."""
        state, known, table = State.open(), {} if known is None else known, table.whole
        released = tuple(n for n in table.counted if schema.column(n).released)
        tables: dict[str, TableState] = {}
        # Without a control group, and with it: the difference of two releases would be the group.
        contents = [table] if table.control is None else [table, joined(table, table.control.whole)]
        for place, names in product(range(len(contents)), filter(None, (table.counted, released))):
            if (state.secret, names, place) not in known:
                known[state.secret, names, place] = content_digest(contents[place], state.secret, names)
            content = known[state.secret, names, place]
            tables[content] = state.of_table(content)
        if (bytes_digest := file_bytes_digest(table, state.secret)) is not None:
            tables[bytes_digest] = state.of_table(bytes_digest)
        path = None if table.path is None else _place(table)
        partial = bytes_digest is None and set(table.counted) != set(table.names)

        def sketches() -> Mapping[str, Sketch]:
            if ("sketch", state.secret) not in known:
                known["sketch", state.secret] = table_sketches(table, schema, state.secret)
            sketched: Mapping[str, Sketch] = known["sketch", state.secret]
            return sketched

        return cls(state, tuple(tables.values()), run, path, partial, sketches)

    @classmethod
    def of_run(cls, run: Path | None) -> ReleaseLog:
        return cls(None, run=run)

    def content_of(self, released: Released) -> str:
        """The digest of a released table, whatever the kind of file."""
        if self.state is None:
            return ""
        texts = [column.texts.to_pylist() for column in released.columns]
        return distinct_digest(
            [c.name for c in released.columns], texts, released.codes, released.counts, self.state.secret
        )

    @property
    def known(self) -> list[Entry]:
        """The releases in the user's state that count; one may be listed twice."""
        return [entry for table in self.tables for entry in _releases(table) if WITHDRAWN not in entry]

    @property
    def drawn(self) -> set[str]:
        """The marks of the keys that releases of exactly this table were drawn with."""
        entries = [*_releases(self.tables[0]), *self._made_of_run]
        return {entry["drawn"] for entry in entries if "drawn" in entry}

    @property
    def of_this_run(self) -> list[Entry]:
        """The releases of this run that count."""
        return [entry for entry in self._made_of_run if WITHDRAWN not in entry]

    @property
    def _made_of_run(self) -> list[Entry]:
        return [] if self.run is None else list(RunFiles(self.run).releases())

    def withdraw(self, name: str, reason: str) -> list[str]:
        """Mark the releases with an id as never passed on, so that they count no longer; the reason stays in
        the log. Returns the names of their files."""
        if not reason.strip():
            raise InputError.of(Field("withdraw"), "no reason is given", "say why nobody has this release")
        mark = {WITHDRAWN: reason, "withdrawn_at": datetime.now(UTC).isoformat(timespec="seconds")}
        related = [*self.known, *(other.entry for other in self.related if other.may_be_same)]
        entries = [entry for entry in (*related, *self.of_this_run) if entry["id"] == name]
        if not entries:
            known = dict.fromkeys(str(entry["id"]) for entry in (*related, *self.of_this_run))
            wrong = f"the log has no release {name} of this table"
            raise InputError.of(Field("pick"), wrong, did_you_mean(name, known))
        names = {_identity(entry) for entry in related if entry["id"] == name}
        for table in () if self.state is None else self.state.tables():
            if any(_identity(entry) in names for entry in _releases(table)):
                with table.lock():
                    marked = [{**mark, **e} if _identity(e) in names else e for e in _releases(table)]
                    table.write(FILE, {"format": FORMAT, "releases": marked})
        if self.run is not None:
            made = ({**mark, **e} if e["id"] == name else e for e in self._made_of_run)
            RunFiles(self.run).write_releases(list(made))
        return list(dict.fromkeys(str(entry["file"]) for entry in entries))

    @contextmanager
    def opened(self, release: Release, allow_second_release: bool = False) -> Iterator[Note]:
        """Hold the log while a release is written, if it is allowed; yields the function that records it."""
        with self._held():
            self._check_repeatable(release)
            if not allow_second_release:
                self._check_first(release)
            yield lambda manifest: self._record(release, manifest)

    @contextmanager
    def opened_beside(
        self, other: ReleaseLog, release: Release, allow_second_release: bool = False
    ) -> Iterator[Note]:
        """Hold this log and `other`, that of new rows, while these are added to a release of this table."""
        with self._held(other):
            self._check_released(release.recoding)
            if not allow_second_release:
                other._check_first(release)

            def note(manifest: dict[str, Any]) -> None:
                other._record(release, manifest)
                self._record(release, manifest, beside=True)

            yield note

    @contextmanager
    def _held(self, *others: ReleaseLog) -> Iterator[None]:
        """Hold several logs, always in the same order, so that no two processes wait for each other."""
        tables = {table.folder: table for log in (self, *others) for table in log.tables}
        with ExitStack() as stack:
            for folder in sorted(tables):
                stack.enter_context(tables[folder].lock())
            yield

    def _check_first(self, release: Release) -> None:
        """Refuse a release that differs from an earlier one of the same table. The same one again, perhaps as
        another kind of file, discloses nothing new."""
        others = [entry for entry in self.known if not self._is_same(entry, release)]
        others += [e for e in self.of_this_run if e["recoding"] != digest(release.recoding)]
        # The table may have changed since, or only its columns were chosen differently: nobody knows.
        if self.partial:
            others += [other.entry for other in self.related if other.same_place]
        else:
            others += [o.entry for o in self.related if o.same_place and o.entry.get("partial")]
        if not others:
            self._check_unlike(release)
            return
        changed = ", or the table is about other people now" if any(e.get("partial") for e in others) else ""
        first = Field("pick", others[-1]["id"])
        raise SecondRelease.of(
            Field("pick"),
            f"another release of this table already exists ({_listed(others)}), and two releases of one "
            "table can be joined: together they may disclose what neither shows alone, so that neither "
            "keeps its k",
            f"publish only one of them; if nobody got the first, take it out of the log "
            f"({first} {Field('withdraw', 'REASON')}); if this one is for other readers{changed}, use "
            f"{Field('allow_second_release', True)}",
        )

    def _check_unlike(self, release: Release) -> None:
        """Refuse a release of a table most of whose rows were released before, in another file or with
        corrections. The same release again discloses nothing new, and rows that are added to others of the
        same recoding belong to these."""
        if any(self._is_same(entry, release) for entry in self.known):
            return
        recoding = self._keyed(digest(release.recoding))
        added = release.new_rows is not None
        others = [
            entry
            for entry, _, recognition in self.related
            if recognition.recognized
            and entry["content"] != release.content
            and not (added and entry["recoding"] == recoding)
        ]
        if not others:
            return
        drawn = (
            ". Buckets would be drawn anew: whoever is in one bucket of each release has a value of both, "
            "and one corrected row is enough to make many values certain"
            if release.drawn is not None
            else ""
        )
        first = Field("pick", others[-1]["id"])
        raise SecondRelease.of(
            Field("pick"),
            f"most rows of this table were released before ({_listed(others)}): it seems to be a corrected "
            "or extended version of the same table, and two releases of one table can be joined: together "
            f"they may disclose what neither shows alone, so that neither keeps its k{drawn}",
            f"publish only one of them; if nobody got the first, take it out of the log "
            f"({first} {Field('withdraw', 'REASON')}); if this one is for other readers, use "
            f"{Field('allow_second_release', True)}",
        )

    @property
    def related(self) -> list[Related]:
        """The releases of other contents that count, of which this table may be a corrected version."""
        if self.state is None:
            return []
        folders = {table.folder for table in self.tables}
        # A release of this content may be listed with columns that were not read here.
        same = {_identity(entry) for entry in self.known}
        source = None if self.path is None else self._keyed(self.path)
        return [
            Related(
                entry, entry.get("source", "") == source, recognize(self.sketches(), entry.get("sketch", {}))
            )
            for table in self.state.tables()
            if table.folder not in folders
            for entry in _releases(table)
            if WITHDRAWN not in entry and _identity(entry) not in same
        ]

    def _is_same(self, entry: Entry, release: Release) -> bool:
        """True if an entry of the state is this release. Added rows are other rows; they are compatible if
        they are recoded in the same way."""
        if entry.get("beside"):
            return bool(entry["recoding"] == self._keyed(digest(release.recoding)))
        return bool(entry["content"] == release.content)

    def _check_repeatable(self, release: Release) -> None:
        """Refuse what was drawn before with a key that is lost, with that of the same people listed with
        other columns, or with other columns counted: a new draw would differ."""
        if release.drawn is not None and (lost := [*self._drawn_otherwise(release)]):
            raise InputError.of(
                Field("pick"),
                f"this release already exists ({_listed(lost)}), and its buckets were drawn at random "
                "in a way that cannot be repeated; drawn again, the two together would disclose whose "
                "value is whose",
                "publish the files that were written then",
            )

    def _drawn_otherwise(self, release: Release) -> Iterator[Entry]:
        """Releases by the same recoding whose draw was another one."""
        name, keyed = digest(release.recoding), self._keyed(digest(release.recoding))
        yield from (e for e in self.of_this_run if e["recoding"] == name and e.get("drawn") != release.drawn)
        entries = [e for e in self.known if e["recoding"] == keyed]
        yield from (e for e in entries if e.get("draw") != release.partial_draw)
        # Where names were removed or added, the same people have another key. What was drawn with this one,
        # and what is equal, discloses nothing new.
        again = {_identity(e) for e in entries if e.get("drawn") == release.drawn}
        yield from (e for e in entries if _identity(e) not in again and e["content"] != release.content)

    def _check_released(self, recoding: Recoding) -> None:
        """Refuse new rows whose recoding is not that of the release they are added to."""
        name = digest(recoding)
        made = [*self.known, *self.of_this_run]
        if not made or any(entry["recoding"] in (name, self._keyed(name)) for entry in made):
            return
        ids = ", ".join(dict.fromkeys(entry["id"] for entry in made))
        raise InputError.of(
            Field("pick"),
            f"this table was released as {ids}, and rows that are recoded in another way do not "
            "belong to that release",
            f"give {Field('pick', made[-1]['id'])}",
        )

    def _record(self, release: Release, manifest: Mapping[str, Any], beside: bool = False) -> None:
        """Record a release in the state and in the run; the same one again replaces its entry."""
        named, output = release.named, manifest["output"]
        entry: dict[str, Any] = {
            **named,
            "recoding": self._keyed(digest(release.recoding)),
            "content": release.content,
            "sha256": self._keyed(output["sha256"]),
            **({} if self.path is None else {"source": self._keyed(self.path)}),
            **({"partial": True} if self.partial else {}),
            **({"beside": True} if beside else {}),
            **({} if release.partial_draw is None else {"draw": release.partial_draw}),
            **({} if self.state is None else {"sketch": self._sketched}),
        }
        same = ("file", "content", "source")
        for table in self.tables:
            # Without some columns the people are the same, but it is not the table that the key belongs to.
            entry = {key: entry[key] for key in entry if key != "drawn" or table == self.tables[0]}
            others = [
                e
                for e in _releases(table)
                if WITHDRAWN in e or any(e.get(key) != entry.get(key) for key in same)
            ]
            table.write(FILE, {"format": FORMAT, "releases": [*others, entry]})
        if self.run is not None:
            entry = {
                **named,
                "recoding": digest(release.recoding),
                "rows": output["rows"],
                "sha256": output["sha256"],
                **({} if release.new_rows is None else {"new_rows": release.new_rows}),
            }
            RunFiles(self.run).add_release(entry)

    @property
    def _sketched(self) -> dict[str, Any]:
        return {mark: sketch.as_json() for mark, sketch in self.sketches().items()}

    def _keyed(self, text: str) -> str:
        """A keyed hash of a text, which nobody can reverse without the secret."""
        key = b"" if self.state is None else self.state.secret
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=32).hexdigest()


def _identity(entry: Entry) -> tuple[str, str, str]:
    """The key that the entries of one release have in common, with whichever columns it is listed."""
    return entry["file"], entry["content"], entry["time"]


def _place(table: Counts) -> str:
    """Where a table is, however it was named; of a database, with the table or the query."""
    if table.selection:
        return "\n".join([table.path or "", *table.selection.values()])
    return str(Path(table.path or "").resolve())


def _releases(table: TableState) -> list[Entry]:
    entry = table.read(FILE)
    if entry is None:
        return []
    if entry.get("format") != FORMAT:
        wrong = f"the format is not '{FORMAT}'"
        raise InputError.of(str(table.folder / FILE), wrong, "use the version of paretonym that wrote it")
    return list(entry["releases"])


def other_content_warning(log: ReleaseLog) -> str | None:
    """The warning if the same file was released before with another content."""
    related = log.related
    if others := [other.entry for other in related if other.same_place]:
        return (
            f"the same file was released before with other content ({_listed(others)}). If most of the "
            "people are the same, the two releases can be joined: together they may disclose what neither "
            "shows alone."
        )
    if alike := [other.entry for other in related if other.recognition.cannot_tell]:
        return (
            f"whether this table was released before ({_listed(alike)}) cannot be told: it has so few "
            "different rows that any other table of this kind would have most of them, too. If people are "
            "the same, the releases can be joined: together they may disclose what neither shows alone."
        )
    return None


def withdrawal(sha256: str | None) -> str | None:
    """A warning about a file that was released from here and withdrawn; None if it is not known or counts."""
    if sha256 is None or not state_folder().is_dir():
        return None
    state = State.open()
    keyed = ReleaseLog(state)._keyed(sha256)
    entries = [e for table in state.tables() for e in _releases(table) if e.get("sha256") == keyed]
    if not entries or any(WITHDRAWN not in entry for entry in entries):
        return None
    last = max(entries, key=lambda entry: str(entry["withdrawn_at"]))
    return (
        f"this release was withdrawn on {last['withdrawn_at'][:10]} ({printable(last[WITHDRAWN])}): the "
        "release log counts it no longer, and another release of the same table may exist; do not pass it on"
    )


def _listed(entries: Sequence[Entry]) -> str:
    """Releases for a message: what, where, when and by which version."""
    named = list(
        dict.fromkeys(
            f"{e['id']} in {printable(e['file'])}, {e['time'][:10]}, version {e['version']}" for e in entries
        )
    )
    more = f"; and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return "; ".join(named[-MOST_NAMED:]) + more
