"""Manifests that nobody would write: each is refused in words or fails, and none is our bug."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

import paretonym
from paretonym.audit import manifest_file as manifest_reader
from paretonym.base.errors import InputError, ParetonymError
from paretonym.evidence.attacks.attack import attack
from tests.naive.tampering import BUCKETS, ORIGINAL, SCHEMA, SPACES, beside, bucket_files, make_releases

Place: TypeAlias = tuple[str | int, ...]
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, -1e400, 10**400, "", "inf", "nan", "\u0000\u001b[31m", "x" * 5_000, [], {},
    [[]], {"": {}}, ["a", 1],
)  # fmt: skip


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_releases(tmp_path_factory.mktemp("releases"))


def places(node: Any, above: Place = ()) -> Iterator[Place]:
    yield above
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, entry in entries:
        yield from places(entry, (*above, key))


def changed(document: Any, place: Place, value: Any) -> Any:
    if not place:
        return value
    document = copy.deepcopy(document)
    node = document
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return document


def copied(releases: Path, space: str, folder: Path) -> Path:
    for file in (*bucket_files(releases / f"{space}.csv"), beside(releases / f"{space}.csv")):
        if file.exists():
            shutil.copy(file, folder)
    return folder / f"{space}.csv"


def reading(path: Path, space: str) -> list[Callable[[], bool]]:
    """The commands that read the manifest."""
    commands: list[Callable[[], bool]] = [
        lambda: paretonym.audit(path).passed,
        lambda: paretonym.audit(path, original=ORIGINAL, schema=SCHEMA).passed,
    ]
    if space in SPACES:
        commands += [
            lambda: attack(path, original=ORIGINAL, schema=SCHEMA) is None,
        ]
    return commands


def content(command: Callable[[], bool]) -> bool:
    """Whether a command is content; it may refuse, but not break."""
    try:
        return command()
    except ParetonymError as error:
        return len(str(error).splitlines()) > 1


def tried(path: Path, space: str) -> Iterator[bool]:
    return map(content, reading(path, space))


@pytest.mark.parametrize("space", [*SPACES, *BUCKETS])
def test_odd_values_everywhere(releases: Path, tmp_path: Path, space: str) -> None:
    """At each place of the document one odd value of eighteen, another one at each run of the test's list."""
    path, generator = copied(releases, space, tmp_path), Random(space)
    document = json.loads(beside(path).read_text())
    for number, place in enumerate(places(document)):
        value = generator.choice(ODD)
        text = json.dumps(changed(document, place, value))
        beside(path).write_text(text)
        if json.loads(text) != document:
            # The commands take turns: each reads the whole manifest, wherever it is odd.
            commands = reading(path, space)
            assert not content(commands[number % len(commands)]), f"{place} may be {value!r}"


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:20])
def test_each_odd_value(releases: Path, tmp_path: Path, value: Any) -> None:
    path = copied(releases, "lattice", tmp_path)
    document = json.loads(beside(path).read_text())
    for number, place in enumerate(
        [(), ("output",), ("recoding", "levels", "age"), ("recoding", "keep", "k"), ("claims", "k")]
    ):
        beside(path).write_text(json.dumps(changed(document, place, value)))
        # A level that is not the release's own shows only beside the original; the other commands take turns.
        alone, beside_original, *others = reading(path, "lattice")
        assert not content(beside_original), f"{place} may be {value!r}"
        content([alone, *others][(number + ODD.index(value)) % 2])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe{", "it is not UTF-8"),
        (b"\xef\xbb\xbf{}", "it is not JSON"),
        (b"[" * 200_000, "it is not JSON"),
        (b'{"a":' * 100_000, "it is not JSON"),
        (b'{"format": NaN}', "it is not JSON"),
        (b'{"format": "\\ud800"}', "a text contains half a character"),
        (b"9" * 10_000, "it is not JSON"),
        (b"[]", "a list is where an object is expected"),
        (b'{"format": "paretonym.manifest/3"}', "it has another format"),
    ],
    ids=range(10),
)
def test_documents_that_are_none(releases: Path, tmp_path: Path, content: bytes, words: str) -> None:
    path = copied(releases, "lattice", tmp_path)
    beside(path).write_bytes(content)
    with pytest.raises(InputError, match=words):
        paretonym.audit(path)
    with pytest.raises(InputError, match="this is not a manifest of the format"):
        attack(path, original=ORIGINAL, schema=SCHEMA)


def test_a_folder_and_nothing(releases: Path, tmp_path: Path) -> None:
    path = copied(releases, "lattice", tmp_path)
    beside(path).unlink()
    with pytest.raises(InputError, match="there is no manifest beside it"):
        paretonym.audit(path)
    beside(path).mkdir()
    with pytest.raises(InputError, match="it is not a file"):
        paretonym.audit(path)


@pytest.mark.parametrize("seed", range(25))
def test_damaged_files(releases: Path, tmp_path: Path, seed: int) -> None:
    """Bytes changed, cut off or put in: refused or failed, and never our bug."""
    generator = Random(seed)
    kind = generator.choice(["csv", "parquet"])
    content = bytearray((releases / f"lattice.{kind}").read_bytes())
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(content))
        content[place : place + generator.randint(0, 9)] = generator.randbytes(generator.randint(0, 9))
    path = tmp_path / f"lattice.{kind}"
    path.write_bytes(content[: generator.choice([len(content), generator.randrange(len(content))])])
    shutil.copy(beside(releases / f"lattice.{kind}"), tmp_path)
    assert not any(tried(path, "damaged"))


@pytest.mark.parametrize(
    ("space", "place", "value", "said"),
    [
        ("cuts", ("recoding", "space"), "clusters", "'clusters' is not a known space"),
        ("lattice", ("version",), "99", "paretonym 99 wrote it, and this is "),
        ("lattice", ("recoding", "further"), "anything", "'further' of the recoding cannot be read"),
    ],
)
def test_faults_are_named(
    releases: Path, tmp_path: Path, space: str, place: Place, value: str, said: str
) -> None:
    path = copied(releases, space, tmp_path)
    document = json.loads(beside(path).read_text())
    beside(path).write_text(json.dumps(changed(document, place, value)))
    assert said in " ".join(check.why for check in paretonym.audit(path).failed)


def test_a_document_without_end(releases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copied(releases, "lattice", tmp_path)
    monkeypatch.setattr(manifest_reader, "LONGEST_DOCUMENT", 100)
    with pytest.raises(InputError, match="it is too long for a manifest"):
        paretonym.audit(path)
