#!/usr/bin/env bash
# Submissions with names that are too long for what is made of them, or that no terminal should see:
# all are graded, and nothing that is shown or written holds a raw control, format or direction
# character.
. "$(dirname "$0")/common.bash"

"${PYTHON:-python3}" - "$SOURCE" <<'EOF'
import os
import sys

source = sys.argv[1].encode()
stub = open(source + b"/student_template/patterns/student.cu", "rb").read()
solution = open(source + b"/reference/patterns/solution.cu", "rb").read()
names = [b"a" * 251, b"a" * 252, b"new\nline", b"esc\x1b[2J\x1b]0;x\x07", "bidi\u202eabc\u2066".encode(),
         b"c1\x85raw", "c1\u0085utf".encode(), b"bad\xff\xfe", "zero\u200bwidth".encode(), b"quote'\"$(touch here)`"]
os.mkdir("class")
for name in names:
    open(os.path.join(b"class", name + b".cu"), "wb").write(stub)
folder = os.path.join(b"class", b"f" * 255)
os.mkdir(folder)
open(folder + b"/" + b"k" * 252 + b".cu", "wb").write(stub)
open(folder + b"/other.cu", "wb").write(b"#error \xe2\x80\xae\x1b[2J\xc2\x9b \xff end\n")
open("class/ada.cu", "wb").write(solution)
EOF
expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded
says stdout '12 of 12 graded'
json graded/reports/patterns/ada.json verdict is accepted
[ "$(find graded/reports -name '*.json' | wc -l)" = 12 ] || fail "a report for each"
[ "$(grep -c ,unwritten_output, graded/gradebook.csv)" = 10 ] || fail "the stubs compile under any name"
[ "$(grep -c ,compile_error, graded/gradebook.csv)" = 1 ] || fail "the folder does not compile"
[ ! -e here ] || fail "a name was executed"
cp stdout stderr graded/
"${PYTHON:-python3}" - <<'EOF' || fail "a raw character"
import pathlib
import sys
import unicodedata

files = [file for file in pathlib.Path("graded").rglob("*") if file.is_file() and file.name not in (".lock", "record.db")]
texts = {str(file): file.read_text("utf-8") for file in files} | {str(file): file.name for file in files}
texts |= {f"{file} (text)": file.read_text("utf-8") for file in files}
assert len(texts) > 60, len(texts)
bad = [(name, hex(ord(c))) for name, text in texts.items() for c in text
       if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn") and c not in "\n\r"]
print(bad[:10], file=sys.stderr)
sys.exit(bool(bad))
EOF
# Students whose names were changed are known again.
expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded --resume
says stdout '12 of 12 are graded already'

# An error of the command line names a file, too.
expect 1 "$CUGRADE" batch $'class/ada\u202e' -a patterns --task map --backend emulator --out again
says stderr 'ada\u202e'
grep -q $'\u202e' stderr && fail "a raw character in an error"
cd class
long=$(printf 'a%.0s' $(seq 252)).cu
expect 0 "$CUGRADE" check "$long" -a patterns --task map --backend emulator
