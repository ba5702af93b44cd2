#!/usr/bin/env python3
"""Times the right submissions on a GPU: the data that modelled times are calibrated with and judged by.

Usage: speedups.py --cugrade BIN --out FILE.tsv [--jobs 8] [--only REGEX] [--skip REGEX] [--reports FOLDER]...

Each of tests/submissions/*/{correct,slow} and each solution is graded with timing, tasks that are
expected to be accepted only, --jobs at once; they take turns on the GPU. The file has a row per
submission and task: assignment, task, kind, name, median microseconds of baseline and submission, and the
limits of the speedup's 95 % confidence interval. What has been graded already, as
FOLDER/ASSIGNMENT/KIND_NAME.json (two_gpus.py), is read from there.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

from graded import measured, right_submissions


def check(options, one):
    for folder in options.reports:
        report = folder / f"{one.name}.json"
        if report.exists():
            found = json.loads(report.read_text())
            timed = {task["name"] for task in found["tasks"] if measured(task)}
            if timed and timed >= set(one.tasks):
                return found, None
    command = [options.cugrade, "check", str(one.file), "-a", one.assignment, "--backend", "gpu", "--format", "json",
               "--jobs", "1"]
    for task in one.tasks:
        command += ["--task", task]
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "not graded within 300 s"
    if done.returncode != 0:
        return None, done.stderr.strip()[-300:]
    return json.loads(done.stdout), None


def rows(options, one):
    """Those of one submission, and whether a task has none."""
    report, error = check(options, one)
    if error:
        print(f"{one.file}: {error}", file=sys.stderr)
        return [], True
    out = []
    for task in report["tasks"]:
        performance = measured(task)
        if performance and (not one.tasks or task["name"] in one.tasks):
            out.append([one.assignment, task["name"], one.kind, one.file.stem,
                        *(f"{performance[key]:.4g}" for key in ("baseline_us", "submission_us", "low", "high"))])
    wanted = set(one.tasks) or {task["name"] for task in report["tasks"]}
    return out, not {row[1] for row in out} >= wanted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="^$")
    parser.add_argument("--reports", action="append", default=[], type=pathlib.Path)
    options = parser.parse_args()
    chosen = [one for one in right_submissions()
              if re.search(options.only, str(one.file)) and not re.search(options.skip, str(one.file))]
    missing = 0
    with open(options.out, "w") as out, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        out.write("assignment\ttask\tkind\tname\tbaseline_us\tsubmission_us\tlow\thigh\n")
        for found, lacks in pool.map(lambda one: rows(options, one), chosen):
            for row in found:
                out.write("\t".join(row) + "\n")
            out.flush()
            missing += lacks
    if missing or not chosen:
        print(f"{missing} of {len(chosen)} submissions have no time")
    return 1 if missing or not chosen else 0


sys.exit(main())
