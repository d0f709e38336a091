#!/bin/sh
# The page without a browser: its pure functions (node --test), biome's rules, and the types that tsc infers. Tools of
# npm come into .venv-lint; what cannot be had is named and skipped.
set -eu
cd "$(dirname "$0")/.."
MOST_TYPE_ERRORS=15  # Only falls: elements that the page knows by their ids have no types.
PAGE=src/paretonym/interfaces/web/static
if ! command -v node >/dev/null; then
    echo "page: skipped, there is no node here"
    exit 0
fi
node --test --test-reporter=dot tests/page/*.test.mjs
echo "page: its pure functions are right"
if [ ! -x .venv-lint/node_modules/.bin/biome ] && ! { command -v npm >/dev/null &&
    npm install --silent --no-fund --no-audit --prefix .venv-lint @biomejs/biome@2 typescript@5 >/dev/null 2>&1; }; then
    echo "page: biome and tsc are skipped, npm's registry cannot be reached"
    exit 0
fi
.venv-lint/node_modules/.bin/biome lint --config-path=scripts/biome.json --diagnostic-level=error "$PAGE"
errors=$(.venv-lint/node_modules/.bin/tsc --noEmit --allowJs --checkJs --skipLibCheck --target es2022 --module esnext \
    --moduleResolution bundler --lib es2023,dom,dom.iterable "$PAGE"/*.js | grep "error TS" || true)
count=$(printf '%s' "$errors" | grep -c . || true)
echo "page: tsc infers $count type errors, at most $MOST_TYPE_ERRORS are allowed"
[ "$count" -le "$MOST_TYPE_ERRORS" ] || { printf '%s\n' "$errors"; exit 1; }
