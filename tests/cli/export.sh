#!/usr/bin/env bash
# The archive for Gradescope does what Gradescope asks of it, in a folder that stands for /autograder.
. "$(dirname "$0")/common.bash"
export_it() { expect "$1" "$CUGRADE" export gradescope patterns --to autograder.zip "${@:2}"; }
"$CUGRADE" secret new secret >/dev/null
echo 'a package' >cugrade_1_amd64.deb
echo 'echo "before in $PWD" >>"$LOG"' >install_nvcc.sh
export_it 0 --package cugrade_1_amd64.deb --before install_nvcc.sh --policy "$SOURCE/grading.yaml"
first=$(sha256sum <autograder.zip)
export_it 0 --package cugrade_1_amd64.deb --before install_nvcc.sh --policy "$SOURCE/grading.yaml"
[ "$first" = "$(sha256sum <autograder.zip)" ] || fail "the same files make another archive"

# As Gradescope does: the archive in source/, setup.sh there, run_autograder a folder above. unpack ZIP
unpack() {
    rm -rf autograder
    mkdir -p autograder/submission
    "${PYTHON:-python3}" - "$1" <<'EOF'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    for entry in archive.infolist():
        path = archive.extract(entry, "autograder/source")
        os.chmod(path, entry.external_attr >> 16 & 0o777)
EOF
    mv autograder/source/run_autograder autograder/
    cp "$SOURCE/tests/submissions/patterns/correct/map_grid_stride.cu" autograder/submission/mine.cu
    echo '{"id": 7, "created_at": "2026-11-25T14:22:32.365935-07:00", "users": [{"id": 12, "name": "Ada"}, {"id": 5}],
           "previous_submissions": []}' >autograder/submission_metadata.json
}
mkdir bin
ln -s "$CUGRADE" bin/cugrade
printf '#!/bin/sh\necho "apt-get $*" >>"$LOG"\n' >bin/apt-get
chmod +x bin/apt-get
export LOG=$work/log PATH=$work/bin:$PATH
run() { expect 0 env AUTOGRADER="$work/autograder" autograder/run_autograder; }

unpack autograder.zip
expect 0 autograder/source/setup.sh
says log "before in $work/autograder/source"
says log 'apt-get install -y --no-install-recommends ./cugrade_1_amd64.deb'
says stdout 'libraries: '
run
valid autograder/results/results.json tests/approval/consumers/gradescope.schema.json
json autograder/results/results.json score above 0
[ ! -e autograder/results/results.gradescope.json ] || fail "a second result"

# Without cugrade in the image its set-up fails, and says why.
mkdir no_cugrade
ln -s "$(command -v bash)" "$(command -v dirname)" "$work/bin/apt-get" no_cugrade/
expect 1 env PATH="$work/no_cugrade" autograder/source/setup.sh
says stderr 'cugrade is not in this image'

# With a secret nothing is graded where there is no sandbox, and the cases are this course's.
export_it 0 --secret-file secret
says stdout 'No --package'
unpack autograder.zip
cmp -s secret autograder/source/secret || [ "$(cat autograder/source/secret)" = "$(tr -d '\n' <secret)" ] || fail "another secret"
grep -q -- '--secret-file source/secret --sandbox on' autograder/run_autograder || fail "a secret without a sandbox"

# What goes wrong.
expect 1 "$CUGRADE" export gradescope pattern --to autograder.zip
says stderr 'did you mean `patterns`?'
export_it 1 --secret-file no_such_file
export_it 2 --package no_such_file.deb
says stderr no_such_file.deb
expect 1 "$CUGRADE" export gradescope patterns --to no/such/folder/autograder.zip
expect 1 "$CUGRADE" export
