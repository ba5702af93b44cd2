#!/usr/bin/env bash
# The examples in docs/ci: nothing that a submission makes the compiler say is a command to GitHub's runner, or Markdown in
# a job's summary.
. "$(dirname "$0")/common.bash"
workflow=$SOURCE/docs/ci/github-actions.yml
sed -n '/^      - name: Grade$/,/^      - name: Keep/p' "$workflow" | sed -n '/run: |/,$p' |
    sed '1d; $d; s/^          //' >grade.sh
grep -q 'cugrade check' grade.sh || fail "the step that grades is not found"

mkdir bin
ln -s "$CUGRADE" bin/cugrade
# grade NAME CODE: the step's output is NAME.out, the job's summary NAME.md.
grade() {
    rm -f report.*
    : >summary
    expect "$2" env PATH="$work/bin:$PATH" GITHUB_STEP_SUMMARY="$work/summary" ASSIGNMENT=patterns THRESHOLD=50 bash -e grade.sh
    mv stdout "$1.out"
    mv summary "$1.md"
}
cat >student.cu <<'EOF'
#include "interface.cuh"
#error ``` </code> @everybody | ::error title=forged::forged
EOF
grade hostile 3
says hostile.out 'forged'
says hostile.md 'forged'
grep -vE '^    ' hostile.md | grep -qE '(^|[^\])(`|<|@e)' && fail "Markdown of the submission's"
awk '/^::stop-commands::/ { stop = substr($0, 18); next } stop != "" && $0 == "::" stop "::" { stop = ""; next }
     stop == "" && /^::/ { print }' hostile.out >commands
grep -q '^::error ' commands || fail "no annotation"
grep -q '^::error title=forged' commands && fail "a command of the submission's"
! grep -rnE 'echo .*(```|~~~)' "$SOURCE/docs/ci" || fail "a fence around what a submission may say"

# A stub: a table in the summary, and an exit code by the threshold.
cp "$SOURCE/student_template/patterns/student.cu" student.cu
grade stub 3
says stub.md '| task |'
