#!/usr/bin/env python3
"""A line per task of the solutions' reports OUT/solution-*.json; fails if one task was not timed: times.py OUT"""
import json
import pathlib
import sys


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("solution-*.json"))
    tasks = timed = 0
    for file in files:
        report = json.loads(file.read_text())
        for task in report["tasks"]:
            p = task.get("performance") or {}
            tasks, timed = tasks + 1, timed + ("speedup" in p)
            print(f"{report['assignment']:14} {task['name']:18} {task['verdict']:14} "
                  f"speedup {p.get('speedup', 0):8.2f}  [{p.get('low', 0):.2f}, {p.get('high', 0):.2f}]  "
                  f"baseline {p.get('baseline_us', 0):10.1f} us  solution {p.get('submission_us', 0):10.1f} us")
    print(f"{len(files)} solutions, {tasks} tasks, {timed} timed")
    return 1 if timed < tasks or not tasks else 0


sys.exit(main())
