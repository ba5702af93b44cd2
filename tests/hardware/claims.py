#!/usr/bin/env python3
"""Compares what runners claim with what the grader's clock says, in reports of gradings on a GPU.

Usage: claims.py [--within 5] [--from-us 50] FOLDER...

Reads all reports (*.json) below the FOLDERs and prints, for each task and for its baseline and its
submissions, the smallest and the largest ratio of claim to audit (docs/engineering/timing.md), and every single one
that is off by more than --within percent, of calls of --from-us microseconds and more. Fails if there is
one of these, or if no report has a measured time.
"""
import argparse
import collections
import json
import pathlib
import sys

from graded import measured


def ratios(report):
    """(task, "baseline" or "submission", microseconds of a call, claim / audit) of a report."""
    for task in report["tasks"] if isinstance(report, dict) and "tasks" in report else []:
        times = measured(task)
        if not times:
            continue
        for who in ("baseline", "submission"):
            audit, claim = times[f"{who}_us"], times[f"{who}_claim_us"]
            yield f"{report['assignment']}/{task['name']}", who, audit, claim / audit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--within", type=float, default=5, help="percent")
    parser.add_argument("--from-us", type=float, default=50, help="shorter calls are only counted")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    found = collections.defaultdict(list)
    off, short, reports = [], 0, 0
    for file in sorted(f for folder in options.folders for f in folder.rglob("*.json")):
        report = json.loads(file.read_text())
        timed = list(ratios(report))
        reports += bool(timed)
        for task, who, audit, ratio in timed:
            if audit < options.from_us:
                short += 1
                continue
            found[task, who].append(ratio)
            if abs(ratio - 1) > options.within / 100:
                off.append(f"{file}: {task}, {who}: {ratio:.3f} of {audit:.1f} us")
    if not found:
        print(f"no report with a measured time of {options.from_us:g} us and more")
        return 1
    print(f"{'task':32} {'whose calls':12} {'times':>5} {'smallest':>9} {'largest':>9}")
    for (task, who), all_of_them in sorted(found.items()):
        print(f"{task:32} {who:12} {len(all_of_them):5} {min(all_of_them):9.3f} {max(all_of_them):9.3f}")
    print(*off, sep="\n", end="\n" if off else "")
    print(f"{sum(map(len, found.values()))} claims in {reports} reports, {len(off)} off by more than "
          f"{options.within:g} %; {short} of calls under {options.from_us:g} us not judged")
    return 1 if off else 0


sys.exit(main())
