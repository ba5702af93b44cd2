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

# report COMMAND...: tests/cli/report.py, whose first lines say what there is.
report() { "${PYTHON:-python3}" "$SOURCE/tests/cli/report.py" "$@"; }

# valid FILE SCHEMA: as the repository's SCHEMA says; not asked where the build was configured with -DCUGRADE_SCHEMA_TEST=OFF.
valid() {
    [ "${CUGRADE_SCHEMA_TEST:-ON}" = OFF ] || report valid "$1" "$SOURCE/$2" || fail "$1 is not as $2 says"
}

# with_gnuplot: gnuplot is optional. Where it is not installed, a stand-in comes into the PATH that keeps what it
# should draw as the figure: so cugrade's part (the call, the titles) is tested everywhere.
with_gnuplot() {
    ! command -v gnuplot >/dev/null || return 0
    mkdir "$work/stand-in"
    cat >"$work/stand-in/gnuplot" <<'EOF'
#!/bin/sh
figure=$(sed -n "s/^set output ['\"]\(.*\)['\"]$/\1/p" "$1")
case $figure in
    *.svg) { echo '<svg>' && cat "$1"; } >"$figure" ;;
    *.png) printf '\211PNG' >"$figure" ;;
    *) exit 1 ;;
esac
EOF
    chmod +x "$work/stand-in/gnuplot"
    export PATH=$work/stand-in:$PATH
}

# json FILE PATH TEST [VALUE...]: the values at PATH of the document pass TEST.
json() { report holds "$@" || fail "$*"; }
