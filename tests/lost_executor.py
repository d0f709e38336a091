"""A cluster of Spark on this machine that loses executors: one while rows are counted, one in the middle of a
part of the release. Run by a test in a process of its own, since a process has one Spark:
`python -m tests.lost_executor FOLDER`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import paretonym
from paretonym import Study
from paretonym.release import release_parts
from paretonym.source.engines.spark_session import CALM, java_options
from tests.spark_session import BRIEF

# The part of a line of Java's options that an executor is known by.
EXECUTOR = b"CoarseGrainedExecutorBackend"


def main(folder: Path, table: Any, schema: Any, part_rows: int) -> None:
    session = cluster()
    frame = session.createDataFrame(table).repartition(4)
    counted = frame.mapInArrow(dying_rows(folder / "lost-while-counting"), frame.schema)
    study = Study(counted, schema)
    front = study.explore("k", "loss", suppress="2%")
    front.save(folder / "run")
    release_parts.PART_ROWS = part_rows
    source: Any = study.source
    tasks, moment = source.tasks, folder / "lost-in-a-part"
    dying = replace(source, tasks=lambda task, sent: tasks(dying_task(task, moment), sent))
    vars(study)["source"] = dying
    chosen = next(each for each in front if each["k"] < 60)
    chosen.release(folder / "parts")
    session.stop()


def cluster() -> Any:
    """Two executors, each in a Java of its own."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    quick = f"{BRIEF} {java_options()}"
    settings = {
        **CALM,
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": quick,
        "spark.executor.extraJavaOptions": quick,
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(
            [str(Path(paretonym.__file__).parents[1]), str(Path(__file__).parents[1])]
        ),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        # Nobody waits for an executor that is gone, neither to run near its rows nor to fetch them there.
        "spark.locality.wait": "0s",
        "spark.shuffle.io.retryWait": "100ms",
    }
    return SparkSession.builder.master("local-cluster[2,1,512]").config(map=settings).getOrCreate()


def dying_rows(moment: Path) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Rows as they are; in the first task, the executor is lost after some of them."""

    def rows(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch.slice(0, 1)
            if is_first(moment):
                lose_executor()
            yield batch.slice(1)

    return rows


def dying_task(task: Callable[[bytes], str], moment: Path) -> Callable[[bytes], str]:
    """A task; the executor is lost once in the middle of its file."""

    def half(part: Any, draft: Path, ending: str) -> None:
        draft.write_bytes(b"PAR1 and no more")
        lose_executor()

    def run(sent: bytes) -> str:
        if is_first(moment):
            vars(release_parts)["write_release"] = half
        return task(sent)

    return run


def is_first(moment: Path) -> bool:
    """Whether nobody came here before."""
    try:
        moment.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def lose_executor() -> None:
    """End the executor that runs this, with its Java: the parent of the process that starts its workers."""
    stat = Path(f"/proc/{os.getppid()}/stat").read_text()
    java = int(stat.rpartition(")")[2].split()[1])
    if EXECUTOR in Path(f"/proc/{java}/cmdline").read_bytes():
        os.kill(java, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("this does not run in an executor of its own")


if __name__ == "__main__":
    from tests.unit.release.test_release_parts import SCHEMA, TABLE

    main(Path(sys.argv[1]), TABLE, SCHEMA, 120)
