#!/usr/bin/env bash
# Configures (once) and builds one preset, or some of its targets: build.sh PRESET [TARGET...]
# Silent when there is little to do; else it says how far it is.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
if [ ! -f "build/$preset/build.ninja" ]; then
    cmake --preset "$preset" -DCUGRADE_DEVELOPER_BUILD=ON >"/tmp/cugrade-configure.$$" 2>&1 || {
        cat "/tmp/cugrade-configure.$$" >&2
        rm -f "/tmp/cugrade-configure.$$"
        exit 1
    }
    rm -f "/tmp/cugrade-configure.$$"
fi
cmake --build --preset "$preset" -- "$@" | {
    told=0
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
            done=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
            [ "$steps" -gt 20 ] || continue
            [ "$told" != 0 ] || echo "building in build/$preset: $steps steps"
            tenth=$((1 + 10 * done / steps))
            [ "$tenth" -le "$told" ] || [ "$tenth" = 1 ] || echo "  $((10 * (tenth - 1))) %"
            told=$((tenth > told ? tenth : told))
        elif [[ $line != "ninja: Entering directory"* && $line != "ninja: no work to do." ]]; then
            printf '%s\n' "$line"
        fi
    done
}
