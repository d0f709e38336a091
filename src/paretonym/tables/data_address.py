"""Addresses of databases: `sqlite:///people.db`, `duckdb:///people.duckdb`, `postgresql://me@host/people`.

Whatever shows or stores an address has it from here, without its password: that is used to connect, by this
process only, and is neither written nor printed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

from paretonym.base.errors import InputError

DatabaseKind: TypeAlias = Literal["sqlite", "duckdb", "postgresql"]

SCHEMES: Mapping[str, DatabaseKind] = {
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "postgresql": "postgresql",
    "postgres": "postgresql",
}
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
# What stands between the slashes, once user and password are gone; several servers may be named.
HOSTS = re.compile(r"[A-Za-z0-9._,%\[\]:-]*")
# Of what may follow the question mark: what is no secret. Anything else is refused, unless it is a password.
PARAMETERS = frozenset(
    (
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "gssencmode",
        "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval",
        "krbsrvname", "load_balance_hosts", "options", "port", "require_auth", "service", "sslcert", "sslcrl",
        "sslkey", "sslmode", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user",
    )
)  # fmt: skip
PORTS = re.compile(r"[^:\]]*(\[[^\]]*\])?(:\d*)?")


@dataclass(frozen=True, slots=True)
class DataAddress:
    """Where a database is. `shown` has no password; `file` is that of SQLite and DuckDB; `secret` is for the
    driver alone."""

    kind: DatabaseKind
    shown: str
    file: Path | None = None
    secret: str = field(default="", repr=False, compare=False)

    @classmethod
    def of(cls, data: Any) -> DataAddress | None:
        """The address of a database; None for whatever else data may be."""
        match = ADDRESS.fullmatch(data) if isinstance(data, str) else None
        # SQLAlchemy names a driver behind a plus sign; ours is always the same.
        kind = None if match is None else SCHEMES.get(match[1].lower().partition("+")[0])
        if match is None or kind is None:
            return None
        return _server(match[2]) if kind == "postgresql" else _local(kind, match[2])

    @property
    def stored(self) -> str:
        """The address that a run keeps: it means the same in every working folder."""
        return self.shown if self.file is None else f"{self.kind}:///{self.file.absolute().as_posix()}"

    @property
    def has_password(self) -> bool:
        return bool(self.secret) and self.secret != self.shown


def check_local(given: str | os.PathLike[str], remedy: str) -> None:
    """Refuse an address where a file or a folder of this machine is meant. Only its scheme is shown: the rest
    may hold a password, and a path has lost one of its slashes."""
    # Two letters at least: one is a drive.
    address = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:(?=/)", Path(given).as_posix())
    if address and not Path(given).exists():
        raise InputError.of(f"{address[0]}//…", "this is an address, not a file on this machine", remedy)


def local_file(place: str | os.PathLike[str]) -> Path | None:
    """The file that a path or an address is about; None where it is on a server."""
    address = DataAddress.of(place)
    return Path(place) if address is None else address.file


def lasting_place(place: str) -> str:
    """A path or an address as a run keeps it."""
    address = DataAddress.of(place)
    return str(Path(place).absolute()) if address is None else address.stored


def _local(kind: DatabaseKind, rest: str) -> DataAddress:
    if not rest.startswith("/") or rest == "/":
        raise InputError.of(
            f"{kind}://{rest}",
            "after the colon there are three slashes, then the path of the file",
            f"write {kind}:///people.db, or {kind}:////data/people.db for a path that begins with a slash",
        )
    return DataAddress(kind, f"{kind}://{rest}", Path(rest[1:]))


def _server(rest: str) -> DataAddress:
    authority, slash, further = _parted(rest)
    user, at, hosts = authority.rpartition("@")
    path, _, question = further.partition("?") if slash == "/" else ("", "", further)
    user, _, password = user.partition(":")
    parameters = [parameter for parameter in question.split("&") if parameter]
    public = [parameter for parameter in parameters if not _is_secret(parameter)]
    if not (_are_plain(hosts, path, user) and all(map(_is_known, public))):
        raise InputError.of(
            "postgresql://…",
            "this address cannot be read",
            "write postgresql://USER@HOST:PORT/DATABASE, with %40 for '@', %2F for '/', %3F for '?' and %23 "
            "for '#' in names and passwords; or leave the password to PGPASSWORD or ~/.pgpass",
        )
    named = f"{user}@{hosts}" if at else hosts
    address = f"postgresql://{named}{'/' + path if path else ''}{'?' + '&'.join(public) if public else ''}"
    plain = not password and public == parameters
    return DataAddress("postgresql", address, None, address if plain else f"postgresql://{rest}")


def _parted(rest: str) -> tuple[str, str, str]:
    """The part in front of the first slash or question mark, that mark, and what follows."""
    mark = re.search(r"[/?]", rest)
    return (rest, "", "") if mark is None else (rest[: mark.start()], mark[0], rest[mark.end() :])


def _are_plain(hosts: str, path: str, user: str) -> bool:
    """True if nothing that is shown could be part of a password that was not written as it must be."""
    if not HOSTS.fullmatch(hosts) or not all(PORTS.fullmatch(host) for host in hosts.split(",")):
        return False
    return all(unquote(name).isprintable() and not set("@#/: ") & set(name) for name in (path, user))


def _is_known(parameter: str) -> bool:
    name, mark, value = parameter.partition("=")
    return name in PARAMETERS and bool(mark) and "@" not in value and unquote(value).isprintable()


def _is_secret(parameter: str) -> bool:
    return "pass" in unquote(parameter.partition("=")[0]).lower()
