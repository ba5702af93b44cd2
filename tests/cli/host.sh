#!/usr/bin/env bash
# What the host's environment lacks: either it is no obstacle, or it is named for what it is.
. "$(dirname "$0")/common.bash"
cp "$SOURCE/reference/patterns/solution.cu" .
echo 'int main() { return getchar() == EOF ? 7 : 8; }' >reads.cu
sed -i '1i #include <cstdio>' reads.cu
# Nothing here is about speed.
check=("$CUGRADE" check solution.cu -a patterns --task map --backend emulator --no-timing)
accepted() {
    says "$1" accepted
    says "$1" 'Score: '
}

# Standard streams that the caller has closed.
expect 0 "${check[@]}" <&-
accepted stdout
"${check[@]}" --out report.txt <&- >&- 2>&- || fail "closed streams: exit code $?"
accepted report.txt
expect 7 "$CUGRADE" run reads.cu <&-

# No cache: a file in its place, or a folder that nothing can be made in. Said once, and no obstacle.
touch file
for folder in "$work/file" /proc; do
    expect 0 env XDG_CACHE_HOME=$folder "${check[@]}"
    accepted stdout
    [ "$(grep -c "warning: $folder/cugrade/builds: the cache cannot be written: .*; going on without one" stderr)" = 1 ] || {
        cat stderr
        fail "it is not said once that there is no cache in $folder"
    }
done
expect 7 env XDG_CACHE_HOME="$work/file" "$CUGRADE" run reads.cu </dev/null
says stderr 'going on without one'
expect 0 env -u XDG_CACHE_HOME HOME=/dev/null "${check[@]}"
accepted stdout
mkdir batch_of_one
cp solution.cu batch_of_one/ada.cu
expect 0 env XDG_CACHE_HOME=/proc "$CUGRADE" batch batch_of_one -a patterns --task map --backend emulator --no-timing --out out
[ "$(grep -c 'going on without one' stderr)" = 1 ] || fail "batch: not said once"
expect 0 env -u XDG_CACHE_HOME -u HOME TMPDIR="$work" "${check[@]}"
[ -d "cugrade-$(id -u)/builds" ] || fail "no cache in TMPDIR"
[ -z "$(find "${TMPDIR:-/tmp}" "$work" -maxdepth 1 -name 'cugrade.builds-*' -user "$(id -un)" -newer reads.cu 2>/dev/null)" ] ||
    fail "a folder of builds is left"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$CUGRADE"; then
    chmod 755 .
    chmod 644 ./*.cu
    expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups env -u XDG_CACHE_HOME HOME=/ "${check[@]}"
    accepted stdout
    says stderr '/.cache/cugrade/builds: the cache cannot be written: Permission denied'
fi
(umask 777 && expect 0 env XDG_CACHE_HOME="$work/masked" "${check[@]}")

# A cache that programs cannot be run from, and then temporary files, too.
on_noexec() { # on_noexec COMMAND...: with $work/noexec mounted so
    unshare --map-root-user --mount sh -c 'mount -t tmpfs -o noexec none "$0" && exec "$@"' "$work/noexec" "$@"
}
mkdir noexec
if on_noexec true 2>/dev/null; then
    expect 0 on_noexec env XDG_CACHE_HOME="$work/noexec" "${check[@]}"
    accepted stdout
    says stderr "warning: $work/noexec/cugrade/builds: the cache is on a file system from which no program can be run (noexec); going on without one"
    expect 2 on_noexec env XDG_CACHE_HOME="$work/noexec" TMPDIR="$work/noexec" "${check[@]}"
    says stderr "$work/noexec: the folder for temporary files is on a file system from which no program can be run (noexec)"
    says stderr 'set XDG_CACHE_HOME or TMPDIR'
else
    echo 'file systems cannot be mounted here: nothing is known of a cache on a noexec one' >&2
fi

# Compilers: which one, why not, what to do.
broken() { # broken TEXT COMMAND...
    expect 2 "${@:2}"
    says stderr "$1"
    if grep -q 'tell its version' stderr; then fail "not named for what it is"; fi
}
printf '#!/bin/sh\necho some other program\n' >other
printf '#!/bin/sh\necho "#$ _CUDACC_ -D__CUDACC_VER_MAJOR__=9 -D__CUDACC_VER_MINOR__=2 -D__CUDACC_VER_BUILD__=148 "\n' >old
printf '#!/bin/sh\nexit 1\n' >fails
chmod +x other old fails
broken 'no host compiler: g++ is not in PATH' env PATH=/nonexistent CUGRADE_NVCC="$work/other" "${check[@]}"
broken 'no host compiler: g++ is not in PATH' env PATH=/nonexistent CUGRADE_NVCC="$work/other" "$CUGRADE" run reads.cu
broken 'no host compiler: NVCC_CCBIN names no program' env NVCC_CCBIN=/nowhere/g++ "${check[@]}"
broken 'nvcc cannot compile with /bin/true: ' env NVCC_CCBIN=/bin/true "${check[@]}"
broken 'CUGRADE_NVCC names no program' env CUGRADE_NVCC=/nowhere/nvcc "${check[@]}"
broken 'CUGRADE_NVCC names no program' env CUGRADE_NVCC="$work/solution.cu" "${check[@]}"
# Again and again: the enclosures that were begun meanwhile end before the program does.
for _ in $(seq 40); do broken 'other: this is not nvcc' env CUGRADE_NVCC="$work/other" "${check[@]}"; done
broken 'fails: nvcc cannot be run: it ends with exit code 1' env CUGRADE_NVCC="$work/fails" "${check[@]}"
broken 'old: nvcc 9.2.148 is too old' env CUGRADE_NVCC="$work/old" "${check[@]}"
broken '/nowhere: the folder for temporary files is not there' env TMPDIR=/nowhere "${check[@]}"
broken "$work/file: the folder for temporary files is no folder" env TMPDIR="$work/file" "${check[@]}"
broken "$work/near: the folder for temporary files is not there: TMPDIR is the relative path near" \
    env TMPDIR=near "${check[@]}"
mkdir near
expect 0 env TMPDIR=near XDG_CACHE_HOME="$work/fresh" "${check[@]}"
accepted stdout
# What the user adds to nvcc's flags is none of a grading's business.
expect 0 env NVCC_APPEND_FLAGS=--no-such-flag "${check[@]}"
accepted stdout
