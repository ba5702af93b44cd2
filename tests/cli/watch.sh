#!/usr/bin/env bash
# batch --watch: what lands is graded once it is whole, each copy once, also over a kill; SIGTERM and --until end it.
. "$(dirname "$0")/common.bash"
stub=$SOURCE/student_template/patterns/student.cu
mkdir class

pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
# watch OPTION...: in the background, as a service without HOME and standard input.
watch() {
    : >log
    env --default-signal=INT -u HOME CUGRADE_KEY_FILE="$work/key" "$CUGRADE" batch class -a patterns --task map --backend emulator --jobs 1 --out graded \
        --watch "$@" <&- >log 2>&1 &
    pid=$!
}
# until_so COMMAND...: waits for it, as long as the watch runs.
until_so() {
    for _ in $(seq 1200); do
        "$@" && return 0
        kill -0 "$pid" 2>/dev/null || { "$@" && return 0; cat log >&2; fail "the watch ended before: $*"; }
        sleep 0.05
    done
    cat log >&2
    fail "never: $*"
}
# ended CODE: the watch ends with it.
ended() {
    local got=0
    wait "$pid" || got=$?
    pid=
    [ "$got" = "$1" ] || { cat log >&2; fail "the watch ended with $got, expected $1"; }
}
recorded() { "${PYTHON:-python3}" -c "import sqlite3, sys
print(*(row[0] for row in sqlite3.connect('file:graded/record.db?mode=ro', uri=True).execute(sys.argv[1])))" "$1"; }
has_graded() { [ "$(grep -c '^\[' log || true)" -ge "$1" ]; }
log_says() { grep -qF -- "$1" log; }
has_report() { grep -qsF "$(sha256sum <"$2" | cut -d' ' -f1)" "graded/reports/patterns/$1.json"; }

# An empty folder is waited on. A hand-in that is written in parts is taken when it is whole, and only then.
watch
until_so log_says 'watching class'
for part in 1 2 3 4 5; do
    split -n "$part/5" "$stub" >>class/ada.cu
    sleep 0.3
done
{ cat "$stub" && echo '// bob'; } >class/bob.cu
until_so has_graded 2
until_so has_report ada "$stub"
until_so grep -q '^bob,patterns,' graded/gradebook.csv
[ "$(recorded 'SELECT count(*) FROM grading')" = 2 ] || fail "half a hand-in is graded: $(cat log)"

# A second watch on the same folder is refused.
expect 1 "$CUGRADE" batch class -a patterns --backend emulator --out graded --watch
says stderr 'another cugrade is writing'

# The time is that of landing, by the kernel: neither what an archive brings along nor when grading begins.
touch -d 2001-01-01 class/ada.cu
cp -p class/ada.cu cy.cu
echo '// cy' >>cy.cu
touch -d 2001-01-01 cy.cu
cp -p cy.cu class/cy.cu
until_so has_graded 3
until_so has_report cy class/cy.cu
landed=$(recorded "SELECT handed_in_at FROM grading WHERE student = 'cy'")
[ "$landed" = "$(stat -c %Z class/cy.cu)" ] || fail "cy came at $landed"
[ "$(recorded "SELECT count(*) FROM grading WHERE student = 'ada'")" = 1 ] || fail "graded for another time of modification"

# SIGTERM ends it in order; everything is graded. Another watch goes on, and grades nothing twice.
kill -TERM "$pid"
ended 0
says log '3 of 3 graded'
says graded/index.html '<a href="reports/patterns/cy.html">'

# Many land at once and one is replaced while it waits: the newer form is graded, the older one is not. Killed while
# others wait: the next one goes on.
for i in 1 2 3 4 5 6 7 8 9; do { cat "$stub" && echo "// $i"; } >"class/s$i.cu"; done
mkdir class/folder
cp "$stub" class/folder/student.cu
echo '// included by nobody' >class/folder/helper.cuh
echo '// older' >class/zoe.cu
watch
until_so log_says ' wait'
{ cat "$stub" && echo '// newer'; } >class/zoe.cu
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
pid=
before=$(recorded 'SELECT count(*) FROM grading')
[ "$before" -lt 14 ] || fail "nothing waits"
watch
until_so has_report zoe class/zoe.cu
for i in 1 2 3 4 5 6 7 8 9; do until_so has_report "s$i" "class/s$i.cu"; done
until_so [ -e graded/reports/patterns/folder.json ]

# A hand-in that cannot be graded is told once, and graded when it can be.
mkdir class/s1
cp "$stub" class/s1/student.cu
until_so log_says 's1'
until_so log_says 'two submissions'
rm -r class/s1
echo '// mended' >>class/s1.cu
until_so has_report s1 class/s1.cu

# A folder that goes is waited for.
mv class away
until_so log_says 'the watch waits until this is over'
mv away class
until_so log_says 'the watch goes on'
kill -INT "$pid"
ended 0
[ -z "$(recorded 'SELECT student FROM grading WHERE report != "" GROUP BY student, submission_sha256 HAVING count(*) > 1')" ] ||
    fail "graded twice: $(recorded 'SELECT student FROM grading ORDER BY student')"
[ ! -e graded/.waiting ] || fail "copies that nobody waits for: $(find graded/.waiting)"

# A second hand-in of a student who is graded, beside the first: it is told, and the mark stays.
watch
until_so log_says 'watching class'
cp class/bob.cu class/folder.cu
until_so log_says 'two submissions: class/folder and class/folder.cu'
kill -TERM "$pid"
ended 2
says log 'folder (patterns): two submissions'
grep -q '^folder,patterns,0,.*,"\?attempt 1 of 2 counts: the newest is not graded' graded/gradebook.csv ||
    fail "the mark is gone: $(grep ^folder graded/gradebook.csv)"
rm class/folder.cu
CUGRADE_KEY_FILE=$work/key expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded --resume
says stdout '13 of 14 are graded already'
cp class/bob.cu class/folder.cu
CUGRADE_KEY_FILE=$work/key expect 2 "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded --resume
grep -q '^folder,patterns,0,' graded/gradebook.csv || fail "a batch takes the mark: $(grep ^folder graded/gradebook.csv)"
rm class/folder.cu

# --until: what landed before is graded, what lands later is not.
expect 1 "$CUGRADE" batch class -a patterns --out graded --watch --until tomorrow
says stderr 'write it with its zone'
expect 1 "$CUGRADE" batch class -a patterns --out graded --until 2026-11-30T23:59:00+01:00
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
echo '// again' >>class/bob.cu
watch --until "$(at '+2 seconds')"
ended 0
has_report bob class/bob.cu || fail "bob's newest landed in time"
says log '14 of 14 graded'
echo '// once more' >>class/bob.cu
sleep 1
now=$(at now)
sleep 1.1
cp "$stub" class/late.cu
watch --until "$now"
ended 0
has_report bob class/bob.cu || fail "bob's newest landed just before"
says log '1 hand-ins landed after --until, and are not graded'
[ ! -e graded/reports/patterns/late.json ] || fail "late is graded"

# A plain batch knows what a watch has graded, and its times.
rm class/late.cu
CUGRADE_KEY_FILE=$work/key expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded --resume
says stdout '14 of 14 are graded already'
[ "$(recorded "SELECT DISTINCT handed_in_at FROM grading WHERE student = 'cy'")" = "$landed" ] || fail "cy's time"

# What could not be read counts from when it can be, and the watch says so: it may have changed meanwhile.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if ! "${as_user[@]}" test -x "$CUGRADE" 2>/dev/null; then
    echo "an ordinary user cannot run $CUGRADE: not looked at what nobody may read"
    exit 0
fi
mkdir user open
# An extension changes a mark although nobody hands in.
sed 's/^  patterns:/  patterns:\n    deadline: 2026-11-01T00:00:00Z\n    late: {per_day: 0.1, days: 2}/' "$SOURCE/grading.yaml" >late.yaml
echo 'id,until,reason' >extensions.csv
chmod 644 late.yaml extensions.csv
{ cat "$stub" && echo '// closed'; } >open/eve.cu
chmod 755 . open
chmod 000 open/eve.cu
[ "$(id -u)" != 0 ] || chown 65534 user
: >log
"${as_user[@]}" env HOME="$work/user" XDG_CACHE_HOME="$work/user/cache" TMPDIR="$work/user" "$CUGRADE" batch open -a patterns \
    --task map --backend emulator --no-timing --jobs 1 --out user/graded --policy late.yaml --extensions extensions.csv --watch <&- >log 2>&1 &
pid=$!
until_so log_says 'eve.cu: cannot read: Permission denied'
chmod 644 open/eve.cu
until_so log_says 'eve (patterns) could not be read from 20'
until_so log_says 'which counts as the time of the hand-in'
until_so [ -e user/graded/reports/patterns/eve.json ]
! grep -q 'by an extension' user/graded/gradebook.csv || fail "there is none yet"
echo 'eve,2099-01-01T00:00:00Z,illness' >>extensions.csv
until_so grep -q 'in time by an extension: illness' user/graded/gradebook.csv
kill -TERM "$pid"
ended 0
