"""A PostgreSQL server for tests: on loopback, with a folder of its own, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASSWORD = "correct horse"
QUICK = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_connections=20"


def programs() -> Path | None:
    """Where the server's programs are: Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    path = shutil.which("initdb")
    return found[-1].parent if found else Path(path).parent if path else None


def account() -> list[str]:
    """The server refuses to run as root."""
    if os.getuid() != 0:
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return ["runuser", "-u", "nobody", "--"]
    return ["runuser", "-u", "postgres", "--"]


@dataclass(frozen=True)
class Server:
    port: int
    folder: Path

    def address(self, user: str = "postgres", password: str | None = PASSWORD) -> str:
        secret = "" if password is None else f":{password.replace(' ', '%20')}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/postgres"

    @contextmanager
    def connected(self) -> Iterator[Any]:
        from adbc_driver_postgresql import dbapi

        with closing(dbapi.connect(self.address(), autocommit=True)) as connection:
            yield connection

    def run(self, *statements: str) -> None:
        with self.connected() as connection, closing(connection.cursor()) as cursor:
            for statement in statements:
                cursor.execute(statement)

    def asked(self, query: str) -> list[Any]:
        with self.connected() as connection, closing(connection.cursor()) as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())


@contextmanager
def running_server() -> Iterator[Server]:
    """A server with one user, postgres, who needs a password."""
    folder = Path(tempfile.mkdtemp(prefix="paretonym-postgresql-"))
    if os.getuid() == 0:
        shutil.chown(folder, account()[2])
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    data, port = folder / "data", _free_port()
    made = [f"--pgdata={data}", "--username=postgres", "--auth=scram-sha-256", f"--pwfile={secret}"]
    _do("initdb", [*made, "--encoding=UTF8", "--locale=C", "--no-sync"])
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} {QUICK}"
    _do("pg_ctl", ["-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start"])
    try:
        yield Server(port, folder)
    finally:
        _do("pg_ctl", ["-D", str(data), "-m", "immediate", "stop"])
        shutil.rmtree(folder, ignore_errors=True)


def _do(program: str, options: Sequence[str]) -> None:
    found = programs()
    assert found is not None
    # What the server inherits of the pipe would never end.
    subprocess.run(
        [*account(), str(found / program), *options],
        check=True,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=60,
    )


def _free_port() -> int:
    with closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])
