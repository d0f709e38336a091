#!/bin/sh
# Synthetic tables of rivals, each in an environment of its own, for `scripts.peers.which_method`:
# `sh scripts/peers/rivals.sh FOLDER ENVIRONMENTS`. Whoever has not finished after an hour has not finished: that is
# a result too. FOLDER/rivals.csv says how long each took, with its version.
set -eu
folder=$1 environments=$2
here=$(cd "$(dirname "$0")" && pwd)
limit=${LIMIT:-3600}

environment() {
    if [ ! -x "$environments/$1/bin/python" ]; then
        "${PYTHON:-python3}" -m venv "$environments/$1"
        shift_name=$1 && shift
        "$environments/$shift_name/bin/python" -m pip install --quiet "$@"
    fi
}

made() {
    table=$1 package=$2 && shift 2
    started=$(date +%s)
    if OMP_NUM_THREADS=1 timeout "$limit" "$environments/$package/bin/python" "$here/rivals.py" "$folder/$table" "$@"
    then ended=$(($(date +%s) - started)); else ended="did not finish"; fi
    version=$("$environments/$package/bin/python" -c "import importlib.metadata as m; print(m.version('$package'))")
    echo "$table,$(echo "$*" | tr ' ' '-'),$package $version,$ended" >> "$folder/rivals.csv"
}

environment syndiffix syndiffix==1.0.8 "pandas<2.3"
environment dpmm dpmm==0.1.9
echo "table,method,package,seconds" > "$folder/rivals.csv"
for table in survey adult; do made $table syndiffix syndiffix; done
for method in mst aim; do
    for table in survey adult; do
        for epsilon in 0.1 1 10; do made $table dpmm $method $epsilon; done
    done
done
