"""One Spark for all tests of a process, in a Java of its own: classic sessions, and the server of Spark
Connect in the same Java, so that both are tried for one start."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from functools import cache
from typing import Any

import pytest

NEEDS_JAVA = pytest.mark.skipif(
    shutil.which("java") is None, reason="Spark needs Java (openjdk-17-jre-headless)"
)
# In one worker of pytest-xdist, with --dist loadgroup: a Spark takes a gigabyte and twenty seconds.
ONE_SPARK = pytest.mark.xdist_group("spark")
ZONE = "Europe/Berlin"
# A Java that is started for a minute: little is worth compiling, and Spark's own classes are well-formed.
BRIEF = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)


@cache
def spark() -> Any:
    """The classic session."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": ZONE,
        # Moments without a zone stay without one when a frame is made of Arrow.
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.driver.extraJavaOptions": BRIEF,
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(_port()),
    }
    # A task may fail three times, as in a cluster.
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@cache
def connected() -> Any:
    """A session of Spark Connect with the same Spark."""
    from pyspark.sql.connect.session import SparkSession

    port = spark().conf.get("spark.connect.grpc.binding.port")
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    for name in ("spark.sql.session.timeZone", "spark.sql.timestampType"):
        session.conf.set(name, spark().conf.get(name))
    return session


@cache
def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
