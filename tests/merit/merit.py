#!/usr/bin/env python3
"""The points of solutions of unlike merit, and the table of docs/grading-policy.md that shows them.

    tests/merit/merit.py --cugrade BIN            writes the table
    tests/merit/merit.py --cugrade BIN --check    fails if it would differ, or if the order of the points is
                                                  not that of the files' names
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs/grading-policy.md"
BEGIN, END = "<!-- written by tests/merit/merit.py -->\n", "<!-- end -->\n"


def graded(cugrade, file):
    command = [cugrade, "check", str(file), "-a", "reduction", "--task", "sum", "--backend", "emulator",
               "--format", "json"]
    return json.loads(subprocess.run(command, check=True, text=True, capture_output=True).stdout)["tasks"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows, totals, failures = [], [], []
    for file in sorted(HERE.glob("*.cu")):
        task = graded(options.cugrade, file)
        what = file.read_text().splitlines()[0].removeprefix("// ").rstrip(".")
        parts = [task[part]["earned"] for part in ("correctness", "technique", "performance", "score")]
        rows.append(f"| {what} | `{task['verdict']}` | " + " | ".join(f"{points:g}" for points in parts) + " |\n")
        totals.append((parts[-1], file.name))
    for (fewer, worse), (more, better) in zip(totals, totals[1:]):
        if not fewer < more:
            failures.append(f"{better} gets {more} points, no more than {worse} with {fewer}")
    possible = [task[part]["possible"] for part in ("correctness", "technique", "performance", "score")]
    table = ("| solution | verdict | correctness | technique | speed | points |\n|---|---|---|---|---|---|\n"
             + "".join(rows) + "| possible | | " + " | ".join(f"{points:g}" for points in possible) + " |\n")
    text = DOCUMENT.read_text()
    before, rest = text.split(BEGIN)
    written = before + BEGIN + table + END + rest.split(END, 1)[1]
    if options.check and written != text:
        failures.append(f"{DOCUMENT.name} does not show what is graded:\n{table}")
    if not options.check:
        DOCUMENT.write_text(written)
    if len(totals) < 6:
        failures.append(f"only {len(totals)} solutions are there")
    print("\n".join([*failures, f"{len(totals)} solutions, {len(failures)} failures"]))
    return 1 if failures else 0


sys.exit(main())
