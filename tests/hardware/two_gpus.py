#!/usr/bin/env python3
"""Grades the same class on one GPU and then on two: how much of the time is left?

Usage: two_gpus.py --cugrade BIN --out FOLDER [--submissions 60] [--most 0.55] [--most-gpu-s 6] [--rest]

The class are the test submissions below correct/ and slow/ that implement one task. Both batches compile
everything (each has a cache of its own) and time everything. Fails if two GPUs take more than --most of the
time of one, if a task had its GPU for longer than --most-gpu-s, if a submission is not graded or is not
accepted as its first line says, or if its score differs between the two batches. --rest grades the test
submissions that are left instead, and the solutions, on all GPUs. Reports are kept in FOLDER/one, two and
rest, as reports/ASSIGNMENT/KIND_NAME.json.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from graded import measured, right_submissions


def or_too_long(seconds):
    """What is not known must not pass for short: max() would leave it out."""
    return math.inf if math.isnan(seconds) else seconds


class Batch:
    """A class graded on these GPUs."""

    def __init__(self, options, name, submissions, gpus):
        folder, out = options.out / f"class-{name}", options.out / name
        for one in submissions:
            (folder / one.name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one.file, folder / f"{one.name}.cu")
        expected = {one.name: one.tasks for one in submissions}
        with tempfile.TemporaryDirectory(prefix="cugrade-cache-") as cache:
            environment = dict(os.environ, CUDA_VISIBLE_DEVICES=gpus, XDG_CACHE_HOME=cache)
            command = [options.cugrade, "batch", str(folder), "--out", str(out), "--backend", "gpu"]
            start = time.monotonic()
            with open(options.out / f"{name}.log", "w") as log:
                subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
            self.seconds = time.monotonic() - start
        self.reports = {str(file.relative_to(out / "reports").with_suffix("")): json.loads(file.read_text())
                        for file in sorted((out / "reports").rglob("*.json"))}
        self.missing = len(submissions) - len(self.reports)
        tasks = [(name, task) for name, report in self.reports.items() for task in report["tasks"]
                 if not expected[name] or task["name"] in expected[name]]
        self.not_right = [f"{name}: {task['name']} is {task['verdict']}" for name, task in tasks
                          if task["verdict"] != "accepted"]
        self.not_right += [f"{name}: the speed of {task['name']} was not measured" for name, task in tasks
                           if task["verdict"] == "accepted" and not measured(task)]
        gpu_s = [task.get("gpu_seconds", math.nan) for _, task in tasks] or [math.nan]
        self.longest_s = max(gpu_s, key=or_too_long)
        print(f"{name:5} {len(self.reports):3} submissions on GPU {gpus:8} {self.seconds:7.1f} s; a task had its GPU "
              f"for {statistics.median(gpu_s):.1f} s (median), {self.longest_s:.1f} s (longest)", flush=True)

    def score(self, name):
        report = self.reports.get(name)
        return report and (report["score"]["earned"], report["verdict"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--submissions", type=int, default=60)
    parser.add_argument("--most", type=float, default=0.55)
    parser.add_argument("--most-gpu-s", type=float, default=6)
    parser.add_argument("--rest", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names = ["rest"] if options.rest else ["one", "two"]
    if there := [name for name in names if (options.out / name).exists()]:
        print(f"{options.out / there[0]} is there already: what it holds would count")
        return 1
    gpus = len(subprocess.run(["nvidia-smi", "-L"], text=True, capture_output=True).stdout.splitlines())
    every = list(right_submissions())
    chosen = [one for one in every if len(one.tasks) == 1][:options.submissions]
    if len(chosen) < options.submissions:
        print(f"only {len(chosen)} test submissions implement one task")
        return 1
    if options.rest:
        left = [one for one in every if one not in chosen]
        batches = [Batch(options, "rest", left, ",".join(map(str, range(gpus))))]
        ratio, said = 0, ""
    else:
        if gpus < 2:
            print("there are no two GPUs here")
            return 1
        one, two = batches = [Batch(options, "one", chosen, "0"), Batch(options, "two", chosen, "0,1")]
        ratio = two.seconds / one.seconds
        said = f"two GPUs take {ratio:.3f} of the time of one (at most {options.most:g}); "
    longest_s = max((batch.longest_s for batch in batches), key=or_too_long)
    said += f"a task has its GPU for {longest_s:.1f} s (at most {options.most_gpu_s:g}); "
    slow = not (ratio <= options.most and longest_s <= options.most_gpu_s)
    bad = [text for batch in batches for text in batch.not_right]
    bad += [f"{name}: {batches[0].score(name)} on one GPU, {batches[-1].score(name)} on two"
            for name in sorted(batches[0].reports.keys() | batches[-1].reports.keys())
            if batches[0].score(name) != batches[-1].score(name)]
    for text in bad:
        print(text)
    missing = sum(batch.missing for batch in batches)
    print(f"{said}{len(bad)} are not right or differ; {missing} gradings are missing")
    return 1 if slow or bad or missing else 0


sys.exit(main())
