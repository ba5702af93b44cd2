#!/usr/bin/env bash
# `cugrade profile` counts what can be worked out by hand, shows it beside the source, and advises.
. "$(dirname "$0")/common.bash"
naive=$SOURCE/tests/submissions/reduction/slow/one_atomic_per_element.cu
profile() { expect "$1" "$CUGRADE" profile -a reduction "${@:2}"; }

# One atomic for each of the n elements of the largest public case, all on one address.
profile 0 "$naive" --task sum --format json
n=1000003
json stdout schema_version is 1
json stdout tasks/all/elements is $n
kernel=tasks/0/kernels/0
json stdout $kernel/total/global_atomic/lanes is $n
json stdout $kernel/most_atomics_on_one_address is $n
json stdout $kernel/total/global_load/bytes is $((8 * n))
json stdout $kernel/total/global_load/sectors is $(((8 * n + 31) / 32))
json stdout $kernel/advice/0/file is one_atomic_per_element.cu
json stdout $kernel/lines/all/warp_instructions sums-to $kernel/total/warp_instructions

profile 0 "$naive" --task sum
says stdout '1000.0k atomics on global memory'
grep -qE '^ *[0-9.]+% .* ! +[0-9]+ .*atomicAdd' stdout || fail "the line is not marked"

# Twice the same bytes.
cp stdout first
profile 0 "$naive" --task sum
cmp stdout first || fail "another profile the second time"

profile 0 "$naive" --task sum --case 2 --out page.html
grep -q '<td style="background:rgb(255' page.html || fail "no heat"
grep -q 'atomicAdd' page.html || fail "no source"

profile 2 "$naive" --task sum --case 2 --format json --out /dev/full
says stderr 'No space left on device'
json stdout tasks/0/kernels filled  # not lost

profile 1 "$naive" --task sum --case 999
says stderr 'has no case 999'
profile 1 "$naive" --format xml
says stderr 'table, json or html'
profile 1 "$naive" --backend gpu
says stderr 'only the emulated GPU counts'
