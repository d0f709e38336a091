"""The session of Spark that reads files: the one that runs already, the server that SPARK_REMOTE names, or a
new one, with the master that Spark is configured with, which is this machine unless another is said."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paretonym.budget import usable_cores
from paretonym.errors import Field, InputError
from paretonym.extras import require

REMOTE = "SPARK_REMOTE"
CALM = {
    # A bar on the terminal would spoil our own.
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}


def open_session(memory: int | None) -> Any:
    """A session of Spark. One that is started here gets `memory` bytes, and ends with the process."""
    require("spark", str(Field("engine", "spark")))
    with warnings.catch_warnings():
        # Those of Spark are about versions of pandas, which is not used.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        if (active := SparkSession.getActiveSession()) is not None:
            return active
        builder = SparkSession.builder.appName("paretonym")
        if REMOTE not in os.environ:
            builder = builder.config(map=_settings(memory))
        try:
            with _silent():
                return builder.getOrCreate()
        except Exception as error:
            raise _refusal(error) from None


def _settings(memory: int | None) -> dict[str, str]:
    """Those of a session that is started here; two hundred partitions, as for a cluster, would take longer to
    start than to count."""
    settings = {**CALM, "spark.sql.shuffle.partitions": str(2 * usable_cores())}
    if memory is not None:
        settings["spark.driver.memory"] = f"{memory >> 20}m"
    return settings


def _refusal(error: Exception) -> InputError:
    """What Spark says when it cannot be started may hold addresses with passwords: only its kind is shown."""
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    return InputError.of(
        Field("engine", "spark"),
        f"Spark could not be started ({condition})",
        f"it needs Java 17 or later, or {REMOTE} names a server; pyspark and spark-shell say more",
    )


@contextmanager
def _silent() -> Iterator[None]:
    """Java writes its log where our stderr goes, and the log of a failed task quotes rows."""
    sys.stderr.flush()
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        try:
            kept = os.dup(2)
        except OSError:
            yield
            return
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
