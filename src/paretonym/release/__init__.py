"""The release: its rows, its manifest, and the claims that anyone can measure again."""

from __future__ import annotations

from paretonym.release.appended_release import CombinedRelease
from paretonym.release.control_group import control_as_json, control_share, without_control
from paretonym.release.csv_form import CsvForm, of_output
from paretonym.release.publication import (
    append_rows,
    append_to_file,
    appended_before,
    draw_key,
    log_of,
    open_rows,
    publish_release,
    release_cost,
    release_dataframe,
    released_table,
    released_texts,
)
from paretonym.release.release_files import check_release
from paretonym.release.release_log import (
    ReleaseLog,
    SecondRelease,
    other_content_warning,
    withdrawal,
)
from paretonym.release.release_manifest import manifest_path
from paretonym.release.released_rows import row_tuples
from paretonym.release.small_counts import block, published_costs

__all__ = [
    "CombinedRelease",
    "CsvForm",
    "ReleaseLog",
    "SecondRelease",
    "append_rows",
    "append_to_file",
    "appended_before",
    "block",
    "check_release",
    "control_as_json",
    "control_share",
    "draw_key",
    "log_of",
    "manifest_path",
    "of_output",
    "open_rows",
    "other_content_warning",
    "publish_release",
    "published_costs",
    "release_cost",
    "release_dataframe",
    "released_table",
    "released_texts",
    "row_tuples",
    "withdrawal",
    "without_control",
]
