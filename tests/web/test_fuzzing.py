"""Every request from its OpenAPI description, with values nobody would send: no mistake of ours comes out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from starlette.testclient import TestClient

from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.web.app import application
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.request_guard import Door
from paretonym.interfaces.web.schema_drafts import Upload
from tests.web.conftest import HOST, TABLES


@pytest.fixture(scope="module")
def fuzzed(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    run = shutil.copytree(made_run, tmp_path_factory.mktemp("fuzzed") / "run")
    explorer, door = Explorer(in_shell), Door.of(8123)
    explorer.runs.open(run)
    explorer.upload = Upload(TABLES / "survey.csv", "survey.csv")
    base = f"http://{HOST}"
    client = TestClient(
        application(explorer, door), base_url=base, headers={"origin": base}, raise_server_exceptions=False
    )
    client.get("/open", params={"token": door.token})
    yield client
    explorer.close()


# Jobs are real processes; they have tests of their own.
SENT = ("method", "url", "params", "json", "content", "headers")
SPARED = ("/api/upload", "/api/example", "/api/explore")


@pytest.mark.slow
def test_no_request_breaks_anything(fuzzed: TestClient) -> None:
    schema = schemathesis.openapi.from_dict(fuzzed.get("/api/openapi.json").json())
    operations: list[Any] = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    asked: set[str] = set()
    for operation in operations:
        if operation.path not in SPARED:
            _fuzz(operation, fuzzed, asked)
    assert len(asked) == len(operations) - len(SPARED)


def _fuzz(operation: Any, client: TestClient, asked: set[str]) -> None:
    modes = list(GenerationMode)
    real = {"run": "1", "name": client.get("/api/runs/1").json()["ids"][2]}

    @settings(
        max_examples=15,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
    def tried(case: Any) -> None:
        if case.path_parameters and len(repr(case)) % 4:
            # Random names name nothing: mostly the real ones are put in.
            case.path_parameters.update({k: v for k, v in real.items() if k in case.path_parameters})
        wanted = case.as_transport_kwargs(base_url=f"http://{HOST}")
        wanted["content"] = wanted.pop("data", None)
        known = {name: wanted[name] for name in SENT if wanted.get(name)}
        try:
            answer = client.request(**known)
        except (ValueError, TypeError, httpx2.InvalidURL, httpx2.LocalProtocolError):
            # What the client cannot even send.
            return
        asked.add(operation.label)
        assert answer.status_code < 500, (operation.path, known, answer.text)
        assert answer.headers["content-security-policy"]

    tried()


def test_the_description_is_complete(fuzzed: TestClient) -> None:
    paths = fuzzed.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/state", "/api/measures", "/api/runs/{run}",
        "/api/runs/{run}/ask", "/api/runs/{run}/points/{name}", "/api/runs/{run}/points/{name}/rows",
        "/api/runs/{run}/points/{name}/release", "/api/runs/{run}/points/{name}/report",
        "/api/runs/{run}/schema", "/api/files/{key}", "/api/upload", "/api/example", "/api/review",
        "/api/explore", "/api/job", "/api/job/cancel", "/api/words", "/api/reading",
        "/api/runs/{run}/points/{name}/utility", "/api/schema",
        "/api/values", "/api/runs/{run}/risk", "/api/hierarchy", "/api/audit",
            "/api/audit/manifest", "/api/runs/{run}/compare", "/api/runs/{run}/purpose",
    }  # fmt: skip
