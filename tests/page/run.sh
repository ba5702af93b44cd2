#!/usr/bin/env bash
# Opens the pages of a class and of reports in a headless Chromium: page_test.mjs. The two programs write them.
#
#     run.sh TEST_RECORD TEST_REPORT BUILD               exit code 77 (skipped) where Chromium, node or its modules are missing
#     run.sh --install TEST_RECORD TEST_REPORT BUILD     installs what is missing first: Debian's and npm's packages
#
# The modules lie in BUILD/page, because files of the repository decide whether its tests run again. CHROMIUM names
# another browser.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
install=''
while [[ ${1:-} == --* ]]; do
    case $1 in
        --install) install=1 ;;
        *) sed -n '2,8p' "$0" >&2 && exit 1 ;;
    esac
    shift
done
test_record=$1 test_report=$2 build=$(cd "$3" && pwd)
modules=$build/page

find_chromium() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome; do
        command -v "$name" && return
    done
    return 1
}
if [ "$install" ]; then
    missing=()
    command -v npm >/dev/null || missing+=(nodejs npm)
    find_chromium >/dev/null || missing+=(chromium)
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
    fi
    mkdir -p "$modules"
    cp "$here"/package*.json "$here/.npmrc" "$modules"
    npm ci --silent --prefix "$modules"
fi

skip() {
    echo "SKIPPED, no page was opened: $1; scripts/test_all.sh installs it" >&2
    exit 77
}
command -v node >/dev/null || skip "node is not installed"
CHROMIUM=$(find_chromium) || skip "Chromium is not installed"
[ -d "$modules/node_modules/puppeteer-core" ] || skip "the modules of tests/page/package.json are not installed"

"$test_record" "[.write]" >/dev/null
"$test_report" "[.write]" >/dev/null
export CHROMIUM MODULES=$modules PAGES=$build/tests/page
exec node --test --test-reporter=spec "$here/page_test.mjs"
