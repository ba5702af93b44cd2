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

# In a clone that has been built, its own program, whichever other one is on the PATH.
mkdir -p clone/harness/cli clone/build/release/bin clone/student_template elsewhere
touch clone/harness/cli/main.cpp
cp -r "$SOURCE/student_template/scan" clone/student_template
for place in clone/build/release/bin elsewhere; do
    printf '#!/bin/sh\necho "this is %s"\n' $place >$place/cugrade
    chmod +x $place/cugrade
done
expect 0 env PATH="$work/elsewhere:$PATH" make -C clone/student_template/scan check
says stdout 'this is clone/build/release/bin'
rm clone/build/release/bin/cugrade
expect 0 env PATH="$work/elsewhere:$PATH" make -C clone/student_template/scan check
says stdout 'this is elsewhere'

# All six differ in one line.
for id in atomics_lock histogram convolution reduction scan; do
    cmp <(sed "s/^A := .*/A :=/" "$SOURCE/student_template/$id/Makefile") \
        <(sed "s/^A := .*/A :=/" "$SOURCE/student_template/patterns/Makefile") || fail "$id/Makefile"
    grep -qx "A := $id" "$SOURCE/student_template/$id/Makefile" || fail "$id/Makefile names another"
done
