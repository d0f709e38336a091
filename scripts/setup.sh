#!/bin/sh
# Make .venv and install into it what paretonym needs. Safe to call again: it does only what is left to do.
#
#   scripts/setup.sh run      what running needs
#   scripts/setup.sh dev      what running and testing need
#   scripts/setup.sh check    only say which Python would be used
#
# PYTHON=/path/to/python chooses the Python; otherwise the best one on the PATH is taken.
# A file .venv/unfinished stands there while something is being installed: whoever finds it knows that the last
# set-up was interrupted, and starts again from nothing.
set -euf

cd "$(dirname "$0")/.."
wanted=${1:-run}

say() { printf 'Setting up: %s\n' "$*" >&2; }
stop() { printf 'paretonym: %s\n' "$*" >&2; exit 1; }

# --- which Python ------------------------------------------------------------------------------------------

# The version ("3.12") of a Python that runs at all: a pyenv shim may exist and yet fail.
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
new_enough() { [ "${1%%.*}" -gt 3 ] || { [ "${1%%.*}" -eq 3 ] && [ "${1#*.}" -ge 11 ]; }; }
has_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

python='' ; too_old='' ; without_venv=''

# Sets `python` if this one will do, else remembers why not.
consider() {
    version=$(version_of "$1") || return 0
    case $version in [0-9]*.[0-9]*) ;; *) return 0 ;; esac
    if ! new_enough "$version"; then
        too_old=${too_old:-"$version ($1)"}
    elif ! has_venv "$1"; then
        without_venv=${without_venv:-"$version ($1)"}
    else
        python=$1
    fi
}

# Versions for which every dependency has ready-made wheels come first.
search_path() {
    for name in python3.13 python3.12 python3.11 python3 python python3.14; do
        old_ifs=$IFS ; IFS=:
        for folder in $PATH; do
            IFS=$old_ifs
            [ -n "$python" ] || [ ! -x "$folder/$name" ] || consider "$folder/$name"
        done
        IFS=$old_ifs
    done
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        found=$(command -v "$PYTHON") || stop "there is no Python at PYTHON=$PYTHON"
        consider "$found"
    else
        search_path
    fi
    [ -n "$python" ] || explain
}

explain() {
    [ -z "$without_venv" ] || stop "Python $without_venv cannot make virtual environments; install that part of it first (Debian, Ubuntu: apt install python${without_venv%% *}-venv)"
    [ -z "$too_old" ] || stop "Python 3.11 or newer is needed, found only $too_old; install a newer one or name it: make demo PYTHON=/path/to/python3.12"
    stop "Python 3.11 or newer is needed, found none that runs; install one or name it: make demo PYTHON=/path/to/python3.12"
}

# --- what is there already ---------------------------------------------------------------------------------

# A stamp holds what it was made from. The scripts inside .venv name its folder, so a moved one is made again.
# The kernels are compiled when paretonym is installed, so it is installed again when their sources change.
stamp() {
    (LC_ALL=C; set +f; cat pyproject.toml dev.lock hatch_build.py scripts/build_kernels.py src/paretonym/engine/counts/kernels/* 2>/dev/null | cksum)
}
ready() { [ -f ".venv/ready-$1" ] && [ "$(cat ".venv/ready-$1")" = "$(stamp)" ]; }
same_folder() { [ ! -f .venv/folder ] || [ "$(cat .venv/folder)" = "$(pwd -P)" ]; }
same_python() { [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of .venv/bin/python)" ]; }
works() { .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
usable() { [ ! -e .venv/unfinished ] && works && same_folder && same_python; }

# --- making it ---------------------------------------------------------------------------------------------

make_environment() {
    find_python
    say "a virtual environment with Python $(version_of "$python") ($python)"
    rm -rf .venv
    mkdir .venv
    : > .venv/unfinished
    "$python" -m venv .venv || stop "$python could not make a virtual environment in $(pwd)"
    pwd -P > .venv/folder
    fresh=yes
}

# pip 25.1 is the first to know dependency groups.
new_pip() {
    .venv/bin/python -c 'import pip, sys; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (25, 1))' && return 0
    say "a newer pip"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' || failed
}

install() { .venv/bin/python -m pip install --disable-pip-version-check "$@" || failed; }

# Whether dev.lock names the files that the tests last passed with, for this Python on this machine.
locked() {
    [ -f dev.lock ] || return 1
    case $(head -n 1 dev.lock) in "# Python $(version_of .venv/bin/python) on $(uname -sm);"*) return 0 ;; esac
    return 1
}

# pip undoes a failed installation, so what worked before still does; a new environment is made again.
failed() {
    [ -n "$fresh" ] || rm -f .venv/unfinished
    stop "the installation failed (pip says why above); fix that and run the same command again"
}

# An interrupted pip may leave half a package behind: `unfinished` stays.
trap 'printf "\nparetonym: interrupted; run the same command again\n" >&2; exit 130' INT TERM

fresh=''
case $wanted in
    check) find_python; printf 'Python %s (%s)\n' "$(version_of "$python")" "$python" ; exit 0 ;;
    run | dev) ;;
    *) stop "scripts/setup.sh knows run, dev and check, not '$wanted'" ;;
esac

if usable; then
    ! ready "$wanted" || exit 0
else
    make_environment
fi

: > .venv/unfinished
rm -f .venv/ready-run .venv/ready-dev
if [ "$wanted" = dev ]; then
    new_pip
    say "paretonym, what it needs, and the tools for testing (once; a few minutes at most)"
    if locked; then
        install --require-hashes --requirement dev.lock
        install --no-deps --editable .
    else
        install --editable '.[all]' --group dev
    fi
    stamp > .venv/ready-dev
else
    say "paretonym and what it needs (once; a minute or two)"
    install --editable '.[all]'
fi
stamp > .venv/ready-run
rm -f .venv/unfinished
say "done"
