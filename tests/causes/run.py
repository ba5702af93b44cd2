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

unseen/<assignment> has the last ones that came in: 72, of which the grader of 942161d, which nobody had changed for them, had the
id right 63 times, id and line 52 times, and proven 45; and 30, of which that of a0c2b1d had 26, 21 and 18.

With --named it looks whether cugrade names the cause instead: the first cause of the task must have the id, and the line must be
its line or between that and its end_line. A line of a table each, and how many of all; --least ID LINE PROVEN: so many of each
at least, in percent.
What the causes claim is held against all cases and the source (statements.py): none of it may be untrue.
With --advised it then follows the advice to the letter, where a script can: what is put behind or in front of a line, changed
from one text into another, exchanged in a launch, or named. After that the task has to be right.

Usage: run.py --cugrade BIN [--named [--advised]] [--one-in N] [--jobs N] [FILE...]
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import statements

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
        is_unwritten = name != head["task"] and any(
            cause["id"] in ("function_missing", "nothing_launched") for cause in task.get("causes", []))
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


def causes_of(options, file):
    """What cugrade says of the task, the first cause first; and what of that does not hold."""
    text = file.read_text()
    head = HEAD.match(text)
    if not head:
        raise Wrong(f"{file} does not begin with cause, task and a sentence")
    task = grade(options, file, file.parent.name)[head["task"]]
    return task.get("causes", []), statements.untrue(task, text)


def compared(file, causes):
    """Returns (has the id, has the line, is proven, a text) of the first cause."""
    head = HEAD.match(file.read_text())
    if not causes:
        return False, False, False, f"{head['ids']}:{head['lines']} no cause"
    first = causes[0]
    begin = first.get("line", 0)
    text = f"{head['ids']}:{head['lines']} {first['id']}:{begin} {first['proof']}"
    has_line = any(begin <= line <= max(begin, first.get("end_line", 0)) for line in lines_of(head))
    return first["id"] in head["ids"].rstrip("?").split(" or "), has_line, first["proof"] == "proven", text


def only(pattern, replacement, line):
    """The line with its only match replaced; None: it has none, or several."""
    return re.sub(pattern, replacement, line) if len(re.findall(pattern, line)) == 1 else None


def edits_of(advice, line):
    """What the advice makes of the line it is about, as it may be written; None: a person has to do it."""
    if change := re.match(r"Change `(.+?)` to `(.+?)`", advice):
        old, new = change.groups()
        return only(statements.alone(old), lambda _: new, line)
    if direction := re.match(r"Write (cudaMemcpy\w+To\w+) there", advice):
        return only(r"cudaMemcpy(Host|Device)To(Host|Device)", direction[1], line)
    if advice.startswith("Write the grid first"):
        return only(r"<<<([^,()]+), ([^,()]+)(,|>>>)", r"<<<\2, \1\3", line)
    if advice.startswith("Use `atomicAdd` in line"):
        cast = "(unsigned long long*)" if "(unsigned long long*)" in advice else ""
        return only(r"^(\s*(?:if \((?:[^()]|\([^()]*\))*\) |.*\{ )?)([^=;{}]+?) \+= ([^;]+);", rf"\1atomicAdd({cast}&\2, \3);", line)
    return None


def follow(text, cause):
    """The submission after the advice; None: it takes a person to follow it."""
    lines = text.split("\n")
    if put := re.match(r"Put (__\w+\(\)) (after|before) line (\d+)", cause["advice"]):
        call, where, number = put[1], put[2], int(put[3])
        at = number if where == "after" else number - 1
        return "\n".join(lines[:at] + [call + ";"] + lines[at:])
    number = re.search(r"in line (\d+)", cause["advice"])
    at = int(number[1]) if number else cause.get("line", 0)
    if not 0 < at <= len(lines):
        return None
    edited = edits_of(cause["advice"], lines[at - 1])
    return None if edited is None else "\n".join(lines[:at - 1] + [edited] + lines[at:])


def after_advice(options, file, causes):
    """Returns whether the task is right after the advice of its first cause, and a text; None if a script cannot follow it."""
    text = file.read_text()
    edited = follow(text, causes[0]) if causes else None
    if edited is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / file.name
        copy.write_text(edited)
        task = grade(options, copy, file.parent.name)[HEAD.match(text)["task"]]
    return is_right(task), f"{causes[0]['id']}:{causes[0].get('line', 0)} {causes[0]['proof']}: {causes[0]['advice']}" + (
        "" if is_right(task) else f" -> {task['verdict']}")


def print_advised(options, files, told, pool):
    """The advice that a script could follow, and what came of it. Returns whether all of it mends."""
    followed = list(pool.map(lambda one: after_advice(options, *one), zip(files, told)))
    followed = [(file, one) for file, one in zip(files, followed) if one]
    for file, (mends, text) in followed:
        print(f"{'mends' if mends else 'WRONG':<6} {file.parent.name + '/' + file.stem:<58} {text}")
    wrong = sum(not one[0] for _, one in followed)
    print(f"{len(files)} submissions, {len(followed)} with advice that a script can follow, {wrong} not mended by it")
    return followed and wrong == 0


def print_named(options, files):
    """The table of what cugrade names. Returns whether all of it is right."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        told, untrue = zip(*pool.map(lambda file: causes_of(options, file), files))
        named = [compared(file, causes) for file, causes in zip(files, told)]
        for file, (has_id, has_line, _, text) in zip(files, named):
            mark = "right" if has_id and has_line else "line?" if has_id else "id?"
            print(f"{mark:<6} {file.parent.name + '/' + file.stem:<58} {text}")
        count = len(files)
        sums = sum(n[0] for n in named), sum(n[0] and n[1] for n in named), sum(n[0] and n[2] for n in named)
        print(f"{count} submissions: id right {sums[0]}, id and line right {sums[1]}, id right and proven {sums[2]}")
        for file, found in zip(files, untrue):
            for text in found:
                print(f"UNTRUE {file.parent.name + '/' + file.stem:<58} {text}")
        print(f"{sum(map(len, told))} causes, {sum(map(len, untrue))} statements that do not hold for all cases, or for the source")
        good = all(100 * has >= least * count for has, least in zip(sums, options.least)) and not any(untrue)
        return (not options.advised or print_advised(options, files, told, pool)) and good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--advised", action="store_true")
    parser.add_argument("--least", nargs=3, type=int, metavar=("ID", "LINE", "PROVEN"), default=(100, 100, 0))
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="look at one file in N, by its name's checksum")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    # By the name, so that a file that is added puts no other one in or out.
    files = [file for file in options.files or sorted(HERE.glob("*/*.cu"))
             if zlib.crc32(f"{file.parent.name}/{file.stem}".encode()) % options.one_in == 0]
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
