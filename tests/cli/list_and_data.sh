#!/usr/bin/env bash
# `cugrade list` and `cugrade data`.
. "$(dirname "$0")/common.bash"

expect 0 "$CUGRADE" list
for id in patterns atomics_lock histogram convolution reduction scan; do says stdout "$id"; done
expect 0 "$CUGRADE" list --format json
json stdout assignments/all/id set patterns atomics_lock histogram convolution reduction scan
json stdout assignments/all/tasks/all/points/correctness above 0
json stdout assignments/all/tasks/all/cases filled
expect 0 "$CUGRADE" list reduction --format json
json stdout assignments/0/tasks/all/name is sum max cubes nested
cp stdout cases.json
expect 0 "$CUGRADE" list reduction
says stdout 'reduce_sum'

# Of reduction/sum.
cases=assignments/0/tasks/0/cases/needs_gpu=false
public=$(report get cases.json "$cases/visibility=public/parameters.n>1/id")
hidden=$(report get cases.json "$cases/visibility=hidden/id")
expect 0 "$CUGRADE" data reduction/sum --case "$public" --out one
for file in in.npy expected_out.npy README.txt; do [ -s "one/$file" ] || fail "$file"; done
[ "$(head -c 6 one/in.npy | tr -d '\223')" = NUMPY ] || fail "no .npy file"
says one/README.txt 'reduce_sum(d_in, '
expect 0 "$CUGRADE" data reduction/sum --case "$public" --out two
cmp one/in.npy two/in.npy

expect 1 "$CUGRADE" data reduction/sum --case "$hidden" --out secret
says stderr 'hidden'
[ ! -e secret/in.npy ] || fail "a hidden case was written"
"$CUGRADE" secret new key >/dev/null
expect 0 "$CUGRADE" data reduction/sum --case "$hidden" --secret-file key --student ada --out ada
expect 0 "$CUGRADE" data reduction/sum --case "$hidden" --secret-file key --student bob --out bob
cmp -s ada/in.npy bob/in.npy && fail "two students have the same hidden case"
expect 0 env CUGRADE_SECRET="$(cat key)" "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out again
cmp ada/in.npy again/in.npy
