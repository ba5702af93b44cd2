#!/usr/bin/env bash
# Archives that are handed in are graded as the folders that they hold; a hostile one is refused with the reason and
# costs nobody anything. What the learning management system gives out is graded as it is. --resume keeps all.
. "$(dirname "$0")/common.bash"

solution=$SOURCE/reference/patterns/solution.cu
stub=$SOURCE/student_template/patterns/student.cu
cat >roster.csv <<'EOF'
id,name,lms_id
s1,Ada Lovelace,5107
s2,Bob Stroud,88
EOF
mkdir -p class "class/Ada Lovelace_1234567_assignsubmission_file_"
# pack ARCHIVE NAME=FILE...: a zip or tar with these; a NAME that ends with @ becomes a link to FILE.
cat >pack.py <<'EOF'
import io
import sys
import tarfile
import zipfile

archive, *entries = sys.argv[1:]
pairs = [entry.split("=", 1) for entry in entries]
if archive.lower().endswith("zip"):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in pairs:
            info = zipfile.ZipInfo(name.rstrip("@"))
            info.external_attr = (0o120777 if name.endswith("@") else 0o100755) << 16
            out.writestr(info, file if name.endswith("@") else open(file, "rb").read(), zipfile.ZIP_DEFLATED)
else:
    with tarfile.open(archive, "w:" + archive.rsplit(".", 1)[1].replace("tar", "").replace("tgz", "gz")) as out:
        for name, file in pairs:
            text = open(file, "rb").read()
            info = tarfile.TarInfo(name)
            info.size = len(text)
            out.addfile(info, io.BytesIO(text))
EOF
pack() { "${PYTHON:-python3}" pack.py "$@"; }
batch() { expect "$1" "$CUGRADE" batch "$2" -a patterns --task map --backend emulator --no-timing --out "${@:3}"; }
row() { grep "^$1," "$2/gradebook.csv" | cut -d, -f3,7; }

# As students, Moodle and Canvas name them.
pack "class/Ada Lovelace_1234567_assignsubmission_file_/My Work.zip" scan/student.cu="$solution" __MACOSX/scan/._student.cu="$solution"
pack class/stroudbob_LATE_88_90210_scan-1.ZIP student.cu="$stub"
pack class/cy.tar.gz 'src/student.cu'="$solution"
pack class/dan.zip 'work\student.cu'="$solution" work/old.zip="$solution"
pack class/eve.zip student.cu="$solution" passwd@=/etc/passwd
pack class/fay.zip ../../fay.cu="$solution"
pack class/gus.zip work.zip="$solution"
pack class/hal.zip student.cu="$solution"
head -c 300 class/hal.zip >hal && mv hal class/hal.zip
cp "$solution" class/ian.cu
pack class/ian.zip student.cu="$solution"
echo x >class/jo.7z
ln -s cy.tar.gz class/kim.tar.gz
batch 2 class graded --roster roster.csv
says stdout '4 of 9 graded'
for student in s1 cy dan; do [ "$(row $student graded)" = 20,accepted ] || fail "$student: $(cat graded/gradebook.csv)"; done
[ "$(row s2 graded)" = 0,unwritten_output ] || fail "bob's mark"
for student in eve fay gus hal ian; do [ "$(row $student graded)" = ,harness_error ] || fail "$student is charged"; done
says stdout 'eve (patterns): the archive holds a link, `passwd`; hand in files only'
says stdout 'fay (patterns): the archive holds a path that leads upwards, `../../fay.cu`; pack it from within'
says stdout 'gus (patterns): the archive holds no .cu file but another archive, `work.zip`; pack the files themselves'
says stdout 'hal (patterns): this is no .zip, .tar, .tar.gz or .tar.xz, or a damaged one; pack'
says stdout 'ian (patterns): two submissions: class/ian.cu and class/ian.zip'
says stdout 'class/dan.zip/work/old.zip: an archive in an archive, which is not opened'
says stdout 'class/jo.7z: an archive; unpack it into a folder of this name'
says stdout 'class/kim.tar.gz: a link, and none is followed'
[ -z "$(find . -name fay.cu)" ] || fail "written outside"
[ "$(ls graded/handins/patterns)" = "$(printf '%s\n' cy dan gus s1 s2)" ] || fail "handins: $(ls graded/handins/patterns)"
[ -z "$(find graded/handins -type f -perm /111 -o -type l)" ] || fail "something can be executed, or is a link"

# The digest is the file's, as if it had been handed in by itself.
[ "$(grep ^s1, graded/gradebook.csv | cut -d, -f9)" = "$(sha256sum <"$solution" | cut -d' ' -f1)" ] || fail "digest"

# Nothing is unpacked or graded again until an archive changes.
inodes() { find graded/handins -type f -printf '%i %P\n' | sort; }
inodes >before
batch 2 class graded --roster roster.csv --resume
says stdout '4 of 9 are graded already'
inodes | cmp before - || fail "unpacked again"
pack class/eve.zip student.cu="$solution"
pack class/cy.tar.gz student.cu="$stub"
rm -r graded/handins/patterns/.dan.from  # as if the batch had been killed after unpacking it
mkdir -p graded/handins/patterns/.unpacking-123456/files
batch 2 class graded --roster roster.csv --resume
says stdout '3 of 9 are graded already'
[ "$(row eve graded)" = 20,accepted ] && [ "$(row cy graded)" = 0,unwritten_output ] || fail "what changed is graded"
[ ! -e graded/handins/patterns/.unpacking-123456 ] || fail "leftovers"
pack class/cy.tar.gz ../student.cu="$stub"
batch 2 class graded --roster roster.csv --resume
[ ! -e graded/handins/patterns/cy ] || fail "what is refused now is still there"

# Without an assignment, from its folder; and beside folders of assignments an archive belongs to none.
mkdir -p mixed/patterns
pack mixed/patterns/ada.zip student.cu="$stub"
cp mixed/patterns/ada.zip mixed/old.zip
expect 0 "$CUGRADE" batch mixed --backend emulator --no-timing --out graded2
says stdout '1 of 1 graded'
says stdout 'mixed/old.zip: an archive beside folders of assignments'

# What the system gives out: one archive with folders, files and archives.
pack ada.zip student.cu="$solution"
pack all.zip "Ada Lovelace_1234567_assignsubmission_file_/ada.zip"=ada.zip stroudbob_88_90210_scan.cu="$stub" \
    "Curie_2_assignsubmission_file_/a.cu"="$solution" "Curie_2_assignsubmission_file_/a.h"="$stub"
batch 0 all.zip graded3 --roster roster.csv
says stdout '3 of 3 graded'
[ "$(row s1 graded3)" = 20,accepted ] && [ "$(row s2 graded3)" = 0,unwritten_output ] || fail "marks: $(cat graded3/gradebook.csv)"
find graded3/handins -type f -printf '%i %P\n' | sort >before
batch 0 all.zip graded3 --roster roster.csv --resume
says stdout '3 of 3 are graded already'
find graded3/handins -type f -printf '%i %P\n' | sort | cmp before - || fail "unpacked again"
# A folder that was packed as a whole.
pack patterns.tar.xz patterns/ada.cu="$solution" patterns/bob.cu="$stub"
expect 0 "$CUGRADE" batch patterns.tar.xz --task map --backend emulator --no-timing --out graded4
says stdout '2 of 2 graded'
pack bad.zip ada.cu="$solution" ../x="$solution"
batch 1 bad.zip graded5
says stderr 'bad.zip: the archive holds a path that leads upwards, `../x`'
says stderr 'unpack it yourself'

# A whole class among the hand-ins of students is nobody's hand-in.
mkdir among
cp "$solution" among/ada.cu
cp all.zip among/all.zip
batch 2 among graded6
says stdout '1 of 2 graded'
says stdout 'all (patterns): the archive holds hand-ins of a class'
