"""Work of ours in Spark's workers: a function and its messages go there, short answers come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from paretonym.source.counted_table import Task


def in_spark(session: Any, task: Task, sent: Iterable[bytes]) -> list[str]:
    """The answer of each task, in any order. Paretonym must be installed where the workers are. A task that
    fails, or whose worker is lost, is run again: it must do no harm twice."""
    messages = pa.table({"sent": pa.array(sent, pa.binary())})

    def answers(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for message in batch.column(0).to_pylist():
                yield pa.record_batch({"said": [task(message)]})

    spread = session.createDataFrame(messages).repartition(len(messages))
    return [str(answer) for answer in spread.mapInArrow(answers, "said string").toArrow()[0].to_pylist()]
