#!/usr/bin/env bash
# Configures (once) and builds one preset; silent when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
if [ ! -f "build/$preset/build.ninja" ]; then
    options=()
    # For this machine only, if it is from 2013 or later; `make install` takes all variants.
    if [ "$preset" = release ] && /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null |
        grep -q 'x86-64-v3 (supported'; then
        options+=(-DCUGRADE_EMULATOR_ISAS=x86-64-v3)
    fi
    # What is the same in both builds is taken from the first one.
    if [ "$preset" = sanitize ] && [ -d build/release/tests/checkers ]; then
        options+=("-DCUGRADE_CHECKER_PTX=$PWD/build/release/tests/checkers"
            "-DCUGRADE_GRADER_KERNELS=$PWD/build/release/harness/grader/kernels.o")
    fi
    cmake --preset "$preset" "${options[@]}" >"/tmp/cugrade-configure.$$" 2>&1 || {
        cat "/tmp/cugrade-configure.$$" >&2
        rm -f "/tmp/cugrade-configure.$$"
        exit 1
    }
    rm -f "/tmp/cugrade-configure.$$"
fi
cmake --build --preset "$preset" -- --quiet
