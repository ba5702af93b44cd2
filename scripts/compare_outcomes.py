#!/usr/bin/env python3
"""Do two versions of cugrade give every test submission the same verdicts, points and modelled speed?

    scripts/compare_outcomes.py record --cugrade BIN --out FOLDER [--backend emulator]
    scripts/compare_outcomes.py compare OLD NEW [--speed-tolerance 0.001]

`record` grades the class of all test submissions, model answers, baselines and stubs as one batch and keeps
its reports. The class comes from the tree that this script lies in, so both versions grade the same files;
take --policy to give both the same grading.yaml. `compare` prints each difference and a table of its kinds;
its exit code is 1 if there is one, or if a report is missing on either side.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def class_files():
    """(assignment, name, file) of all that is graded."""
    for file in sorted(ROOT.glob("tests/submissions/*/*/*.cu")):
        yield file.parts[-3], f"{file.parts[-2]}_{file.stem}", file
    for folder in sorted(ROOT.glob("reference/*/")):
        for name in ("baseline", "solution"):
            if (folder / f"{name}.cu").exists():
                yield folder.name, f"reference_{name}", folder / f"{name}.cu"
    for file in sorted(ROOT.glob("student_template/*/student.cu")):
        yield file.parts[-2], "reference_stub", file


def record(options):
    shutil.rmtree(options.out, ignore_errors=True)
    submissions = options.out / "class"
    count = 0
    for assignment, name, file in class_files():
        (submissions / assignment).mkdir(parents=True, exist_ok=True)
        shutil.copy(file, submissions / assignment / f"{name}.cu")
        count += 1
    command = [options.cugrade, "batch", str(submissions), "--out", str(options.out / "graded"),
               "--backend", options.backend, *(["--policy", options.policy] if options.policy else [])]
    with open(options.out / "log", "w") as log:
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode
    graded = len(list((options.out / "graded/reports").rglob("*.json")))
    print(f"{graded} of {count} submissions graded; cugrade ended with {code}")
    return code != 0 or graded != count


def reports_below(folder):
    top = folder / "graded/reports" if (folder / "graded/reports").is_dir() else folder
    return {str(file.relative_to(top).with_suffix("")): json.loads(file.read_text())
            for file in sorted(top.rglob("*.json"))}


def facts_of(report):
    """{what: value} of all that must stay."""
    facts = {"score": tuple(report["score"][key] for key in ("earned", "judged", "possible"))}
    for task in report["tasks"]:
        name = task["name"]
        facts[f"{name}: verdict"] = task["verdict"]
        facts[f"{name}: points"] = tuple(task["score"][key] for key in ("earned", "judged", "possible"))
        performance = task.get("performance") or {}
        facts[f"{name}: speedup"] = performance.get("speedup")
        for case in task["cases"]:
            facts[f"{name} case {case['id']}: verdict"] = case["verdict"]
    return facts


def same(old, new, tolerance):
    if isinstance(old, float) and isinstance(new, float):
        return abs(old - new) <= tolerance * abs(old)
    return old == new


def compare(options):
    old, new = reports_below(options.old), reports_below(options.new)
    kinds = collections.Counter()
    for name in sorted(old.keys() ^ new.keys()):
        kinds["report"] += 1
        print(f"{name}: graded only in {options.old if name in old else options.new}")
    compared = 0
    for name in sorted(old.keys() & new.keys()):
        before, after = facts_of(old[name]), facts_of(new[name])
        for what in sorted(before.keys() | after.keys()):
            compared += 1
            if not same(before.get(what), after.get(what), options.speed_tolerance):
                kinds[what.rpartition(": ")[2]] += 1
                print(f"{name}: {what}: {before.get(what)} -> {after.get(what)}")
    print(f"{len(old)} and {len(new)} reports, {compared} facts compared, {sum(kinds.values())} differ"
          + "".join(f"; {count} of {kind}" for kind, count in kinds.most_common()))
    return bool(kinds) or not compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--cugrade", required=True)
    recording.add_argument("--out", required=True, type=pathlib.Path)
    recording.add_argument("--backend", default="emulator", choices=("emulator", "gpu"))
    recording.add_argument("--policy")
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=pathlib.Path)
    comparing.add_argument("new", type=pathlib.Path)
    comparing.add_argument("--speed-tolerance", type=float, default=0.001, help="relative (default: %(default)s)")
    comparing.set_defaults(run=compare)
    options = parser.parse_args()
    return options.run(options)


sys.exit(main())
