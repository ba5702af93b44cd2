# Sourced by every script here. $CUGRADE is the program, $SOURCE the repository; $work is a folder of
# the script's own. $CACHE is where builds are kept from one run of the tests to the next; a script
# that is about building sets XDG_CACHE_HOME to a folder in $work.
set -eu
: "${CUGRADE:?path of the program}" "${SOURCE:?path of the repository}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=${CACHE:-$work/cache}
unset CUGRADE_HOME CUGRADE_SECRET NO_COLOR || true
cd "$work"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# expect CODE COMMAND...: the exit code must be CODE; output goes to $work/stdout and $work/stderr.
expect() {
    local want=$1 got=0
    shift
    "$@" >"$work/stdout" 2>"$work/stderr" || got=$?
    [ "$got" = "$want" ] || {
        cat "$work/stdout" "$work/stderr" >&2
        fail "exit code $got, expected $want: $*"
    }
}

# says FILE TEXT: $work/FILE contains TEXT.
says() {
    grep -qF -- "$2" "$work/$1" || {
        cat "$work/$1" >&2
        fail "$1 does not say: $2"
    }
}

# valid FILE SCHEMA: as docs/SCHEMA says, where Python has what validates.
valid() {
    ! python3 -c 'import jsonschema' 2>"$work/stderr" || python3 -c '
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' \
        "$1" "$SOURCE/docs/$2" || fail "$1 is not as docs/$2 says"
}

# json FILE EXPRESSION: the Python expression over the document `d` is true.
json() {
    python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert eval(sys.argv[2]), sys.argv[2]' "$1" "$2" || fail "$1: not $2"
}
