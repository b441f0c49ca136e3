#!/bin/sh
# Checks that this machine has what a build needs, and makes .venv. Plain sh, since nothing else is there yet.
#
#   tools/setup.sh need TOOL...   say in one line what to install for each missing TOOL (python rust cc)
#   tools/setup.sh venv           make .venv, or make it anew where it is broken, moved or too old
#   tools/setup.sh build COMMAND  run maturin without its remarks: cargo's progress and whatever goes wrong stay
#   tools/setup.sh expect TARGET  say how long the first run takes, if this is the first run
#
# PYTHON names the interpreter to use; without it the first of the usual names that is new enough.
set -eu

min_python="3.11"
fit='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11) or sys.implementation.name != "cpython")'

fits() { "$1" -c "$fit" >/dev/null 2>&1; }

find_python() {
    for name in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if fits "$name"; then
            echo "$name"
            return 0
        fi
        # A named interpreter is used or refused, never replaced in silence.
        [ -n "${PYTHON:-}" ] && return 1
    done
    return 1
}

say_python() {
    if [ -n "${PYTHON:-}" ]; then
        echo "PYTHON=$PYTHON does not run as CPython $min_python or later with venv: name one that does" >&2
    else
        echo "Python $min_python or later is missing: install it with its venv module (Debian: python3 python3-venv), or name it with PYTHON=" >&2
    fi
}

need_rust() {
    wanted=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' Cargo.toml)
    if ! command -v cargo >/dev/null 2>&1 || ! found=$(rustc --version 2>/dev/null); then
        echo "Rust $wanted or later is missing (no cargo): install it with rustup, as rust-lang.org says" >&2
        return 1
    fi
    found=$(echo "$found" | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
    if [ "${found%%.*}" -eq "${wanted%%.*}" ] && [ "${found#*.}" -lt "${wanted#*.}" ]; then
        echo "Rust $found is too old: run \`rustup update\` for $wanted or later" >&2
        return 1
    fi
}

need_cc() {
    for name in "${CC:-cc}" cc gcc clang; do
        # shellcheck disable=SC2086  # CC may hold options
        command -v $name >/dev/null 2>&1 && return 0
    done
    echo "A C compiler is missing (Rust links with it): install one (Debian: build-essential; macOS: xcode-select --install)" >&2
    return 1
}

need() {
    missing=0
    for tool in "$@"; do
        case "$tool" in
            python) find_python >/dev/null || { say_python; missing=1; } ;;
            rust) need_rust || missing=1 ;;
            cc) need_cc || missing=1 ;;
            *) echo "setup.sh: need: no such tool: $tool" >&2; exit 2 ;;
        esac
    done
    return "$missing"
}

# A virtual environment holds absolute paths, so one that was moved or whose interpreter is gone is worth nothing.
make_venv() {
    if fits .venv/bin/python && grep -qF " $(pwd -P)/.venv" .venv/pyvenv.cfg; then
        mkdir -p .venv/.stamps
        return 0
    fi
    python=$(find_python) || { say_python; return 1; }
    echo "Making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
    mkdir -p .venv/.stamps
}

# What is dropped are the remarks of a build that goes well, by their words: anything unknown is shown. Pip says only
# what is wrong. A pipe's status is its last command's, so the build's own comes by a channel of its own.
build() {
    # Cargo sees a pipe here, and would drop its colors in a terminal too.
    if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
        export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-always}"
    fi
    export PIP_QUIET=1
    exec 4>&1
    status=$({ { { "$@" && echo 0 >&3; } || echo "$?" >&3; } 2>&1 | without_remarks >&4 || :; } 3>&1)
    exec 4>&-
    return "${status:-130}"
}

without_remarks() {
    LC_ALL=C grep -a --line-buffered -v \
        -e '^[^ ]* Building a mixed python/rust project$' -e '^[^ ]* Found CPython ' -e '^[^ ]* Found pyo3 bindings ' \
        -e '^[^ ]* Using build options locked from ' -e '^[^ ]* Built wheel for ' \
        -e '^[^ ]* Setting installed package as editable$' -e '^[^ ]* Installed piecework-'
}

expect() {
    [ -e .venv/.stamps/extension ] && return 0
    case "$1" in
        demo) echo "First run: about 4 minutes on two cores, most of it compiling. Later runs start at once." ;;
        test) echo "First run: about half an hour on two cores: compiling, fetching what the tests compare with, and the tests." ;;
        *) echo "First run: about 5 minutes on two cores, most of it compiling." ;;
    esac
}

command=${1:?need, venv, build or expect}
shift
case "$command" in
    need) need "$@" ;;
    venv) make_venv ;;
    build) build "$@" ;;
    expect) expect "${1:?a target}" ;;
    *) echo "setup.sh: no such command: $command" >&2; exit 2 ;;
esac
