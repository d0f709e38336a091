#!/bin/sh
# A peer measures our releases: an environment of its own, since pycanon pins numpy and pandas.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -x .venv-peers/bin/python ] || ! .venv-peers/bin/python -c "import pycanon" 2>/dev/null; then
    "${PYTHON:-python3}" -m venv .venv-peers
    .venv-peers/bin/python -m pip install --quiet pycanon==1.3.6
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m scripts.peers.recodings "$folder"
.venv-peers/bin/python scripts/peers/pycanon_answers.py "$folder" tests/reference/data/pycanon.json
echo "pycanon's answers are in tests/reference/data/pycanon.json; .venv/bin/pytest tests/reference/test_peers.py compares"
