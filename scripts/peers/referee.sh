#!/bin/sh
# Anybody's tables, measured alike: rivals' synthetic tables of Adult and of the survey (hours), our methods beside
# them, and our criteria beside anonymeter's. `sh scripts/peers/referee.sh FOLDER`; environments of their own in
# FOLDER/environments. What is there already is not made again.
set -eu
folder=$1
cd "$(dirname "$0")/../.."
mkdir -p "$folder"
[ -d "$folder/tables" ] || .venv/bin/python -m scripts.peers.referee_tables "$folder/tables"
[ -f "$folder/tables/rivals.csv" ] || sh scripts/peers/rivals.sh "$folder/tables" "$folder/environments"
.venv/bin/python -m scripts.peers.which_method "$folder/tables" "$folder/which-method.md"
anonymeter=$folder/environments/anonymeter/bin/python
if [ ! -x "$anonymeter" ]; then
    "${PYTHON:-python3}" -m venv "$folder/environments/anonymeter"
    "$anonymeter" -m pip install --quiet anonymeter==1.1.0
fi
"$anonymeter" scripts/peers/anonymeter_answers.py "$folder/tables" "$folder/anonymeter.json" original mst-1 syndiffix
.venv/bin/python -m scripts.peers.beside_anonymeter "$folder/tables" "$folder/anonymeter.json"
