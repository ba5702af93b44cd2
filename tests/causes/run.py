#!/usr/bin/env python3
"""Wrong submissions with a known cause, and the edit that mends each.

tests/causes/<assignment>/<name>.cu begins with
    // cause: <id> line <n>      the root cause, and the line to edit; "a or b" where two are as right
    // task: <task>              whose function is wrong
    // <what is wrong, and when it shows>
and <name>.fix beside it is the edit, a unified diff. They were written from the handouts alone, by people who had not
seen the grader. An id that ends with ? is the author's own.

This looks whether they are what they say: as it is, a submission's task is not accepted, or slower than mended where the cause is
too_slow, which a time limit shows, too; mended, all its tasks are right that are written. `// not seen: <why>` in a file says that no run shows the mistake.

With --named it looks whether cugrade names the cause instead: the first cause of the task must have the id, and the line must be
its line or between that and its end_line. A line of a table each, and how many of all; --least ID LINE PROVEN: so many of each
at least, in percent.

Usage: run.py --cugrade BIN [--named] [--one-in N] [--jobs N] [FILE...]
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
HEAD = re.compile(r"// cause: (?P<ids>[a-z0-9_]+\??(?: or [a-z0-9_]+)*) line (?P<lines>\d+(?: or \d+)*)\n"
                  r"// task: (?P<task>\w+)\n// .")


class Wrong(Exception):
    """A file is not what it says."""


def lines_of(head):
    return [int(line) for line in head["lines"].split(" or ")]


def grade(options, source, assignment):
    command = [options.cugrade, "check", str(source), "-a", assignment, "--backend", "emulator", "--format", "json", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 4):
        raise Wrong(f"cugrade ends with {done.returncode}: {done.stderr.strip()}")
    return {task["name"]: task for task in json.loads(done.stdout)["tasks"]}


def is_right(task):
    return all(case["verdict"] in ("accepted", "skipped") for case in task["cases"])


def look_at(options, file):
    """Returns (id, what the task's verdict is as written), or raises Wrong."""
    text = file.read_text()
    head = HEAD.match(text)
    if not head:
        raise Wrong("does not begin with cause, task and a sentence")
    for line in lines_of(head):
        if not 3 < line <= len(text.splitlines()):
            raise Wrong(f"has no line {line}")
    with tempfile.TemporaryDirectory() as folder:
        mended = pathlib.Path(folder) / file.name
        patched = subprocess.run(["patch", "--silent", "--output", str(mended), str(file), str(file.with_suffix(".fix"))],
                                 capture_output=True, text=True)
        if patched.returncode != 0:
            raise Wrong(f"the edit does not apply: {patched.stdout}{patched.stderr}")
        right = grade(options, mended, file.parent.name)
    for name, task in right.items():
        is_unwritten = name != head["task"] and task["verdict"] == "function_missing"
        if not is_unwritten and not is_right(task):
            raise Wrong(f"mended, {name} is {task['verdict']}: " +
                        next((case["message"] for case in task["cases"] if case["message"]), ""))
    wrong = grade(options, file, file.parent.name)
    if head["task"] not in wrong:
        raise Wrong(f"has no task {head['task']}: {', '.join(wrong)}")
    task = wrong[head["task"]]
    if head["ids"] == "too_slow":
        no_mistake = all(case["verdict"] in ("accepted", "skipped", "time_limit") for case in task["cases"])
        shows = no_mistake and task["score"]["earned"] < right[head["task"]]["score"]["earned"]
    else:
        shows = not is_right(task)
    is_hidden = "\n// not seen: " in text
    if shows == is_hidden:
        raise Wrong("shows, and says that it does not" if shows else f"does not show: {task['verdict']}")
    return head["ids"], task["verdict"]


def first_cause(options, file):
    """Returns (has the id, has the line, is proven, a text) of the first cause that cugrade names."""
    head = HEAD.match(file.read_text())
    if not head:
        raise Wrong("does not begin with cause, task and a sentence")
    causes = grade(options, file, file.parent.name)[head["task"]].get("causes", [])
    if not causes:
        return False, False, False, f"{head['ids']}:{head['lines']} no cause"
    first = causes[0]
    begin = first.get("line", 0)
    text = f"{head['ids']}:{head['lines']} {first['id']}:{begin} {first['proof']}"
    has_line = any(begin <= line <= max(begin, first.get("end_line", 0)) for line in lines_of(head))
    return first["id"] in head["ids"].rstrip("?").split(" or "), has_line, first["proof"] == "proven", text


def print_named(options, files):
    """The table of what cugrade names. Returns whether all of it is right."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        named = list(pool.map(lambda file: first_cause(options, file), files))
    for file, (has_id, has_line, _, text) in zip(files, named):
        mark = "right" if has_id and has_line else "line?" if has_id else "id?"
        print(f"{mark:<6} {file.parent.name + '/' + file.stem:<58} {text}")
    count = len(files)
    sums = sum(n[0] for n in named), sum(n[0] and n[1] for n in named), sum(n[0] and n[2] for n in named)
    print(f"{count} submissions: id right {sums[0]}, id and line right {sums[1]}, id right and proven {sums[2]}")
    return all(100 * has >= least * count for has, least in zip(sums, options.least))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--least", nargs=3, type=int, metavar=("ID", "LINE", "PROVEN"), default=(100, 100, 0))
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="look at every Nth file alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    files = (options.files or sorted(HERE.glob("*/*.cu")))[::options.one_in]
    if not files:
        sys.exit("no submissions")
    if options.named:
        sys.exit(0 if print_named(options, files) else 1)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seen = {pool.submit(look_at, options, file): file for file in files}
        for one in concurrent.futures.as_completed(seen):
            name = f"{seen[one].parent.name}/{seen[one].stem}"
            try:
                print(f"{name:<58} {one.result()[0]:<28} {one.result()[1]}", flush=True)
            except Wrong as problem:
                failed += 1
                print(f"{name:<58} WRONG: {problem}", flush=True)
    print(f"{len(files)} submissions, {failed} not what they say")
    sys.exit(1 if failed else 0)


main()
