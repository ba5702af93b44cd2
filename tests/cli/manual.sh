#!/usr/bin/env bash
# The manual and the completion of shells have whatever --help lists, and are without a fault.
. "$(dirname "$0")/common.bash"
ln -s "$CUGRADE" cugrade
export PATH="$work:$PATH"

expect 0 cugrade manual --to pages
for shell in bash zsh fish; do
    expect 0 cugrade completion $shell
    mv stdout "completion.$shell"
done
expect 1 cugrade completion bsh
says stderr 'did you mean `bash`?'
expect 1 cugrade manual bacth
says stderr 'did you mean `batch`?'

# Every page is what `cugrade manual COMMAND` prints, and groff has nothing to say about it.
for page in pages/man1/*.1; do
    name=$(basename "$page" .1)
    read -ra words <<<"${name//-/ }"
    expect 0 cugrade manual "${words[@]:1}"
    cmp stdout "$page" || fail "$page is not what cugrade manual prints"
    groff -man -Tascii -P-cbou -rLL=200n -ww "$page" >"$name.txt" 2>warnings || fail "$page: groff fails"
    [ ! -s warnings ] || fail "$page: $(cat warnings)"
done

# `missing`: what --help lists that is not in the page and in each script. Its control is a page without an option.
cat >missing.py <<'P'
import pathlib, re, subprocess, sys
squeeze = lambda text: re.sub(r"\s+", " ", text)
def rows(path):
    """(names, words, description) of options, and the commands, as --help lists them."""
    text = subprocess.run([*path, "--help"], capture_output=True, text=True, check=True).stdout
    options, commands, section, row = [], [], "", None
    for line in text.splitlines():
        if re.match(r"[A-Z]\w+:$", line):
            section = line
        elif section == "Options:" and (found := re.match(r"  (-[-\w,]+)(.*)", line)):
            names, rest = found[1].split(","), found[2]
            words = re.search(r":\{([^}]*)\}", rest[:rest.find("  ")] if "  " in rest.strip() else rest)
            options.append([names, words[1].split(",") if words else [], rest[24:] if not words else ""])
        elif section == "Options:" and line.startswith(" " * 30):
            options[-1][2] = line.strip()
        elif section == "Subcommands:" and (found := re.match(r"  ([\w-]+) ", line)):
            commands.append(found[1])
    return options, commands
def missing(path, pages, scripts):
    options, commands = rows(path)
    page = squeeze(pages["-".join(path)])
    at = "/".join(path)
    for names, words, description in options:
        flat = [n for n in names]
        if ", ".join(flat) not in page: yield f"{at}: page: {names}"
        if squeeze(description).strip() not in page: yield f"{at}: page: {description}"
        for name in flat:
            if not re.search(rf"^ *{at}:-\*\).* {name}( |$)", scripts["bash"], re.M): yield f"{at}: bash: {name}"
            function = re.search(rf"^_{'_'.join(path)}\(\) \{{$(.*?)^\}}$", scripts["zsh"], re.M | re.S)[1]
            if f"'{name}" not in function: yield f"{at}: zsh: {name}"
            flag = "-l " + name[2:] if name.startswith("--") else "-s " + name[1:]
            if not re.search(rf"__cugrade_at {at}'.* {flag} ", scripts["fish"]): yield f"{at}: fish: {name}"
        for word in words:
            if word not in page: yield f"{at}: page: {word}"
    for command in commands:
        if f"{'-'.join(path)}-{command}(1)" not in page: yield f"{at}: page: {command}"
        if not re.search(rf"^ *{at}:\*\).* {command}( |$)", scripts["bash"], re.M): yield f"{at}: bash: {command}"
        yield from missing([*path, command], pages, scripts)
pages = {f.stem: f.read_text() for f in pathlib.Path(".").glob("cugrade*.txt")}
scripts = {f.suffix[1:]: f.read_text() for f in pathlib.Path(".").glob("completion.*")}
found = list(missing(["cugrade"], pages, scripts))
print("\n".join(found))
assert not found
assert len(pages) > 12
lacking = {**pages, "cugrade-batch": pages["cugrade-batch"].replace("--resume", "")}
without = {**scripts, "bash": scripts["bash"].replace(" --no-timing", "")}
assert any("--resume" in f for f in missing(["cugrade"], lacking, scripts)), "the control"
assert any("--no-timing" in f for f in missing(["cugrade"], pages, without)), "the control"
P
"${PYTHON:-python3}" missing.py || fail "--help lists what is missing elsewhere"

# bash completes. offers WORDS...: what it offers for the last word is in the file offered.
bash -n completion.bash || fail "completion.bash"
offers() {
    bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cugrade; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@" | sort | tr '\n' ' ' >offered
}
is() { [ "$(cat offered)" = "$1 " ] || fail "offered: $(cat offered), expected $1"; }
touch student.cu
mkdir class
offers cugrade ba && is batch
offers cugrade secret "" && is new
offers cugrade secret new --s && is --signing
offers cugrade check --backend "" && is "auto emulator gpu"
offers cugrade check --backend = em && is emulator
offers cugrade check --sandbox o && is "off on"
offers cugrade check -a red && is reduction
offers cugrade check --fail && is --fail-under
offers cugrade check stu && is student.cu
offers cugrade batch "" && grep -q class offered && ! grep -q student.cu offered || fail "folders: $(cat offered)"
offers cugrade data reduction/s && is reduction/sum
offers cugrade run a.cu -- stu && is student.cu
offers cugrade --ver && is --version

# Where other shells are installed, they read theirs, and complete the same.
if command -v zsh >/dev/null; then zsh -n completion.zsh || fail "completion.zsh"; fi
if command -v fish >/dev/null; then
    fish --no-config -c '. completion.fish; complete -C "cugrade check --backend em"' >offered
    grep -q '^emulator' offered || fail "fish: $(cat offered)"
    fish --no-config -c '. completion.fish; complete -C "cugrade secret n"' >offered
    grep -q '^new' offered || fail "fish: $(cat offered)"
fi
