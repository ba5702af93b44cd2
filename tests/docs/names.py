#!/usr/bin/env python3
"""What pages name is there: links and their headings, files and folders, functions in files.

- A link between pages leads to a file, and its #anchor to a heading of it.
- A path in backquotes that begins with a folder of the repository exists; <id> and * stand for any name. A bare
  *.cpp or *.hpp is somewhere.
- Of a table with the columns "function" and "in", each function occurs in the file beside it.
- Of a table with the column "you see", what stands there in backquotes is in the source, but for what "…" stands for.

Controls: a page with one mistake of each kind must be found guilty of all.

Usage: names.py SOURCE
"""
import pathlib
import re
import sys

FOLDERS = ("harness", "docs", "tests", "scripts", "bench", "cmake", "assignments", "reference", "student_template",
           "examples", "datasets", "packaging")
# What the walk-through of docs/adding-an-assignment.md makes, and what a build or a user makes.
MADE = re.compile(r"/transpose\b|<name>|reference/transpose|FILE")


def anchors(text):
    """Of headings, as GitHub makes them."""
    out = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        out.add(words.replace(" ", "-"))
    return out


def links(page, text, source):
    for label, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"[{label}]({target}): there is no such file"
        elif anchor and anchor not in anchors(text if not path else file.read_text()):
            yield f"[{label}]({target}): there is no such heading"


def exists(path, source):
    if f"NAME {path}\n" in (test := (source / "tests/CMakeLists.txt").read_text()) or f"NAME {path} " in test:
        return True
    pattern = re.sub(r"<[\w]+>", "*", path).strip("/")
    if re.search(r"\{.*\}", pattern):
        head, inner, tail = re.match(r"(.*)\{(.*)\}(.*)", pattern).groups()
        return all(exists(head + one + tail, source) for one in inner.split(","))
    return any(True for _ in source.glob(pattern))


def paths(text, source, files):
    for path in re.findall(r"`((?:%s)/[^`\s]*)`" % "|".join(FOLDERS), text):
        if not MADE.search(path) and not exists(path, source):
            yield f"`{path}`: there is no such file"
    for name in re.findall(r"`([\w-]+\.(?:cpp|hpp|py|sh))`", text):
        if name not in files:
            yield f"`{name}`: no file has this name"


def functions(text, source):
    columns = None
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            columns = None
        elif "function" in cells and "in" in cells:
            columns = cells.index("function"), cells.index("in")
        elif columns and not set(line) <= set("|-: "):
            function = cells[columns[0]].strip("`").split("::")[-1]
            file = source / cells[columns[1]].strip("`")
            if not file.is_file() or not re.search(r"\b%s\(" % re.escape(function), file.read_text()):
                yield f"`{function}` is not in {cells[columns[1]]}"


def all_source(source):
    """As one text, in which what the compiler joins is joined."""
    out = []
    for folder in ("harness", "datasets", "reference", "cmake", "tests", "scripts"):
        for file in (source / folder).rglob("*"):
            if file.suffix in (".cpp", ".hpp", ".cmake", ".sh", ".txt"):
                out.append(file.read_text(errors="replace"))
    return re.sub(r'"\s*\n\s*"', "", "\n".join(out))


def messages(text, everything):
    sees = False
    for line in text.split("\n"):
        if line.startswith("| you see "):
            sees = True
        elif not line.startswith("|"):
            sees = False
        elif sees:
            for message in re.findall(r"`([^`]*)`", line.strip("|").split("|")[0]):
                for part in filter(None, (part.strip(" :;,") for part in message.split("…"))):
                    if part not in everything:
                        yield f"`{message}`: nothing prints `{part}`"


def mistakes(page, text, source, files, everything):
    return [*links(page, text, source), *paths(text, source, files), *functions(text, source),
            *messages(text, everything)]


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    files = {file.name for folder in FOLDERS for file in (source / folder).rglob("*") if file.is_file()}
    pages = [*source.glob("*.md"), *(page for folder in FOLDERS for page in (source / folder).rglob("*.md"))]
    everything = all_source(source)
    # What it said of the past stays as it was.
    pages = [page for page in sorted(pages) if page.name != "CHANGELOG.md"]
    failures = [f"{page.relative_to(source)}: {mistake}" for page in pages
                for mistake in mistakes(page, page.read_text(), source, files, everything)]
    control = ("[a](nowhere.md) [b](#no-heading) [c](architecture.md#no-heading) `harness/nowhere/x.cpp` `no_file.cpp`\n"
               "| step | function | in |\n|---|---|---|\n| 1 | `no_function` | `harness/grading/pipeline.cpp` |\n\n"
               "| you see | why |\n|---|---|\n| `no nvcc: … nobody says this` | |\n")
    found = mistakes(source / "docs/README.md", control, source, files, everything)
    if len(found) != 7:
        failures.append(f"the control has 7 mistakes, found were {found}")
    for failure in failures:
        print(failure)
    print(f"{len(pages)} pages, {len(failures)} failures")
    return 1 if failures or len(pages) < 20 else 0


sys.exit(main())
