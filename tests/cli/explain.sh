#!/usr/bin/env bash
# `cugrade explain`: the causes, and the page of one.
. "$(dirname "$0")/common.bash"

expect 0 "$CUGRADE" explain
says stdout 'missing_barrier '
says stdout 'a barrier is missing'
[ "$(wc -l <stdout)" -ge 50 ] || fail "not all causes are listed"

expect 0 "$CUGRADE" explain missing_barrier
says stdout 'A barrier is missing'
says stdout '__syncthreads();'
grep -q '^#\|^```' stdout && fail "Markdown on a terminal"
grep -q $'\x1b' stdout && fail "colour on what is no terminal"
expect 0 "$CUGRADE" explain missing_barrier --colour always
grep -q $'\x1b' stdout || fail "no colour although asked for"
[ -z "$(COLUMNS=50 "$CUGRADE" explain missing_barrier | LC_ALL=C grep -E '.{81}')" ] || fail "wide lines"

expect 1 "$CUGRADE" explain mising_barier
says stderr 'did you mean `missing_barrier`?'
expect 1 "$CUGRADE" explain barrier
says stderr 'did you mean `missing_barrier` or `divergent_barrier`?'
expect 1 "$CUGRADE" explain qqqqqqqq
says stderr '`cugrade explain` lists them'

# An installation without the pages says so.
mkdir -p prefix/share/cugrade/assignments
expect 2 env CUGRADE_HOME=prefix "$CUGRADE" explain missing_barrier
says stderr 'docs/causes/missing_barrier.md'
