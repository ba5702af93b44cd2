#!/usr/bin/env bash
# `cugrade doctor` passes here, and says what is missing where something is.
. "$(dirname "$0")/common.bash"
expect 0 "$CUGRADE" doctor --backend emulator
grep -qE '^(missing|wrong)' stdout && fail "something is wrong"
grep -qE '^ok +emulated GPU: emulator-[a-z0-9-]+, presenting ' stdout || fail "the name of the emulator"
[ "$(grep -cE '^ok +emulator .*solution.cu: full marks' stdout)" -ge 6 ] || fail "solutions"
[ "$(grep -cE '^ok +emulator .*baseline.cu: correct' stdout)" -ge 6 ] || fail "baselines"
[ "$(grep -cE '^ok +emulator .*student.cu: scores 0' stdout)" -ge 6 ] || fail "stubs"
expect 2 env CUGRADE_NVCC= CUDACXX= PATH=/nowhere "$CUGRADE" doctor --quick --backend emulator ||
    fail "no compiler in PATH"
says stdout 'missing'
: >file
expect 2 env XDG_CACHE_HOME="$work/file" "$CUGRADE" doctor --quick --backend emulator
says stdout 'XDG_CACHE_HOME'
# An installation without one of the libraries that submissions are linked with.
prefix=$(dirname "$(dirname "$CUGRADE")")
for library in libcugrade_runner.a libcugrade_cudart.a libtasks_scan.a; do
    rm -rf broken
    mkdir -p broken/lib
    ln -s "$prefix/libexec" "$prefix/share" broken
    cp -rs "$prefix/lib/cugrade" broken/lib
    expect 0 env CUGRADE_HOME="$work/broken" "$CUGRADE" doctor --quick --backend emulator
    says stdout 'ok       libraries: '
    rm "broken/lib/cugrade/$library"
    expect 2 env CUGRADE_HOME="$work/broken" "$CUGRADE" doctor --quick --backend emulator
    says stdout 'missing  libraries: '
    says stdout "broken/lib/cugrade/$library: a library of the runner is missing"
done
