#!/usr/bin/env bash
# Trouble that a submission makes does not pay: what cugrade fails on, and nothing else, is put before a
# person; and the calls of a submission have a budget together.
. "$(dirname "$0")/common.bash"
attacks=$SOURCE/tests/submissions/reduction/cheat
mkdir class
cp "$SOURCE/reference/reduction/solution.cu" class/ada.cu
cp "$attacks/forges_the_greeting.cu" class/eve.cu
batch() { expect "$1" "$CUGRADE" batch class -a reduction --task sum --backend emulator --no-timing --out graded "${@:2}"; }
batch 4
says stdout '2 of 2 graded'
says stdout 'For a person to decide'
says stdout 'eve (reduction): cugrade failed twice on this submission'
says stdout 'if all run into their limits, '
grep -q '^eve,reduction,.*suspicious' graded/gradebook.csv || fail "eve's row"
grep -q '^ada,reduction,.*accepted' graded/gradebook.csv || fail "ada's row"
cp graded/reports/reduction/eve.json stdout
json stdout verdict is suspicious
json stdout score/earned is 0
json stdout score/judged above 0
valid graded/reports/reduction/eve.json docs/report.schema.json
batch 4 --resume
says stdout 'For a person to decide'
rm class/eve.cu
batch 0

# Where the machine is at fault, the baseline fails as well, and nothing is charged.
prefix=$(dirname "$(dirname "$CUGRADE")")
mkdir -p course/libexec
ln -s "$prefix"/{bin,lib,share} course/
cp -rL "$prefix/libexec/cugrade" course/libexec/
rm course/libexec/cugrade/emulator-*
expect 2 env CUGRADE_HOME=course "$CUGRADE" check class/ada.cu -a reduction --task sum --backend emulator --no-timing

# No call is too long, and together they are.
sed 's/^    total: .*/    total: 6/' "$SOURCE/grading.yaml" >short.yaml
cat >sleeper.cu <<'C'
#include <unistd.h>
#include "interface.cuh"
__global__ void one_thread(const double* in, std::size_t n, double* out) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += in[i];
    *out = sum;
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    sleep(2);
    one_thread<<<1, 1>>>(in, n, out);
}
C
expect 0 "$CUGRADE" check sleeper.cu -a reduction --task sum --backend emulator --no-timing --policy short.yaml --format json
json stdout verdict is time_limit
json stdout tasks/0/cases/1/message has 'all calls of this submission together'
