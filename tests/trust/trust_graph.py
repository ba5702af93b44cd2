#!/usr/bin/env python3
"""What is linked with a submission includes and contains nothing of the grader.

The archives that become part of a runner (main, tasks, emulated CUDA runtime) may include, of this
project, the protocol and the runner's own header, and may mention no symbol of any other part.
The grader's own library is the control: it must be found guilty by the same checks.
"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1]).resolve()
build = pathlib.Path(sys.argv[2]).resolve()

ALLOWED_INCLUDES = re.compile(
    r"^(harness/protocol/|harness/runner/|harness/emulator/runtime/|assignments/)")
ALLOWED_SYMBOLS = re.compile(r"\bcugrade::(runner|protocol|cudart|emulator::protocol)::")
OURS = re.compile(r"\bcugrade::\w+")


def dependencies():
    """{object: [included files]} from ninja's own log."""
    out = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], check=True, text=True,
                         capture_output=True).stdout
    table, current = {}, None
    for line in out.splitlines():
        if line and not line.startswith(" "):
            current = table.setdefault(line.split(":")[0], [])
        elif line.strip() and current is not None:
            current.append(line.strip())
    return table


def bad_includes(table, marker):
    """Project files that objects of the target `marker` include but may not; None if it has none."""
    objects = [name for name in table if f"/{marker}.dir/" in name]
    if not objects:
        return None
    bad = []
    for name in objects:
        for file in table[name]:
            path = (build / file).resolve()
            if path.is_relative_to(source) and not path.is_relative_to(build):
                relative = str(path.relative_to(source))
                if not ALLOWED_INCLUDES.match(relative):
                    bad.append(f"{name} includes {relative}")
    return bad


def bad_symbols(archive):
    out = subprocess.run(["nm", "-C", str(archive)], check=True, text=True, capture_output=True).stdout
    symbols = [line for line in out.splitlines() if OURS.search(line)]
    return [f"{archive.name}: {line[17:]}" for line in symbols if not ALLOWED_SYMBOLS.search(line)], len(symbols)


def main():
    failures = []
    table = dependencies()
    archives = sorted((build / "lib/cugrade").glob("lib*.a"))
    tasks = [a for a in archives if a.name.startswith("libtasks_")]
    names = [a.name[3:-2] for a in archives]
    for wanted in ("cugrade_runner", "cugrade_cudart"):
        if wanted not in names:
            failures.append(f"lib{wanted}.a is missing below {build}/lib/cugrade")
    if not tasks:
        failures.append("no libtasks_<id>.a was built")
    mentioned = 0
    for archive, name in zip(archives, names):
        includes = bad_includes(table, name)
        if includes is None:
            failures.append(f"ninja knows no object of {name}")
        else:
            failures += includes
        symbols, count = bad_symbols(archive)
        failures += symbols
        mentioned += count
    if mentioned == 0:
        failures.append("no archive mentions any symbol of ours: the check sees nothing")

    control = build / "harness/judging/libcugrade_judging.a"
    if not bad_includes(table, "cugrade_judging") or not bad_symbols(control)[0]:
        failures.append("control: the grader's own library was not found guilty")

    for failure in failures:
        print("FAIL", failure)
    print(f"{len(archives)} archives, {mentioned} symbols of ours, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
