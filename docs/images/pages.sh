#!/usr/bin/env bash
# Draws the pictures of pages in this folder: pages.sh BUILD
#
# Four of reports and two of the page of a class, all of submissions in tests/submissions that are graded for it. They
# need what `tests/page/run.sh --install` installs, and pngquant, which makes them small.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../..
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v pngquant >/dev/null || { echo "install pngquant" >&2 && exit 1; }

report() {  # NAME ASSIGNMENT/KIND/FILE OPTION...
    (cd "$source/tests/submissions/${2%/*}" && "$build/bin/cugrade" check "${2##*/}" -a "${2%%/*}" --backend emulator \
        --out "$work/$1.html" "${@:3}" >/dev/null)
}
report report-barrier histogram/wrong/no_barrier_after_clearing.cu --task bytes
report report-race histogram/wrong/no_atomics.cu --task bytes
report report-slow reduction/slow/neighbouring_pairs.cu --task sum
report report-compile histogram/wrong/does_not_compile.cu
mkdir "$work/class"
cp "$source"/tests/submissions/histogram/{correct,slow,wrong}/*.cu "$work/class"
"$build/bin/cugrade" batch "$work/class" -a histogram --backend emulator --out "$work/graded" >/dev/null
cp "$work/graded/index.html" "$work/class.html"

MODULES=$build/page CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome)} \
    node "$here/pages.mjs" "$work" report-{barrier,race,slow,compile} class-light class-dark
for picture in "$work"/*.png; do
    pngquant --force --strip --output "$here/$(basename "$picture")" 64 "$picture"
done
