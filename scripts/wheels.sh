#!/bin/sh
# The wheels of every platform, in an environment of its own: the compiler in it has about 400 MB.
# What is given goes on to build_wheels.py: sh scripts/wheels.sh --only musl-arm64
set -eu
cd "$(dirname "$0")/.."
if [ ! -x .venv-wheels/bin/python ] || ! .venv-wheels/bin/python -c "import hatchling, ziglang" 2>/dev/null; then
    "${PYTHON:-python3}" -m venv .venv-wheels
    .venv-wheels/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
    .venv-wheels/bin/python -m pip install --quiet --disable-pip-version-check --group wheels
fi
exec .venv-wheels/bin/python scripts/build_wheels.py "$@"
