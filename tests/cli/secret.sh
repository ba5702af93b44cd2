#!/usr/bin/env bash
# Course secrets and keys: how they are made, how they reach the grader, and who sees them then.
. "$(dirname "$0")/common.bash"

# Made from the system's random numbers, for their owner alone, and never over another.
expect 0 "$CUGRADE" secret new course
[ "$(stat -c %a course)" = 600 ] || fail "mode of a secret"
grep -qE '^[0-9a-f]{64}$' course || fail "no 256 bits"
expect 1 "$CUGRADE" secret new course
says stderr 'is there already'
expect 0 "$CUGRADE" secret new
grep -qE '^[0-9a-f]{64}$' stdout || fail "a secret on standard output"
cmp -s stdout course && fail "the same secret twice"
expect 0 "$CUGRADE" secret new --signing sign
[ "$(stat -c %a sign)" = 600 ] || fail "mode of a signing key"
openssl pkey -in sign -pubout | cmp - sign.pub || fail "sign.pub is not the public key of sign"
expect 1 "$CUGRADE" secret new --signing sign
expect 1 "$CUGRADE" secret new --signing

# A file, a descriptor and the environment give the same hidden case; a weak one is refused.
"$CUGRADE" list reduction --format json >cases.json
hidden=$(report get cases.json assignments/0/tasks/0/cases/needs_gpu=false/visibility=hidden/id)
data() { expect "$1" "${@:3}" "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out "$2"; }
expect 0 "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out file --secret-file course
expect 0 "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out descriptor --secret-fd 7 7<course
data 0 environment env CUGRADE_SECRET="$(cat course)"
cmp file/in.npy descriptor/in.npy && cmp file/in.npy environment/in.npy || fail "three ways, one secret"
expect 1 "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out bad --secret-fd 9
data 1 bad env CUGRADE_SECRET=letmein
says stderr 'CUGRADE_SECRET: the course secret is too weak'
says stderr 'cugrade secret new'
echo 'correct horse battery staple' >weak
expect 1 "$CUGRADE" data reduction/sum --case "$hidden" --out bad --secret-file weak
says stderr 'weak: the course secret is too weak: it has 28 characters, and 64 of this kind are needed for 128 bits'
chmod 644 course
expect 0 "$CUGRADE" data reduction/sum --case "$hidden" --student ada --out open --secret-file course
says stderr 'other users may read the course secret'
chmod 600 course

# While cugrade runs, the secret is in no environment: not in its own, not in a child's. It waits
# for the pipe here.
mkfifo policy
cp "$SOURCE/student_template/reduction/student.cu" .
CUGRADE_SECRET=$(cat course) "$CUGRADE" check student.cu -a reduction --policy policy >/dev/null 2>&1 &
pid=$!
sleep 1
kill -0 "$pid" || fail "it does not wait"
if tr '\0' '\n' <"/proc/$pid/environ" >seen 2>/dev/null; then
    grep -q '^PATH=' seen || fail "the environment cannot be seen at all"
    grep -qF "$(cat course)" seen && fail "the secret is in /proc/$pid/environ"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    # What another user could read, /proc gives to nobody: the process is not dumpable.
    [ "$(stat -c %U "/proc/$pid/environ")" = root ] || fail "owner of /proc/$pid/environ"
fi
echo >policy
ended=0
wait "$pid" || ended=$?
[ "$ended" = 1 ] || fail "an empty policy ends with $ended, not 1"
cat >show.cu <<'EOF'
#include <cstdio>
#include <cstdlib>
int main() { std::puts(std::getenv("CUGRADE_SECRET") == nullptr ? "no secret" : "a secret"); }
EOF
CUGRADE_SECRET=$(cat course) expect 0 "$CUGRADE" run show.cu
says stdout 'no secret'

# A batch without a secret says so at its start and at its end.
mkdir class
echo 'not C++' >class/ada.cu
expect 0 "$CUGRADE" batch class -a scan --backend emulator --out without
says stderr 'WARNING: no course secret is given'
says stdout 'WARNING: no course secret is given'
expect 0 "$CUGRADE" batch class -a scan --backend emulator --out with --secret-file course
grep -q 'WARNING' stdout stderr && fail "a warning with a secret"
exit 0
