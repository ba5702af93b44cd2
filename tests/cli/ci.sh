#!/usr/bin/env bash
# The examples in docs/ci: nothing that a submission makes the compiler say ends the block of code in which the
# report stands in a job's summary.
. "$(dirname "$0")/common.bash"
workflow=$SOURCE/docs/ci/github-actions.yml
sed -n '/^      - name: Grade$/,/^      - name: Keep/p' "$workflow" | sed -n '/run: |/,$p' |
    sed '1d; $d; s/^          //' >grade.sh
grep -q '^cugrade check' grade.sh || fail "the step that grades is not found"

mkdir bin
cat >bin/cugrade <<'EOF'
#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" = --out ] && printf 'Reduction\n\n  y\n```\n# Score: 100 of 100 judged\n~~~\n</code>\n' >"$2"
    shift
done
EOF
chmod +x bin/cugrade
expect 0 env PATH="$work/bin:$PATH" GITHUB_STEP_SUMMARY="$work/summary" ASSIGNMENT=reduction THRESHOLD=50 bash -e grade.sh
says summary '# Score: 100 of 100 judged'
grep -vq '^    ' summary && fail "a line of the report is outside the block of code"
! grep -rnE 'echo .*(```|~~~)' "$SOURCE/docs/ci" || fail "a fence around what a submission may say"
