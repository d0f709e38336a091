# The two commands that matter: `make demo` and `make test`. Both set up .venv by themselves, once.
# PYTHON=/path/to/python3.12 chooses the Python that .venv is made with.

.PHONY: help demo lint check test test-rest test-all nightly format coverage bench bench-gate bench-release growth large-lattices scale peers wheels sanitize docs release-check lint-files clean setup
.NOTPARALLEL:

help:
	@echo "make demo     set up what running needs, then show the main job on the built-in example"
	@echo "make test     set up the development tools too, then run every check and the tests, of long ones some cases"
	@echo "make test-rest   run what make test leaves out"
	@echo "make test-all run every check and every test"
	@echo "make check    run ruff, mypy and the quick tests"
	@echo "make nightly  run every test with cases that were never tried before"
	@echo "make format   let ruff fix and format the Python files"
	@echo "make coverage run the tests with branch coverage, and hold its floor"
	@echo "make bench    run the benchmarks"
	@echo "make bench-gate   fail if this version is slower than its parent commit (BASE=… for another one)"
	@echo "make bench-release   time a release of ten million rows beside DuckDB sorting them"
	@echo "make growth   measure how time and memory grow with rows, lattice, values and objectives"
	@echo "make large-lattices   search lattices of up to some thousand million nodes, a minute each"
	@echo "make scale    count, explore, release and audit 10^5 to 10^7 rows in every engine, beside its own GROUP BY (a quarter of an hour)"
	@echo "make peers    let pycanon measure our releases and others split rows, in environments of their own (minutes)"
	@echo "make wheels   build the wheels of every platform and the sdist into dist/, and check them (minutes)"
	@echo "make sanitize run the kernels' tests with kernels that check every access to memory (needs gcc)"
	@echo "make release-check   build the sdist and the wheel, and try them with every Python on this machine (minutes)"
	@echo "make lint-files   lint the workflows, the action and the Dockerfile, with tools from the package indexes"
	@echo "make docs     build the documentation as a site into build/site, every link checked"
	@echo "make clean    remove .venv and what the tools left behind"
	@echo ""
	@echo "PYTHON=/path/to/python3.12 after any of them chooses the Python (3.11 or newer)."

demo:
	@sh scripts/setup.sh run
	@.venv/bin/paretonym demo

setup:
	@sh scripts/setup.sh dev

lint: setup
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy --num-workers auto

test: lint
	.venv/bin/python -m pytest -n auto --dist loadgroup --part sample

test-rest: setup
	.venv/bin/python -m pytest -n auto --dist loadgroup --part rest

test-all: lint
	.venv/bin/python -m pytest -n auto --dist loadgroup

check: lint
	.venv/bin/python -m pytest -n auto --dist loadgroup --part sample -m "not slow" tests/house tests/unit/engine/counts tests/unit/engine/frontier tests/unit/engine/measures tests/unit/engine/recoding tests/unit/tables/schema tests/unit/engine/search
	sh scripts/check_page.sh

nightly: setup
	PARETONYM_CASES=fresh .venv/bin/python -m pytest -n auto --dist loadgroup

format: setup
	.venv/bin/python -m ruff check --fix .
	.venv/bin/python -m ruff format .

bench: setup
	.venv/bin/python -m benchmarks.run
	.venv/bin/python -m benchmarks.local_recoding $(ARX)

BASE = HEAD~1
bench-gate: setup
	.venv/bin/python -m benchmarks.gate $(BASE)

coverage: setup
	.venv/bin/python -m pytest -n auto --dist loadgroup --cov --cov-report=
	.venv/bin/python scripts/check_coverage.py

bench-release: setup
	.venv/bin/python -m benchmarks.release

scale: setup
	.venv/bin/python -m benchmarks.scale

growth: setup
	.venv/bin/python -m benchmarks.growth

large-lattices: setup
	.venv/bin/python -m benchmarks.large_lattices

peers: setup
	sh scripts/peers/run.sh
	sh scripts/peers/mondrian.sh
	sh scripts/peers/from_r.sh
	sh scripts/peers/referee.sh build/referee

docs: setup
	.venv/bin/python scripts/build_docs.py

release-check:
	$${PYTHON:-python3} scripts/release_check.py

lint-files:
	sh scripts/lint_files.sh

wheels:
	sh scripts/wheels.sh

sanitize: setup
	.venv/bin/python scripts/sanitize.py

clean:
	rm -rf .venv .venv-lint .venv-peers .venv-mondrian .venv-wheels .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find src tests benchmarks scripts examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
