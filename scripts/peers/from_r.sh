#!/bin/sh
# Runs the block `r vignette` of docs/how-to/from-r.md in R, with the Python of .venv, where R and reticulate are
# installed (Debian: r-base-core r-cran-reticulate); says so where they are not.
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)
if ! command -v Rscript >/dev/null || ! Rscript -e 'library(reticulate)' >/dev/null 2>&1; then
    echo "from R: skipped, Rscript and reticulate are not installed"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -n '/^```r vignette$/,/^```$/p' docs/how-to/from-r.md | sed '/^```/d' > "$folder/vignette.R"
cp examples/tables/survey.csv examples/tables/survey.toml "$folder"
cd "$folder"
export RETICULATE_PYTHON="$root/.venv/bin/python" PARETONYM_STATE="$folder/state"
answer=$(Rscript vignette.R)
expected='TRUE 
TRUE 
TRUE '
if [ "$answer" != "$expected" ]; then
    printf 'from R: unexpected\n%s\n' "$answer" >&2
    exit 1
fi
echo "from R: the vignette gives a release that is audited"
