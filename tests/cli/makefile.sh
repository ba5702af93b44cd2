#!/usr/bin/env bash
# `make check` in a copy of a student's folder, away from the repository.
. "$(dirname "$0")/common.bash"
cp -r "$SOURCE/student_template/patterns" "my homework"
prefix=$(dirname "$(dirname "$CUGRADE")")

expect 2 env PATH=/usr/bin:/bin make -C "my homework" check
says stderr 'CUGRADE_HOME'
expect 0 env CUGRADE_HOME="$prefix" make -C "my homework" check ARGS="--backend emulator"
says stdout 'scatter'
expect 0 env PATH="$prefix/bin:$PATH" make -C "my homework" check ARGS="--backend emulator --task map --format json"
expect 2 env CUGRADE_HOME=/nowhere make -C "my homework" check
says stderr 'correct CUGRADE_HOME'
# All six differ in one line.
for id in atomics_lock histogram convolution reduction scan; do
    cmp <(sed "s/^A := .*/A :=/" "$SOURCE/student_template/$id/Makefile") \
        <(sed "s/^A := .*/A :=/" "$SOURCE/student_template/patterns/Makefile") || fail "$id/Makefile"
    grep -qx "A := $id" "$SOURCE/student_template/$id/Makefile" || fail "$id/Makefile names another"
done
