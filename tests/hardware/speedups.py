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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def submissions():
    """(assignment, kind, file, tasks)"""
    for file in sorted(ROOT.glob("reference/*/solution.cu")):
        yield file.parent.name, "solution", file, []
    for kind in ("correct", "slow"):
        for file in sorted(ROOT.glob(f"tests/submissions/*/{kind}/*.cu")):
            first = file.read_text(errors="replace").splitlines()[0]
            tasks = re.findall(r"(\w+)=accepted\b", first)
            if tasks:
                yield file.parts[-3], kind, file, tasks


def basis(task):
    return (task.get("performance") or {}).get("basis")


def check(options, one):
    assignment, kind, file, tasks = one
    for folder in options.reports:
        report = folder / assignment / f"{kind}_{file.stem}.json"
        if report.exists():
            found = json.loads(report.read_text())
            measured = {task["name"] for task in found["tasks"] if basis(task) == "measured"}
            if measured and measured >= set(tasks):
                return found, None
    command = [options.cugrade, "check", str(file), "-a", assignment, "--backend", "gpu", "--format", "json",
               "--jobs", "1"]
    for task in tasks:
        command += ["--task", task]
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "not graded within 300 s"
    if done.returncode != 0:
        return None, done.stderr.strip()[-300:]
    return json.loads(done.stdout), None


def rows(options, one):
    assignment, kind, file, tasks = one
    report, error = check(options, one)
    if error:
        print(f"{file}: {error}", file=sys.stderr)
        return []
    out = []
    for task in report["tasks"]:
        performance = task.get("performance")
        if basis(task) == "measured" and (not tasks or task["name"] in tasks):
            out.append([assignment, task["name"], kind, file.stem,
                        *(f"{performance[key]:.4g}" for key in ("baseline_us", "submission_us", "low", "high"))])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="^$")
    parser.add_argument("--reports", action="append", default=[], type=pathlib.Path)
    options = parser.parse_args()
    chosen = [one for one in submissions()
              if re.search(options.only, str(one[2])) and not re.search(options.skip, str(one[2]))]
    with open(options.out, "w") as out, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        out.write("assignment\ttask\tkind\tname\tbaseline_us\tsubmission_us\tlow\thigh\n")
        for found in pool.map(lambda one: rows(options, one), chosen):
            for row in found:
                out.write("\t".join(row) + "\n")
            out.flush()
    return 0


sys.exit(main())
