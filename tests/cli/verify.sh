#!/usr/bin/env bash
# Seals of reports: what `cugrade verify` says of a report that was changed, by the grader's key and by
# a course's signature.
. "$(dirname "$0")/common.bash"
cp "$SOURCE/reference/patterns/solution.cu" ada.cu
grade() { expect 0 "$CUGRADE" check ada.cu -a patterns --task map --backend emulator --student ada "$@"; }
expect 0 "$CUGRADE" secret new --signing course

grade --sign course --out ada.json
grade --sign course --out ada.yaml
valid ada.json docs/report.schema.json
for report in ada.json ada.yaml; do
    expect 0 "$CUGRADE" verify "$report"
    says stdout "$report: intact"
    expect 0 env XDG_CONFIG_HOME="$work/nowhere" "$CUGRADE" verify --public-key course.pub "$report"
    says stdout "$report: intact"
done
# White space and the order of keys say nothing.
"${PYTHON:-python3}" -c 'import json; print(json.dumps(json.load(open("ada.json")), sort_keys=True))' >sorted.json
expect 0 "$CUGRADE" verify sorted.json

# changed FILE TEXT SED...: after the change both keys say TEXT.
changed() {
    local file=$1 text=$2
    shift 2
    sed "$@" "$file" >"changed.${file##*.}"
    cmp -s "$file" "changed.${file##*.}" && fail "nothing was changed: $*"
    for key in "" "--public-key course.pub"; do
        # shellcheck disable=SC2086
        expect 3 "$CUGRADE" verify $key "changed.${file##*.}"
        says stdout "NOT INTACT: $text"
    done
}
changed ada.json '`score` was changed' '/^  "score": {/,/}/s/"earned": [0-9.]*/"earned": 99/'
changed ada.json '`tasks.map` was changed' 's/"verdict": "accepted"/"verdict": "crash"/'
changed ada.json '`submission` was changed' 's/"student": "ada"/"student": "bob"/'
changed ada.json '`tasks.map` was taken out' 's/"name": "map",/"name": "mop",/'
changed ada.json '`tasks.mop` was added' 's/"name": "map",/"name": "mop",/'
changed ada.json 'it has no seal' 's/"seal"/"seals"/'
changed ada.json 'its seal was changed: ' 's/"mac": "[0-9a-f]*"/"mac": 7/'
changed ada.yaml '`score` was changed' '/^score:/s/earned: [0-9.]*/earned: 99/'
changed ada.yaml '`submission` was changed' 's/student: ada/student: bob/'
# What YAML has beside values.
changed ada.yaml 'a `#` was added that belongs to no value: a comment' '/^score:/s/$/  # corrected on appeal: 100/'
changed ada.yaml 'a `!` was added' '/^score:/s/score: /score: !!map /'
# The seal itself: nothing more can be told.
digest=$(report get ada.json seal/sections/name=score/sha256)
sed "s/$digest/${digest//[0-9]/0}/" ada.json >changed.json
expect 3 "$CUGRADE" verify changed.json
says stdout 'its code does not fit: the seal was changed'
expect 3 "$CUGRADE" verify --public-key course.pub changed.json
says stdout 'its signature does not fit: the seal was changed'

# Another key, no key, no signature, no report.
expect 0 "$CUGRADE" secret new --signing other
expect 3 "$CUGRADE" verify --public-key other.pub ada.json
says stdout 'signed with another key'
expect 1 "$CUGRADE" verify --public-key other ada.json
grade --out unsigned.json
expect 3 "$CUGRADE" verify --public-key course.pub unsigned.json
says stdout 'it is not signed'
CUGRADE_KEY_FILE=$work/another grade --out foreign.json
expect 3 "$CUGRADE" verify ada.json foreign.json
says stdout 'ada.json: intact'
says stdout "foreign.json: NOT INTACT: it was sealed with another key than this grader's"
expect 1 env CUGRADE_KEY_FILE="$work/none" "$CUGRADE" verify ada.json
[ ! -e none ] || fail "verify made a key"
expect 1 "$CUGRADE" verify ada.cu
expect 1 "$CUGRADE" verify nowhere.json
# What two readers could understand in two ways is no report.
sed '0,/"score"/s//"score": {"earned": 100}, "score"/' ada.json >twice.json
expect 1 "$CUGRADE" verify twice.json
says stderr 'the key `score` is there twice'
chmod 640 course
expect 1 "$CUGRADE" check ada.cu -a patterns --sign course
says stderr 'other users may read or change it'
