#!/usr/bin/env bash
# Configures (once) and builds one preset; silent when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" -DCUGRADE_DEVELOPER_BUILD=ON >"/tmp/cugrade-configure.$$" 2>&1 || {
        cat "/tmp/cugrade-configure.$$" >&2
        rm -f "/tmp/cugrade-configure.$$"
        exit 1
    }
    rm -f "/tmp/cugrade-configure.$$"
fi
cmake --build --preset "$preset" -- --quiet
