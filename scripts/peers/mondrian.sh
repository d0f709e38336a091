#!/bin/sh
# Other packages' Mondrian beside ours, same rows and quasi-identifiers: some minutes. An environment of its own,
# since they pin old versions; polarfrost does not start without pyspark, although it does not use it here.
set -eu
cd "$(dirname "$0")/../.."
if [ ! -x .venv-mondrian/bin/python ] || ! .venv-mondrian/bin/python -c "import anonypy" 2>/dev/null; then
    "${PYTHON:-python3}" -m venv .venv-mondrian
    .venv-mondrian/bin/python -m pip install --quiet "pandas<3" pyarrow anonypy==0.2.1 anonypyx==0.2.11
    .venv-mondrian/bin/python -m pip install --quiet polarfrost==0.2.1 pyspark || echo "polarfrost cannot be installed"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m scripts.peers.mondrian_table "$folder/adult.csv"
.venv-mondrian/bin/python scripts/peers/mondrian_times.py "$folder/adult.csv" "$folder/times.json"
.venv/bin/python -m benchmarks.mondrian "$folder/times.json"
