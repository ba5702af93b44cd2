#!/usr/bin/env bash
# What a student sees first, for typical mistakes: approved texts in first_screens/, at 80 columns. In each the cause, its
# line and what to do are on the first screen, and half of them need 20 lines at most. To approve what is there now:
# UPDATE=1 with the environment of this test, and read the difference.
. "$(dirname "$0")/common.bash"
approved=$SOURCE/tests/cli/first_screens
lengths=
# screen ASSIGNMENT TASK FILE: the report on the task, without the table of all tasks and what follows.
screen() {
    local name=$2.$(basename "$3" .cu)
    COLUMNS=80 "$CUGRADE" check "$SOURCE/$3" -a "$1" --task "$2" --backend emulator --jobs 1 --colour never >report 2>stderr ||
        [ $? = 4 ] || { cat stderr >&2; fail "$name is not graded"; }
    sed -n '/^✗ [a-z0-9_]*:/,/^Score:/p' report | sed '/^Score:/d' >"$name.txt"
    [ -s "$name.txt" ] || { cat report >&2; fail "$name has no cause"; }
    [ -z "${UPDATE:-}" ] || cp "$name.txt" "$approved/"
    diff "$approved/$name.txt" "$name.txt" >&2 || fail "$name is told otherwise"
    head -24 "$name.txt" >first
    grep -qE "/(targets|cuda)/" first && fail "$name: the folder of the toolkit, which differs by machine"
    grep -q '→' first || fail "$name: no advice on the first screen"
    grep -qE '\.cu(:[0-9]+|$)' first || fail "$name: no place on the first screen"
    lengths+="$(grep -c . "$name.txt") "
}
screen atomics_lock critical_section tests/causes/atomics_lock/block_maximum_without_barrier.cu
screen atomics_lock transfers tests/causes/atomics_lock/from_locked_before_to.cu
screen atomics_lock transfers tests/causes/atomics_lock/transfer_to_self_locks_twice.cu
screen atomics_lock atomic_ops tests/causes/atomics_lock/atomic_sub_on_64_bits.cu
screen histogram bins tests/causes/histogram/merge_without_atomic.cu
screen histogram bins tests/causes/histogram/only_one_counter_per_thread_cleared.cu
screen histogram bins tests/causes/histogram/private_bins_beyond_48_kb.cu
screen histogram bytes tests/causes/histogram/memset_of_256_bytes.cu
screen histogram bytes tests/causes/histogram/bytes_read_as_char.cu
screen scan inclusive_int tests/causes/scan/early_return_before_barrier.cu
screen convolution conv1d tests/causes/convolution/mask_turned_round.cu
screen patterns map tests/causes/patterns/no_check_against_n.cu
screen patterns scatter tests/submissions/patterns/wrong/no_launch.cu
[ "$(ls "$approved" | wc -l)" = "$(ls ./*.txt | wc -l)" ] || fail "an approved text that nothing makes"
# shellcheck disable=SC2086
middle=$(printf '%s\n' $lengths | sort -n | sed -n 7p)
[ "$middle" -le 20 ] || fail "the middle report has $middle lines: $lengths"
echo "lines: $lengths"
