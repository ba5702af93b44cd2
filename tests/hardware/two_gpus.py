#!/usr/bin/env python3
"""Grades the same class on one GPU and then on two: how much of the time is left?

Usage: two_gpus.py --cugrade BIN --out FOLDER [--submissions 60] [--most 0.55] [--rest]

The class are the test submissions below correct/ and slow/ that implement one task. Both batches compile
everything (each has a cache of its own) and time everything. Fails if two GPUs take more than --most of the
time of one, if a submission is not graded, or if its score differs between the two batches. --rest grades
the test submissions that are left, and the solutions, too, on all GPUs, after that. Reports are kept in
FOLDER/one, two and rest, as reports/ASSIGNMENT/KIND_NAME.json.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def one_task(file):
    return len(re.findall(r"\w+=", file.read_text().splitlines()[0])) == 1


def make_class(folder, files):
    """FOLDER/ASSIGNMENT/KIND_NAME.cu; a model answer is solution_solution.cu."""
    for file in files:
        solution = file.name == "solution.cu"
        assignment, kind = (file.parts[-2], "solution") if solution else file.parts[-3:-1]
        to = folder / assignment / f"{kind}_{file.name}"
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)


def batch(options, name, gpus):
    """Seconds, and {report: (points, verdict)}."""
    out = options.out / name
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=gpus, XDG_CACHE_HOME=str(options.out / f"cache-{name}"))
    command = [options.cugrade, "batch", str(options.out / f"class-{name}"), "--out", str(out), "--backend", "gpu"]
    start = time.monotonic()
    with open(options.out / f"{name}.log", "w") as log:
        subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
    seconds = time.monotonic() - start
    reports = [(file, json.loads(file.read_text())) for file in sorted((out / "reports").rglob("*.json"))]
    scores = {str(file.relative_to(out)): (r["score"]["earned"], r["verdict"]) for file, r in reports}
    print(f"{name:5} {len(scores):3} submissions on GPU {gpus:4} {seconds:7.1f} s", flush=True)
    return seconds, scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--submissions", type=int, default=60)
    parser.add_argument("--most", type=float, default=0.55)
    parser.add_argument("--rest", action="store_true")
    options = parser.parse_args()
    try:
        options.out.mkdir(parents=True)
    except FileExistsError:
        print(f"{options.out} is there already: what it holds would count")
        return 1
    gpus = len(subprocess.run(["nvidia-smi", "-L"], text=True, capture_output=True).stdout.splitlines())
    if gpus < 2:
        print("there are no two GPUs here")
        return 1
    files = [f for kind in ("correct", "slow") for f in sorted(ROOT.glob(f"tests/submissions/*/{kind}/*.cu"))]
    chosen = [f for f in files if one_task(f)][:options.submissions]
    if len(chosen) < options.submissions:
        print(f"only {len(chosen)} test submissions implement one task")
        return 1
    make_class(options.out / "class-one", chosen)
    make_class(options.out / "class-two", chosen)
    seconds_of_one, one = batch(options, "one", "0")
    seconds_of_two, two = batch(options, "two", "0,1")
    bad = [name for name in one.keys() | two.keys() if one.get(name) != two.get(name)]
    for name in sorted(bad):
        print(f"{name}: {one.get(name)} on one GPU, {two.get(name)} on two")
    missing = 2 * len(chosen) - len(one) - len(two)
    if options.rest:
        left = [f for f in files if f not in chosen] + sorted(ROOT.glob("reference/*/solution.cu"))
        make_class(options.out / "class-rest", left)
        _, rest = batch(options, "rest", ",".join(map(str, range(gpus))))
        missing += len(left) - len(rest)
    ratio = seconds_of_two / seconds_of_one
    print(f"two GPUs take {ratio:.3f} of the time of one (at most {options.most:g}); "
          f"{len(bad)} scores differ; {missing} gradings are missing")
    return 1 if ratio > options.most or bad or missing else 0


sys.exit(main())
