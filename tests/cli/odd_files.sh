#!/usr/bin/env bash
# Submissions that are no file with source text, that hide, or whose names are odd: nobody waits for them or follows
# them, each is named with what to do, and all others keep their marks. A link makes nobody's file one's own.
. "$(dirname "$0")/common.bash"

"${PYTHON:-python3}" - "$SOURCE" <<'EOF'
import os
import socket
import stat
import sys
import unicodedata

solution = open(sys.argv[1] + "/reference/patterns/solution.cu").read()
os.makedirs("odd/ada")
os.chdir("odd")


def write(path, text=solution):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


write("ada/student.cu")
for name, target in (("to_file", "ada/student.cu"), ("to_folder", "ada"), ("to_passwd", "/etc/passwd"), ("upwards", ".."),
                     ("dangling", "no/such/file"), ("loop", "loop.cu"), ("absolute", os.path.abspath("ada"))):
    os.symlink(target, name + ".cu")
os.symlink("ada", "linked")  # does not look like a submission
os.mkdir("inside")
os.symlink("../ada/student.cu", "inside/student.cu")
write("header/student.cu", '#include "ada.cuh"\n')
os.symlink("../ada/student.cu", "header/ada.cuh")
write("beside/student.cu")
os.symlink("../ada", "beside/more")  # a folder that is not looked into
os.mkfifo("pipe.cu")
os.mkdir("pipe_inside")
os.mkfifo("pipe_inside/student.cu")
bound = socket.socket(socket.AF_UNIX)
bound.bind("socket.cu")
for name, device in (("zero", (1, 5)), ("tape", (9, 0))):
    try:
        os.mknod(name + ".cu", stat.S_IFCHR | 0o666, os.makedev(*device))
    except PermissionError:
        print("only root can make devices: not looked at", name)
write("folder.cu/student.cu")
os.mkdir("empty")
write("blank.cu", "")
with open("sparse.cu", "w") as file:
    file.truncate(1 << 30)
for name in ("-rf", "--help", "-", "a b", "a'b\"c", "$(touch here)", "`touch here`", "a;touch here", "x..", "x.cu", "\\..\\x",
             "%s%n{}", "<b>x&amp;", "*", "?", "[x]", "#", "~", "CON", " ", "\t",
             "Bob", "bob", unicodedata.normalize("NFC", "Am\u00e9lie"), unicodedata.normalize("NFD", "Am\u00e9lie")):
    write(name + ".cu")
write(".hidden.cu")
write("..cu")
write("many/student.cu")
os.makedirs("many/" + "/".join("d" * 20))
for i in range(10050):
    os.mknod(f"many/{i}.txt")
EOF
odd() { expect "$1" "$CUGRADE" batch odd -a patterns --task map --backend emulator --no-timing --out graded "${@:2}"; }
start=$SECONDS
odd 0
[ $((SECONDS - start)) -lt 300 ] || fail "something delayed the batch"
# refused STUDENT TEXT: worth nothing, and told so.
refused() {
    json "graded/reports/patterns/$1.json" score/earned is 0
    [ "$(report get "graded/reports/patterns/$1.json" tasks/0/cases/0/message)" = "$2" ] || fail "$1 is not told: $2"
    grep -q "^\[.*\] $1  .*compile_error" stdout || fail "$1 has no line"
}
for name in to_file to_folder to_passwd upwards dangling loop absolute; do
    refused "$name" "$name.cu is a symbolic link: hand in the file itself"
done
refused inside 'student.cu is a symbolic link: hand in the file itself'
refused header 'ada.cuh is a symbolic link: hand in the file itself'
refused pipe 'pipe.cu is a pipe: hand in a file with your source text'
refused pipe_inside 'student.cu is a pipe: hand in a file with your source text'
refused socket 'socket.cu is a socket: hand in a file with your source text'
if [ -e odd/zero.cu ]; then
    refused zero 'zero.cu is a device: hand in a file with your source text'
    refused tape 'tape.cu is a device: hand in a file with your source text'
fi
refused empty 'empty has no .cu file'
refused blank 'blank.cu is empty'
refused sparse 'sparse.cu is too large: 1024.0 MiB, 4 MiB are allowed'
refused many 'the folder holds more than 10000 files and folders: hand in the source files alone'
says stdout 'odd/linked: a link, and none is followed; put there what it leads to'
says stdout 'odd/.hidden.cu: hidden; if it is a submission, give it a name without the dot'
says stdout 'odd/..cu: hidden'
says stdout 'Bob and bob (patterns): rename one if they are one student'
says stdout 'lie (patterns): rename one if they are one student'
# Whoever handed in source text has all points: ada, beside, folder.cu and 25 names.
[ "$(grep -c ,accepted, graded/gradebook.csv)" = 28 ] || fail "somebody lost a mark: $(cat graded/gradebook.csv)"
! grep -q harness_error graded/gradebook.csv || fail "somebody is not graded"
[ -z "$(find . -name here)" ] || fail "a name was executed"
odd 0 --resume
says stdout "$(find graded/reports -name '*.json' | wc -l) of"
! grep -q '^\[' stdout || fail "graded again"

# What the grader may not read is not charged, and told with what to do. Root reads everything.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if ! "${as_user[@]}" test -x "$CUGRADE" 2>/dev/null; then
    echo "an ordinary user cannot run $CUGRADE: not looked at what nobody may read"
    exit 0
fi
mkdir -p locked/closed user
cp "$SOURCE/reference/patterns/solution.cu" locked/ada.cu
cp locked/ada.cu locked/closed/student.cu
cp locked/ada.cu locked/secret.cu
chmod 755 . locked
chmod 644 locked/ada.cu
chmod 000 locked/closed locked/secret.cu
[ "$(id -u)" != 0 ] || chown 65534 user
expect 2 "${as_user[@]}" env HOME="$work/user" XDG_CACHE_HOME="$work/user/cache" TMPDIR="$work/user" "$CUGRADE" \
    batch locked -a patterns --task map --backend emulator --no-timing --out user/graded
chmod 755 locked/closed
says stdout '1 of 3 graded'
grep -q '^ada,.*,accepted,' user/graded/gradebook.csv || fail "ada's mark"
says stdout 'closed (patterns): locked/closed: cannot read: Permission denied'
says stdout 'secret (patterns): locked/secret.cu: cannot read: Permission denied'
says stdout "let the user who grades read it (setfacl -m u:$("${as_user[@]}" id -u):rX locked/secret.cu, or chmod)"
