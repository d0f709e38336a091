"""Files and folders that appear completely or not at all: what may be written, and how it gets its name."""

from __future__ import annotations

from paretonym.base.files.atomic_files import (
    PRIVATE,
    REFUSALS,
    digest_of,
    failed,
    flush_folders,
    new_draft,
    read_regular_file,
    restore,
    settle,
)
from paretonym.base.files.outputs import (
    CHECKPOINT_FILE,
    Inputs,
    Kind,
    Output,
    check_changed,
    check_outputs,
    is_unfinished,
    new_files,
    new_folder,
    write_files,
    write_output,
)

__all__ = [
    "CHECKPOINT_FILE",
    "PRIVATE",
    "REFUSALS",
    "Inputs",
    "Kind",
    "Output",
    "check_changed",
    "check_outputs",
    "digest_of",
    "failed",
    "flush_folders",
    "is_unfinished",
    "new_draft",
    "new_files",
    "new_folder",
    "read_regular_file",
    "restore",
    "settle",
    "write_files",
    "write_output",
]
