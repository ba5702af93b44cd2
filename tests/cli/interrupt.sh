#!/usr/bin/env bash
# Ctrl-C ends a batch in order and says how to go on.
. "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$work/cache  # the interrupt must meet compilers at work
mkdir class
for i in $(seq 4); do
    { cat "$SOURCE/reference/patterns/solution.cu"; echo "// $i"; } >"class/s$i.cu"
done
# Background commands of a script ignore SIGINT; env gives it back its default.
env --default-signal=INT "$CUGRADE" batch class -a patterns --backend emulator --jobs 1 --out out >first 2>&1 &
pid=$!
until grep -q '^\[ *2/' first 2>/dev/null; do
    kill -0 "$pid" 2>/dev/null || fail "ended too early"
    sleep 0.02
done
kill -INT "$pid"
got=0
wait "$pid" || got=$?
[ "$got" = 2 ] || fail "exit code $got"
says first 'Interrupted.'
says first '--resume'
says out/index.html '<td class="unsure">not graded</td><td>not yet</td>'
expect 0 "$CUGRADE" batch class -a patterns --backend emulator --out out --resume
says stdout '4 of 4 graded'
