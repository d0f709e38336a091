"""What an output may replace, and that it appears whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from paretonym.base.errors import InputError
from paretonym.base.files import outputs
from paretonym.base.files.outputs import (
    Kind,
    Output,
    check_outputs,
    new_files,
    new_folder,
    write_files,
    write_output,
)


def fill(path: Path, text: str, force: bool = False) -> None:
    with new_folder(Output(path, Kind.FOLDER), force) as draft:
        (draft / "file").write_text(text)
        assert not (path / "file").exists() or (path / "file").read_text() != text


def fill_half(path: Path, failure: type[BaseException]) -> None:
    with new_folder(Output(path, Kind.FOLDER), force=True) as draft:
        (draft / "file").write_text("half")
        raise failure


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        act()
    return str(error.value)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    fill(tmp_path / "run", "new")
    assert (tmp_path / "run/file").read_text() == "new"
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
    assert names(tmp_path) == ["run"]


def test_an_empty_folder_is_replaced_without_force(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir(mode=0o755)
    fill(path, "new")
    assert path.stat().st_mode & 0o777 == 0o700
    assert names(path) == [".paretonym.json", "file"]
    assert names(tmp_path) == ["run"]


def test_force_replaces_what_we_wrote(tmp_path: Path) -> None:
    path = tmp_path / "run"
    fill(path, "old")
    assert refused(lambda: fill(path, "new")) == (
        f"{path}: already exists; give another name, or use force=True to replace it"
    )
    fill(path, "new", force=True)
    assert (path / "file").read_text() == "new"
    assert names(path) == [".paretonym.json", "file"]
    assert names(tmp_path) == ["run"]


def add(path: Path) -> None:
    (path / "mine").write_text("mine")


def add_hidden(path: Path) -> None:
    (path / ".mine").write_text("mine")


def add_folder(path: Path) -> None:
    (path / "mine").mkdir()


def edit(path: Path) -> None:
    (path / "file").write_text("mine")


def link(path: Path) -> None:
    (path.parent / "old").write_text("old")
    (path / "file").unlink()
    (path / "file").symlink_to(path.parent / "old")


def lose_the_index(path: Path) -> None:
    (path / ".paretonym.json").unlink()


def break_the_index(path: Path) -> None:
    (path / ".paretonym.json").write_text("[]")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (add, "'mine' in it was not written by paretonym"),
        (add_hidden, "'.mine' in it was not written by paretonym"),
        (add_folder, "'mine' in it was not written by paretonym"),
        (edit, "'file' in it has changed since"),
        (link, "'file' in it was not written by paretonym"),
        (lose_the_index, "there is no '.paretonym.json' written by paretonym"),
        (break_the_index, "there is no '.paretonym.json' written by paretonym"),
    ],
)
def test_a_folder_with_anything_else_is_refused(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "run"
    fill(path, "old")
    change(path)
    before = {name: (path / name).read_bytes() for name in names(path) if (path / name).is_file()}
    assert refused(lambda: fill(path, "new", force=True)) == (
        f"{path}: force=True does not replace this ({reason}); give another name, or remove it yourself"
    )
    assert refused(lambda: fill(path, "new")) == (
        f"{path}: already exists, and is not replaced ({reason}); give another name"
    )
    assert {name: (path / name).read_bytes() for name in names(path) if (path / name).is_file()} == before


@pytest.mark.parametrize("force", [False, True])
def test_a_file_is_no_folder_and_a_folder_no_file(tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("mine")
    assert "(it is a file)" in refused(lambda: fill(tmp_path / "file", "new", force))
    (tmp_path / "folder").mkdir()
    assert "(it is a folder)" in refused(lambda: write_output(Output(tmp_path / "folder"), b"", force))
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("force", [False, True])
def test_links_are_refused(tmp_path: Path, force: bool) -> None:
    fill(tmp_path / "kept", "old")
    (tmp_path / "run").symlink_to(tmp_path / "kept")
    assert "(it is a link)" in refused(lambda: fill(tmp_path / "run", "new", force))
    (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
    assert "(it is a link)" in refused(lambda: fill(tmp_path / "nothing", "new", force))
    (tmp_path / "page").write_text("page")
    (tmp_path / "other").symlink_to("page")
    assert "(it is a link)" in refused(lambda: write_output(Output(tmp_path / "other"), b"", force))
    assert (tmp_path / "kept/file").read_text() == "old"


@pytest.mark.parametrize("failure", [ZeroDivisionError, KeyboardInterrupt])
def test_a_failure_leaves_what_was_there(tmp_path: Path, failure: type[BaseException]) -> None:
    with pytest.raises(failure):
        fill_half(tmp_path / "run", failure)
    assert names(tmp_path) == []
    fill(tmp_path / "run", "old")
    with pytest.raises(failure):
        fill_half(tmp_path / "run", failure)
    assert (tmp_path / "run/file").read_text() == "old"
    assert names(tmp_path) == ["run"]


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
def test_a_failure_while_replacing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    fill(tmp_path / "run", "old")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if (self / "file").exists() and (self / "file").read_text() == "new":
            raise failure
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(InputError if failure is OSError else failure):
        fill(tmp_path / "run", "new", force=True)
    monkeypatch.undo()
    assert (tmp_path / "run/file").read_text() == "old"
    assert names(tmp_path) == ["run"]


def test_a_folder_that_is_changed_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "run"
    fill(path, "old")

    def work() -> None:
        with new_folder(Output(path, Kind.FOLDER), force=True) as draft:
            (draft / "file").write_text("new")
            (path / "mine").write_text("mine")

    assert "'mine' in it was not written by paretonym" in refused(work)
    assert (path / "mine").read_text() == "mine"
    assert (path / "file").read_text() == "old"
    assert names(tmp_path) == ["run"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "page.html"

    def work() -> None:
        with new_files([Output(path)]) as (draft,):
            draft.write_text("new")
            path.write_text("mine")

    assert "already exists" in refused(work)
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["page.html"]


def test_a_name_that_is_taken_in_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page.html"
    monkeypatch.setattr(outputs, "check_outputs", lambda *_: path.write_text("mine"))
    monkeypatch.setattr(outputs, "taken", lambda _: False)
    assert "File exists" in refused(lambda: write_output(Output(path), b"new"))
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["page.html"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("place", [".", "..", "../work", "/"])
def test_the_working_folder_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, force: bool
) -> None:
    fill(tmp_path / "work", "old")
    monkeypatch.chdir(tmp_path / "work")
    assert refused(lambda: check_outputs([Output(Path(place), Kind.FOLDER)], force)) == (
        f"{place}: this is the working folder, or one that contains it; give the name of a new one"
    )


def test_two_outputs_have_names_of_their_own(tmp_path: Path) -> None:
    page, figures = Output(tmp_path / "x"), Output(tmp_path / "y/../x", Kind.FOLDER, "figures")
    (tmp_path / "y").mkdir()
    assert refused(lambda: check_outputs([page, figures], force=True)) == (
        f"{figures.path}: this conflicts with {page.path}; give each a different name"
    )
    fill(tmp_path / "figures", "old")
    inside = Output(tmp_path / "figures/page.html")
    around = Output(tmp_path / "figures", Kind.FOLDER, "figures")
    assert "this conflicts with" in refused(lambda: check_outputs([inside, around], force=True))


def test_names_that_differ_in_case_are_one_where_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulated: a file system that does not tell upper from lower case."""
    (tmp_path / "survey.csv").write_text("mine")
    check_outputs([Output(tmp_path / "SURVEY.csv")], True, [tmp_path / "survey.csv"])
    samefile = Path.samefile

    def insensitive(self: Path, other: Path) -> bool:
        return (
            samefile(self, other)
            if self.exists() and other.exists()
            else str(self).lower() == str(other).lower()
        )

    monkeypatch.setattr(Path, "samefile", insensitive)
    said = refused(lambda: check_outputs([Output(tmp_path / "SURVEY.csv")], True, [tmp_path / "survey.csv"]))
    assert said.endswith(f"this is {tmp_path / 'survey.csv'}, which the command reads; give another name")


def test_a_folder_that_a_killed_command_moved_away_comes_back(tmp_path: Path) -> None:
    fill(tmp_path / "run", "old")
    (tmp_path / "run").rename(tmp_path / ".run.replaced")
    assert "already exists" in refused(lambda: fill(tmp_path / "run", "new"))
    assert (tmp_path / "run/file").read_text() == "old"


def test_what_a_killed_command_did_not_remove_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("run", "old"), ("other", "older")):
        fill(tmp_path / name, text)
    (tmp_path / "other").rename(tmp_path / ".run.replaced")
    fill(tmp_path / "run", "new", force=True)
    assert (tmp_path / "run/file").read_text() == "new"
    assert names(tmp_path) == ["run"]


def test_no_folder_to_put_it_in(tmp_path: Path) -> None:
    path = tmp_path / "none" / "run"
    assert refused(lambda: check_outputs([Output(path, Kind.RUN)], force=False)) == (
        f"{path}: the folder '{path.parent}' does not exist; create the folder first, or give another name"
    )


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert refused(lambda: check_outputs([Output(tmp_path / "run", Kind.RUN)], force=False)) == (
        f"{tmp_path / 'run'}: the folder '{tmp_path}' cannot be written to; "
        "give a name in a folder of your own"
    )


def test_python_is_told_of_force_in_its_own_words(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_output(Output(path), b"<page>")
    said = refused(lambda: write_output(Output(path), b"new"))
    assert said == f"{path}: already exists; give another name, or use force=True to replace it"


def test_force_leaves_what_another_program_wrote(tmp_path: Path) -> None:
    path = tmp_path / "thesis.html"
    path.write_text("<html>a chapter about k, not written by paretonym</html>")
    assert refused(lambda: write_output(Output(path), b"new", force=True)) == (
        f"{path}: force=True does not replace this (paretonym did not write it, or it has changed since); "
        "give another name, or remove it yourself"
    )
    assert "a chapter" in path.read_text()


@pytest.mark.parametrize(
    "content",
    [
        b"<!DOCTYPE html>\n<html></html>",
        b"<svg/>",
        b"%PDF-1.7\n...\n%%EOF\n" + b" " * 9000,
        b'{"format": "paretonym.compare/1"}',
        b"missing = 'drop'\n",
        b"",
    ],
)
def test_force_replaces_marked_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "page"
    path.touch()
    write_output(Output(path), content, force=True)
    written = path.read_bytes()
    write_output(Output(path), content, force=True)
    assert path.read_bytes() == written


def test_a_private_file_is_private_from_the_first_moment(tmp_path: Path) -> None:
    write_output(Output(tmp_path / "page.html", private=True), b"new")
    assert (tmp_path / "page.html").stat().st_mode & 0o777 == 0o600


def test_files_are_written_and_replaced(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("before")
    old.chmod(0o640)
    write_files({old: b"after", new: b"fresh"})
    assert (old.read_text(), new.read_text()) == ("after", "fresh")
    assert old.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "old"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "link").symlink_to("file")
    write_files({tmp_path / "link": b"after"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "after"


def test_none_changes_if_one_cannot_be_written(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("before")
    nowhere = tmp_path / "nowhere" / "new"
    with pytest.raises(InputError) as error:
        write_files({old: b"after", nowhere: b"fresh"})
    assert str(error.value) == (
        f"{old}, {nowhere}: writing failed: No such file or directory; check the disk and the folder"
    )
    assert old.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        write_files({tmp_path / "folder": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_and_a_file_appear_together(tmp_path: Path) -> None:
    """If somebody else takes the folder's name in the last moment, the file has none either, and what it
    would have replaced is back."""
    folder, file = (
        Output(tmp_path / "pub", Kind.PARTS),
        Output(tmp_path / "pub.manifest.json", Kind.COMPANION),
    )

    def written(meanwhile: bool) -> None:
        with new_files([file, folder], force=True) as (described, parts):
            described.write_text('{"format": "paretonym.manifest/1"}')
            (parts / "part").write_text("rows")
            if meanwhile:
                folder.path.mkdir()
                (folder.path / "mine").write_text("mine")

    with pytest.raises(InputError, match="a folder of a release is never replaced"):
        written(meanwhile=True)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["mine", "pub"]
    shutil.rmtree(folder.path)
    old = '{"format": "paretonym.manifest/1", "older": 1}'
    file.path.write_text(old)
    with pytest.raises(InputError):
        written(meanwhile=True)
    assert (file.path.read_text(), (folder.path / "mine").read_text()) == (old, "mine")
    shutil.rmtree(folder.path)
    written(meanwhile=False)
    assert "older" not in file.path.read_text()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["part", "pub", "pub.manifest.json"]


def test_a_folder_that_cannot_be_named_takes_its_file_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(outputs, "place_folder", refuse)
    folder, file = (
        Output(tmp_path / "pub", Kind.PARTS),
        Output(tmp_path / "pub.manifest.json", Kind.COMPANION),
    )
    with (
        pytest.raises(InputError, match="writing failed"),
        new_files([file, folder]) as (described, _),
    ):
        described.write_text("{}")
    assert not file.path.exists()


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("d/*.csv", "d/new.csv", True),
        ("d/*.csv", "d/new.parquet", False),
        ("d/**/*.csv", "d/a/b/new.csv", True),
        ("d/*.csv", "d/a/new.csv", False),
        ("d/part-?.csv", "d/part-1.csv", True),
        ("d/[ab].csv", "d/../d/a.csv", True),
        ("*/x.csv", "d/x.csv", True),
    ],
)
def test_what_a_pattern_would_read_is_refused(tmp_path: Path, pattern: str, name: str, fits: bool) -> None:
    """A release among its own input would be read as input the next time."""
    (tmp_path / "d" / "a" / "b").mkdir(parents=True)
    output = Output(tmp_path / name)
    expected = pytest.raises(InputError, match="would be read with it") if fits else nullcontext()
    with expected:
        check_outputs([output], False, [tmp_path / pattern])


def test_a_folder_whose_parts_a_pattern_would_read_is_refused(tmp_path: Path) -> None:
    output = Output(tmp_path / "pub", Kind.PARTS)
    with pytest.raises(InputError, match="would be read with it"):
        check_outputs([output], False, [tmp_path / "**" / "*.parquet"])
    check_outputs([output], False, [tmp_path / "*.parquet"])
