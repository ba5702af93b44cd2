#!/usr/bin/env bash
# What students get: the package of `cugrade release`, and an installed cugrade. Neither holds a solution, an
# oracle or a hidden case, and the package grades with the installed program.
. "$(dirname "$0")/common.bash"

# leaks FOLDER ID: prints the lines of the solution and the oracle, and the hidden cases, that are in a text file
# of FOLDER. Lines that the public files have, too, tell nothing; nor do short ones.
cat >leaks.py <<'P'
import json, pathlib, re, sys
folder, source, ident = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
plain = lambda line: re.sub(r"\s+", "", line)
lines = lambda file: {plain(l) for l in file.read_text().splitlines()}
# What students see of any assignment, and the walk-through, which has an oracle of its own.
public = plain("".join(f.read_text() for pattern in (
    "reference/*/baseline.cu", "student_template/*/student.cu", "assignments/*/*.cuh", "assignments/*/README.md",
    "docs/adding-an-assignment.md") for f in source.glob(pattern)))
secret = {}
for name in ("solution.cu", "oracle.cpp"):
    for line in lines(source / f"reference/{ident}/{name}"):
        if len(line) >= 20 and line not in public:
            secret[line] = name
# Hidden cases that are written in one line, and the numbers that no other case has.
yaml = (source / f"assignments/{ident}/assignment.yaml").read_text().splitlines()
hidden = [plain(l.replace(", visibility: hidden", "")) for l in yaml if "visibility: hidden" in l and "{" in l]
cases = [c for t in json.load(open(f"{ident}.json"))["assignments"][0]["tasks"] for c in t["cases"]]
numbers = lambda of: {str(int(v)) for c in cases if (c["visibility"] == "hidden") == of
                      for v in c["parameters"].values() if v >= 100}
sizes = numbers(True) - numbers(False)
for shown in re.findall(r"\{generator[^}]*\}|\bmodel:\n.*(?:\n +[^ -].*)*", "\n".join(yaml)):
    sizes -= set(re.findall(r"\d+", shown))
found = 0
for file in sorted(folder.rglob("*")):
    if not file.is_file():
        continue
    text = file.read_bytes().decode("latin1")
    squeezed = plain(text)
    for line, name in secret.items():
        if line in squeezed:
            found += 1; print(f"{file}: a line of {name}: {line}")
    another = file.name == "assignment.yaml" and file.parent.name != ident  # may have the same case, and show it
    for one in [] if another else hidden:
        if one in squeezed:
            found += 1; print(f"{file}: a hidden case: {one}")
    if file.name == "assignment.yaml" and file.parent.name == ident:
        for one in ["visibility:hidden", *sizes]:
            if re.search(rf"\b{one}\b", squeezed):
                found += 1; print(f"{file}: of a hidden case: {one}")
if not secret or not sizes:
    sys.exit(f"{ident}: nothing to look for")
sys.exit(1 if found else 0)
P
clean() { "${PYTHON:-python3}" leaks.py "$1" "$SOURCE" "$2" || fail "$1 has secrets of $2"; }
guilty() { ! "${PYTHON:-python3}" leaks.py "$1" "$SOURCE" "$2" >leaks.txt || fail "not seen: $3"; }

# The package of every assignment.
for id in atomics_lock convolution histogram patterns reduction scan; do
    "$CUGRADE" list $id --format json >$id.json
    expect 0 "$CUGRADE" release $id --to "packages/$id"
    says stdout "$id/assignment.yaml"
    says stdout 'hidden ones are left out'
    clean "packages/$id" $id
    for file in README.md Makefile student.cu grading.yaml $id/interface.cuh $id/assignment.yaml $id/baseline.cu; do
        [ -s "packages/$id/$file" ] || fail "packages/$id lacks $file"
    done
    [ "$(find "packages/$id" \( -name 'oracle*' -o -name 'solution*' -o -name 'tasks.cpp' -o -name '.*' \) | wc -l)" = 0 ] ||
        fail "packages/$id has too much"
    cmp "packages/$id/README.md" "$SOURCE/assignments/$id/README.md"
done
# Data that only a hidden case reads stays here; what a public case reads comes along.
[ -f packages/histogram/histogram/data/letter.txt ] || fail "data of a public case"
# Controls: what must be seen.
cp -r packages/reduction planted
sed -n '/^__global__/,/^}/p' "$SOURCE/reference/reduction/solution.cu" >>planted/student.cu
guilty planted reduction "a kernel of the solution"
cp -r packages/reduction planted2
cp "$SOURCE/assignments/reduction/assignment.yaml" planted2/reduction/
guilty planted2 reduction "the hidden cases"

# Folders.
mkdir full && touch full/mine
expect 1 "$CUGRADE" release scan --to full
says stderr 'the folder is not empty'
says stderr '--force'
[ -f full/mine ] && [ "$(ls -A full)" = mine ] || fail "full was changed"
expect 0 "$CUGRADE" release scan --to full --force
[ ! -e full/mine ] && [ -f full/student.cu ] || fail "full was not replaced"
mkdir empty
expect 0 "$CUGRADE" release scan --to empty/
expect 1 "$CUGRADE" release scan --to full/README.md
says stderr 'no folder'
expect 1 "$CUGRADE" release scan --to .
expect 1 "$CUGRADE" release scna --to other
says stderr 'did you mean `scan`?'
printf 'schema_version: 1\ndefaults: {}\nassignments: {patterns: {}}\n' >other.yaml
expect 1 "$CUGRADE" release scan --to other --policy other.yaml
says stderr 'other.yaml'
says stderr 'does not grade `scan`'
[ ! -e other ] || fail "a package that failed was left"
[ -z "$(find . -maxdepth 1 -name '.*-*')" ] || fail "temporary folders were left"

# An installed cugrade.
build=$(dirname "$(dirname "$CUGRADE")")
cmake --install "$build" --prefix "$work/prefix" >install.txt 2>&1 || { cat install.txt; fail "install"; }
[ -x prefix/bin/cugrade ] && [ -x prefix/libexec/cugrade/oracles ] || fail "the programs"
share=prefix/share/cugrade
for id in atomics_lock convolution histogram patterns reduction scan; do clean $share $id; done
[ "$(find prefix \( -name 'solution*' -o -name 'oracle*.cpp' \) | wc -l)" = 0 ] || fail "solutions or oracles"
[ "$(find $share/reference -type f | wc -l)" = 6 ] || fail "baselines"
unset CUGRADE_HOME
installed=$work/prefix/bin/cugrade
expect 0 "$installed" list
for file in man/man1/cugrade.1 man/man1/cugrade-secret-new.1 bash-completion/completions/cugrade \
    zsh/vendor-completions/_cugrade fish/vendor_completions.d/cugrade.fish; do
    [ -s "prefix/share/$file" ] || fail "share/$file is not installed"
done
expect 1 "$installed" data reduction/sum --case 30 --out case30
says stderr 'without the hidden ones'

# It grades the package: nothing for the stub, everything public for a right submission.
export PATH="$work/prefix/bin:$PATH"
package=packages/reduction
expect 0 make -C $package check ARGS="--backend emulator --task sum --no-timing --format json --out ../../stub.json"
json stub.json score/earned is 0
cp "$SOURCE/tests/submissions/reduction/correct/halves.cu" $package/student.cu
expect 0 make -C $package check ARGS="--backend emulator --task sum --no-timing --format json --out ../../right.json"
json right.json verdict is accepted
json right.json tasks/0/cases/all/visibility each public
says right.json 'hidden cases are not here'
# Its cases have the same numbers, seeds and verdicts as where the hidden ones are.
expect 0 "$CUGRADE" check $package/student.cu -a reduction --backend emulator --task sum --no-timing --format json --out full.json
"${PYTHON:-python3}" - <<'P' || fail "the public cases differ"
import json
cases = lambda f: [(c["id"], c.get("seed"), c["verdict"]) for c in json.load(open(f))["tasks"][0]["cases"]
                   if c["visibility"] == "public"]
assert len(cases("right.json")) > 10 and cases("right.json") == cases("full.json")
P
# The package's own facts decide, not the installed ones; and only if the command names the folder.
cp -r $package mine
sed -i 's/^title: .*/title: "Mine"/' mine/reduction/assignment.yaml
expect 0 "$installed" check mine/student.cu -a ./mine/reduction --backend emulator --task sum --no-timing
says stdout 'Mine'
expect 0 "$installed" check mine/student.cu --backend emulator --task sum --no-timing
! grep -q Mine stdout || fail "a submission brought its own assignment"
expect 1 "$installed" check mine/student.cu -a ./mine/nothing
says stderr 'no assignment.yaml'

# doctor says what it grades with.
expect 0 "$installed" doctor --quick --backend emulator
says stdout 'not installed for atomics_lock, convolution'
says stdout 'SOLUTIONS=1'
says stdout 'HIDDEN=1'

# What is asked for.
cmake --install "$build" --prefix "$work/prefix" --component solutions >>install.txt 2>&1
cmake --install "$build" --prefix "$work/prefix" --component hidden >>install.txt 2>&1
[ "$(find $share/reference -name solution.cu | wc -l)" = 6 ] || fail "solutions"
guilty $share reduction "asked for"
[ "$(find prefix -name 'oracle*.cpp' -o -name tasks.cpp | wc -l)" = 0 ] || fail "sources of oracles"
expect 0 "$installed" doctor --quick --backend emulator
says stdout 'solutions: installed'
grep -Eq 'hidden cases: [0-9]+; keep them from students' stdout || fail "hidden cases"
