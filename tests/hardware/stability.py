#!/usr/bin/env python3
"""Grades each submission many times with timing: is the speedup, and above all the score, the same each time?

Usage: stability.py --cugrade BIN [--times 30] [--jobs 4] [--gpus 0,1] [--out FOLDER] ASSIGNMENT/TASK:FILE...

--jobs gradings go on at once on each of the --gpus, which has one of them at a time; a submission stays on one
GPU, because two of a kind differ by a percent. Prints a row per submission: the median
speedup, its coefficient of variation (standard deviation over mean) in percent, the smallest and the
largest, and the scores that came out. Fails if a coefficient is above --most (1 %), if one submission got two
scores, or if a speedup was not measured. The reports are kept in FOLDER; those that are there count, so that 30
gradings can be made in several parts: --times 15, then --times 30.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from graded import measured


def parse(text):
    match = re.fullmatch(r"(\w+)/(\w+):(.+)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"`{text}` is not ASSIGNMENT/TASK:FILE")
    if not pathlib.Path(match[3]).exists():
        raise argparse.ArgumentTypeError(f"{match[3]} is not there")
    return match[1], match[2], pathlib.Path(match[3])


def grade(options, gpu, one, number):
    """(speedup or None, points earned, points judged, verdict) of one grading, or the text of an error."""
    assignment, task, file = one
    name = f"{assignment}-{task}-{file.stem}-{number:03}-gpu{gpu}.json"
    kept = pathlib.Path(options.out) / name if options.out else None
    if kept and kept.exists():
        return result_of(json.loads(kept.read_text()))
    command = [options.cugrade, "check", str(file), "-a", assignment, "--task", task, "--backend", "gpu",
               "--format", "json", "--jobs", "1"]
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=gpu)
    done = subprocess.run(command, text=True, capture_output=True, timeout=1800, env=environment)
    if done.returncode != 0:
        return f"cugrade ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(done.stdout)
        part.rename(kept)
    return result_of(json.loads(done.stdout))


def result_of(report):
    result = report["tasks"][0]
    return measured(result).get("speedup"), report["score"]["earned"], report["score"]["judged"], result["verdict"]


def of_gpu(options, gpu, submissions):
    """The results of these submissions, all on one GPU."""
    # In turns, not one after the other: whatever changes with time shows in all of them.
    rest = [(one, number) for number in range(1, options.times) for one in submissions]
    results = {one: [grade(options, gpu, one, 0)] for one in submissions}  # compiled once, not by all jobs at once
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (one, _), result in zip(rest, pool.map(lambda item: grade(options, gpu, *item), rest)):
            results[one].append(result)
    return results


def row(one, results, most):
    """(text, True if all is as it must be)"""
    assignment, task, file = one
    name = f"{assignment}/{task} {file.stem}"
    errors = [result for result in results if isinstance(result, str)]
    if errors:
        return f"{name:44} {len(errors)} of {len(results)} were not graded: {errors[0]}", False
    speedups = [speedup for speedup, *_ in results if speedup is not None]
    scores = collections.Counter((f"{earned:g} of {judged:g}", verdict) for _, earned, judged, verdict in results)
    told = ", ".join(f"{score} ({verdict}) {count} times" for (score, verdict), count in scores.most_common())
    if len(speedups) < max(len(results), 2):
        return f"{name:44} only {len(speedups)} of {len(results)} have a measured speedup; {told}", False
    variation = 100 * statistics.stdev(speedups) / statistics.mean(speedups)
    good = variation <= most and len(scores) == 1
    return (f"{name:44} {statistics.median(speedups):9.3f} {variation:7.3f} % {min(speedups):9.3f} "
            f"{max(speedups):9.3f}  {told}{'' if good else '  NOT STABLE'}"), good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--gpus", default="0", help="as CUDA_VISIBLE_DEVICES")
    parser.add_argument("--most", type=float, default=1, help="coefficient of variation in percent")
    parser.add_argument("--out", default="")
    parser.add_argument("submissions", nargs="+", type=parse, metavar="ASSIGNMENT/TASK:FILE")
    options = parser.parse_args()
    start = time.monotonic()
    gpus = options.gpus.split(",")
    results = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(len(gpus)) as pool:
        for found in pool.map(lambda k: of_gpu(options, gpus[k], options.submissions[k::len(gpus)]), range(len(gpus))):
            results.update(found)
    print(f"{'submission':44} {'median':>9} {'varies':>9} {'smallest':>9} {'largest':>9}  scores")
    unstable = 0
    for one in options.submissions:
        text, good = row(one, results[one], options.most)
        unstable += not good
        print(text)
    print(f"{len(options.submissions)} submissions, {options.times} times each, {unstable} not stable, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if unstable else 0


sys.exit(main())
