"""The session of Spark that reads files: the one that runs already, the server that SPARK_REMOTE names, or a
new one, with the master that Spark is configured with, which is this machine unless another is said."""

from __future__ import annotations

import atexit
import logging
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from paretonym.budget import usable_cores
from paretonym.errors import Field, InputError
from paretonym.extras import require

REMOTE = "SPARK_REMOTE"
REMOTE_PORT = 15002
# Seconds until a server has to answer: Spark's own client tries for ten minutes.
PATIENCE = 10
CALM = {
    # A bar on the terminal would spoil our own.
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
}

# The Java of a Spark that was started here, and the seconds that it gets to remove its files.
_started: list[subprocess.Popen[bytes]] = []
FAREWELL = 30

MUSL = Path("/lib/ld-musl-x86_64.so.1")
SNAPPY = "org/xerial/snappy/native/Linux/x86_64/libsnappyjava.so"


def open_session(memory: int | None) -> Any:
    """A session of Spark. One that is started here gets `memory` bytes, and ends with the process."""
    require("spark", str(Field("engine", "spark")))
    with _without_warnings():
        from pyspark.sql import SparkSession

        if (active := SparkSession.getActiveSession()) is not None:
            return active
        _check_remote(os.environ.get(REMOTE, ""))
        # Readers of ours run in Spark's workers: in this Python, where no other was chosen.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("paretonym")
        if REMOTE not in os.environ:
            builder = builder.config(map=_settings(memory))
        try:
            with _silent(), _own_interruption(), _noting_java():
                session = builder.getOrCreate()
        except Exception as error:
            end_session()
            raise _refusal(error) from None
        except BaseException:
            end_session()
            raise
        if REMOTE not in os.environ and str(session.conf.get("spark.master")).startswith("local"):
            # Two hundred, as for a cluster, would take longer to start than to count.
            session.conf.set("spark.sql.shuffle.partitions", str(2 * usable_cores()))
        return session


def end_session() -> None:
    """End the Spark that was started here, if one was, with whatever it computes: one that is interrupted
    would go on until its tasks have ended, and one that was still starting for ever."""
    # The gateway would report that nobody answers any more.
    logging.getLogger("py4j").propagate = False
    while _started:
        java = _started.pop()
        java.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                java.wait(FAREWELL)
        finally:
            # It takes too long, or somebody has pressed Ctrl-C again.
            java.kill()
            _forget_session()


@contextmanager
def ending_when_interrupted() -> Iterator[None]:
    """While Spark computes: Ctrl-C, or a request to end, ends the Spark that was started here before anything
    else is done. PySpark would first wait for its tasks, whatever they take, and raise an error of its own
    when these are gone.

    Another thread ends it. The main one may wait for an answer that only comes when Spark has ended: a signal
    that reaches it just before it begins to wait does not wake it, nor one that the system gives to another
    thread. Of signals that are ignored nothing is heard here.
    """
    if not _started or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, told = socket.socketpair()
    told.setblocking(False)
    interrupted = threading.Event()

    def watch() -> None:
        while number := heard.recv(1):
            if number[0] in (signal.SIGINT, signal.SIGTERM):
                interrupted.set()
                end_session()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    try:
        yield
    except Exception:
        if interrupted.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.set_wakeup_fd(before)
        told.close()
        watcher.join()
        heard.close()


def _forget_session() -> None:
    """PySpark would go on to ask a Java that has ended."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = None


@contextmanager
def _noting_java() -> Iterator[None]:
    """Note the process that PySpark starts: until it answers, nobody else knows it."""
    from pyspark import java_gateway

    start = java_gateway.Popen

    def noted(*command: Any, **options: Any) -> Any:
        _started.append(start(*command, **options))
        return _started[-1]

    java_gateway.Popen = noted
    try:
        yield
    finally:
        java_gateway.Popen = start


def _settings(memory: int | None) -> dict[str, str]:
    settings = dict(CALM)
    if memory is not None:
        settings["spark.driver.memory"] = f"{memory >> 20}m"
    if options := java_options():
        settings["spark.driver.extraJavaOptions"] = options
    return settings


def java_options() -> str:
    """Where musl is installed beside glibc, Spark takes the machine for one of musl's and loads a library for
    snappy that does not fit: it is given the other one, which it has too."""
    if not MUSL.exists() or platform.libc_ver()[0] != "glibc":
        return ""
    import pyspark

    folder = tempfile.mkdtemp(prefix="paretonym-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for jar in Path(pyspark.__file__).parent.glob("jars/snappy-java-*.jar"):
        with zipfile.ZipFile(jar) as packed:
            (Path(folder) / Path(SNAPPY).name).write_bytes(packed.read(SNAPPY))
    return f"-Dorg.xerial.snappy.lib.path={folder} -Dorg.xerial.snappy.lib.name={Path(SNAPPY).name}"


def _check_remote(address: str) -> None:
    """Refuse a server that does not answer. An address may hold a token, so only the host is shown."""
    if not address.startswith("sc://"):
        return
    host, _, port = address.removeprefix("sc://").split("/")[0].rpartition("@")[2].partition(":")
    number = int(port) if port.isdigit() else REMOTE_PORT
    try:
        socket.create_connection((host, number), timeout=PATIENCE).close()
    except OSError:
        raise InputError.of(
            f"{REMOTE}, sc://{host}:{number}",
            "no server of Spark Connect answers there",
            f"check the address, or unset {REMOTE} to start Spark on this machine",
        ) from None


def _refusal(error: Exception) -> InputError:
    """What Spark says when it cannot be started may hold addresses with passwords: only its kind is shown."""
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    place = Field("engine", "spark")
    if condition in ("JAVA_GATEWAY_EXITED", "FileNotFoundError"):
        return InputError.of(
            place,
            "Spark needs Java 17 or later, which could not be started",
            f"install it (openjdk-17-jre-headless) or set JAVA_HOME, or let {REMOTE} name a server",
        )
    return InputError.of(
        place,
        f"Spark could not be started ({condition})",
        "start it by itself, with pyspark or spark-shell, and see what it reports",
    )


@contextmanager
def _own_interruption() -> Iterator[None]:
    """Ctrl-C stays what it was: Spark would take it for itself, ask Java in the middle of another question,
    and write tracebacks when it comes while an answer is waited for."""
    from pyspark.core import context

    logging.getLogger().addFilter(_is_not_of_the_gateway)
    context.signal = SimpleNamespace(SIGINT=signal.SIGINT, signal=lambda number, handler: None)
    try:
        yield
    finally:
        context.signal = signal


def _is_not_of_the_gateway(record: logging.LogRecord) -> bool:
    """The gateway to Java logs with no name, whatever goes wrong, before it raises it."""
    return Path(record.pathname).parent.name != "py4j"


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


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Those of Spark are about versions of pandas, which is not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
