"""Addresses of databases: what is shown and stored has no password, however it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.data_address import DataAddress, lasting_place, local_file

SHOWN = {
    "postgresql://me:secret@host:5432/people": "postgresql://me@host:5432/people",
    "postgres://me:secret@host/people": "postgresql://me@host/people",
    "POSTGRESQL://me:secret@host/people": "postgresql://me@host/people",
    "postgresql://me:sec@ret:x@host/people": "postgresql://me@host/people",
    "postgresql://me:sec#ret@host/people": "postgresql://me@host/people",
    "postgresql://me:sec ret@host/people": "postgresql://me@host/people",
    "postgresql://me:secret@/people?host=%2Ftmp": "postgresql://me@/people?host=%2Ftmp",
    "postgresql://me@[::1]:1,b:2/people?sslmode=require&password=secret&sslpassword=secret": (
        "postgresql://me@[::1]:1,b:2/people?sslmode=require"
    ),
    "postgresql://me%40there:secret@host/my%20people": "postgresql://me%40there@host/my%20people",
    "postgresql://host": "postgresql://host",
    # As SQLAlchemy writes them.
    "postgresql+psycopg://me:secret@host/people": "postgresql://me@host/people",
    "postgresql+asyncpg://me@host/people": "postgresql://me@host/people",
}


@pytest.mark.parametrize("given", SHOWN)
def test_passwords_are_for_the_driver_alone(given: str) -> None:
    address = DataAddress.of(given)
    assert address is not None
    assert address.shown == address.stored == lasting_place(given) == SHOWN[given]
    assert address.has_password == ("sec" in given)
    assert address.file is None
    assert local_file(given) is None
    assert "sec" not in repr(address) + str(address)
    assert address.secret.partition("://")[2] == given.partition("://")[2]


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://me:sec/ret@host/people",
        "postgresql://me:sec?ret@host/people",
        "postgresql://me:secret",
        "postgresql://me:secret@host/people?passwort=1&secret",
        "postgresql://host/people?user=me&secret=1",
        "postgresql://host/people?user=me@secret",
        "postgresql://host/peo\nple",
    ],
)
def test_what_could_be_part_of_a_password_is_not_shown(given: str) -> None:
    with pytest.raises(InputError) as found:
        DataAddress.of(given)
    assert str(found.value).startswith(
        "postgresql://…: this address cannot be read; write postgresql://USER@"
    )
    assert "secret" not in str(found.value)
    assert "ret@" not in str(found.value)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    near, far = DataAddress.of("sqlite:///a b.db"), DataAddress.of("duckdb:////data/a.duckdb")
    assert near is not None
    assert far is not None
    assert (near.kind, near.file) == ("sqlite", Path("a b.db"))
    assert near.stored == lasting_place("sqlite:///a b.db") == f"sqlite:///{tmp_path}/a b.db"
    assert DataAddress.of(near.stored) == DataAddress("sqlite", near.stored, tmp_path / "a b.db")
    assert (far.kind, far.file, far.stored) == ("duckdb", Path("/data/a.duckdb"), "duckdb:////data/a.duckdb")
    assert local_file("a.csv") == Path("a.csv")
    assert lasting_place("a.csv") == str(tmp_path / "a.csv")
    for other in ("a.csv", "s3://bucket/a.csv", Path("a.csv"), None):
        assert DataAddress.of(other) is None
    with pytest.raises(
        InputError, match=r"there are three slashes, then the path .* write sqlite:///people.db"
    ):
        DataAddress.of("sqlite://a.db")
