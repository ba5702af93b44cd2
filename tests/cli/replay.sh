#!/usr/bin/env bash
# `cugrade check --replay REPORT` reproduces a report, and says what it cannot reproduce.
. "$(dirname "$0")/common.bash"
mkdir class elsewhere
cp "$SOURCE/reference/patterns/solution.cu" "class/o'hara.cu"
expect 0 "$CUGRADE" secret new secret
expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --secret-file secret --out graded
report=graded/reports/patterns/o\'hara
source="class/o'hara.cu"
again() { expect "$1" "$CUGRADE" check --replay "${@:2}"; }

for extension in json yaml; do
    again 0 "$report.$extension" "$source" --secret-file secret
    says stdout 'the same submission, rules, data and score'
    grep -q DIFFERENT stdout && fail "differences of the same"
done
cp "$report.json" "$source" elsewhere/
again 0 "elsewhere/o'hara.json" --secret-file secret  # the submission lies beside it

# Each difference by its name.
earned=$(report get "$report.json" score/earned)
sed "0,/\"earned\": $earned/s//\"earned\": 99/" "$report.json" >forged.json
again 3 forged.json "$source" --secret-file secret
says stdout "DIFFERENT: score: the report says 99 of"
says stdout 'DIFFERENT: the report is not intact: `score` was changed'
says stdout 'forged.json: not reproduced'
{ cat "$source" && echo '// later'; } >later.cu
again 3 "$report.json" later.cu --secret-file secret
says stdout 'DIFFERENT: SHA-256 of the submission'
grep -q 'DIFFERENT: score' stdout && fail "the score is the same"
cp "$SOURCE/student_template/patterns/student.cu" stub.cu
again 3 "$report.json" stub.cu --secret-file secret
says stdout 'DIFFERENT: case 1 of map: the report says accepted'
expect 0 "$CUGRADE" secret new other
again 3 "$report.json" "$source" --secret-file other
says stdout 'DIFFERENT: the data of case'
{ cat "$SOURCE/grading.yaml" && echo '# another'; } >policy.yaml
again 3 "$report.json" "$source" --secret-file secret --policy policy.yaml
says stdout 'DIFFERENT: SHA-256 of the policy'

# A report that is well, but for less than a grading does.
expect 0 "$CUGRADE" check "$source" -a patterns --task map --backend emulator --check-bytes 1 --out weak.json
again 3 weak.json "$source"
says stdout 'DIFFERENT: the report was made with --check-bytes 1, and grading checks '
expect 0 "$CUGRADE" check "$source" -a patterns --task map --backend emulator --out open.json
again 0 open.json "$source"
again 3 open.json "$source" --secret-file secret
says stdout "DIFFERENT: the report's hidden cases come from no secret, and one was given"

# What is missing, and what a report's command may not do.
again 1 "$report.json" "$source"
says stderr 'give it: --secret-file FILE'
again 1 "$report.json" --secret-file secret
says stderr 'is neither beside the report nor here'
for word in '--out stolen' '--policy /dev/null' '--sign secret' '--ptx 80' "; touch stolen" '\"' '--jobs 5'; do
    sed "s|\"replay\": \"cugrade check .*\" -a|&|; s|\\(\"replay\": \".*\\)\",\$|\\1 $(printf %s "$word" | sed 's/[\\"]/\\\\&/g')\",|" "$report.json" >hostile.json
    cmp -s hostile.json "$report.json" && fail "nothing was changed: $word"
    again 1 hostile.json "$source" --secret-file secret
done
[ ! -e stolen ] || fail "a report's command was obeyed"
again 1 "$source"
again 1 nowhere.json
expect 1 "$CUGRADE" check --replay "$report.json" --student bob
expect 1 "$CUGRADE" check
says stderr 'no submission is named'
