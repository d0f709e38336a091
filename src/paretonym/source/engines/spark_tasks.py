"""Work of ours in Spark's workers: a function and its messages go there, short answers come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from paretonym.source.counted_table import Rows, Task


def in_spark(session: Any, task: Task, sent: Iterable[bytes]) -> list[str]:
    """The answer of each task, in any order. Paretonym must be installed where the workers are. A task that
    fails, or whose worker is lost, is run again: it must do no harm twice."""

    def answers(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for message in batch.column(1).to_pylist():
                yield pa.record_batch({"said": [task(message)]})

    frame = _spread(session, sent).mapInArrow(answers, "said string")
    return [str(answer) for answer in frame.toArrow()[0].to_pylist()]


def frame_in_spark(session: Any, rows: Rows, sent: Iterable[bytes], types: Any) -> Any:
    """A frame of the rows that messages stand for, in the order of the messages. They are made when Spark
    computes it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    def made(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for message in batch.column(1).to_pylist():
                yield from rows(message)

    return _spread(session, sent).mapInArrow(made, from_arrow_schema(types))


def _spread(session: Any, sent: Iterable[bytes]) -> Any:
    """A task for each message."""
    messages = pa.array(sent, pa.binary())
    table = pa.table({"place": pa.array(range(len(messages)), pa.int64()), "sent": messages})
    return session.createDataFrame(table).repartitionByRange(len(messages), "place")
