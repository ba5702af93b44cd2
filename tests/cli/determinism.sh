#!/usr/bin/env bash
# The same report, byte for byte but for times, on any number of host threads and every time. Runs
# each submission N times on one thread and on two, in turn; N=100 is for by hand.
. "$(dirname "$0")/common.bash"
times=${N:-1}

# graded THREADS FILE ASSIGNMENT TASK: the report to standard output, but for how long something took or when
# it began.
graded() {
    expect 0 "$CUGRADE" check --backend emulator --emulator-threads "$1" -a "$3" --task "$4" \
        --format json "$2"
    report strip stdout
}

# same FILE TASK VERDICT: under tests/submissions; the verdict of the task, so that it is known that
# what is compared is what it is meant to be.
same() {
    local file=$SOURCE/tests/submissions/$1 assignment=${1%%/*} n threads
    graded 1 "$file" "$assignment" "$2" >first.json
    json first.json tasks/0/verdict is "$3"
    for ((n = 1; n <= times; ++n)); do
        for threads in 2 1; do
            [ $threads-$n != 1-$times ] || continue # the first was one
            graded $threads "$file" "$assignment" "$2" >again.json
            cmp first.json again.json || {
                diff first.json again.json >&2 || true
                fail "$1, time $n on $threads threads: another report"
            }
        done
    done
    echo "$1: $times reports on one thread and $times on two are the same"
}

same histogram/correct/privatised_dynamic.cu bytes accepted
same histogram/slow/global_atomics.cu bytes accepted
same histogram/wrong/no_atomics.cu bytes data_race
same histogram/wrong/reads_past_end.cu bytes out_of_bounds
same patterns/wrong/scatter_overwrites.cu scatter wrong_answer
same patterns/wrong/map_endless_loop.cu map time_limit
same reduction/correct/shuffles.cu sum accepted
same convolution/wrong/writes_past_end_1d.cu conv1d out_of_bounds
