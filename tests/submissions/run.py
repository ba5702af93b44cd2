#!/usr/bin/env python3
"""Grades every test submission and compares its verdicts with those that its first lines state.

    // expect: sum=wrong_answer max=accepted      verdict per task; only these tasks are graded
    // expect-gpu: sum=accepted|wrong_answer      where hardware gives another verdict, or `skip`
    // report: global_race 23 31, uninitialised_read 12
                                                  what the checkers and faults name, and the lines (of a race
                                                  both); `out_of_bounds`, `deadlock` and so on for faults. All of
                                                  it and nothing else; without this line there must be none; `*`
                                                  where a race of processes decides.
    // undetected: why                            below wrong/, where the emulated GPU must accept it
    // at-most: sum=19 sum.performance=0          below cheat/: most points of a task, or of its part `performance`
                                                  or `technique`. All parts have to be judged: what is not judged
                                                  is not charged, which is a gain as well. (A task that is `skipped`
                                                  is none: batch puts it before a person.)
    // limits: wall=1 memory=256MiB              of grading.yaml, in the place of those that stand there: an attack
                                                  that goes on until a limit ends it, ends sooner

Usage: run.py --cugrade BIN [--backend emulator|gpu] [--ptx 75] [--jobs N] [--assignment ID] [--only TEXT]
              [--kinds KIND...]
              [--wrong-one-in N] [--twice KIND...] [--plain KIND...] [--also PTX[:BYTES]...] [--also-one-in N] [--also-kinds KIND...]
--twice KIND... grades each file of these kinds a second time and requires the same score and verdicts.
--wrong-one-in N grades one of N files below wrong/, chosen by its name, and all others.
--plain KIND... does so by emulated GPUs that run PTX as it is written, without the decoder's optimisations.
--also PTX[:BYTES]... grades each file of --also-kinds from this PTX, too, with checkers that see cases of up
to BYTES, and requires what was stated, and the score and verdicts of the first grading.
--passed FILE remembers what passed, by the content of everything that decides the result (programs,
libraries, assignment, policy, toolkit, the file itself): an unchanged pass is not graded again.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent
KINDS = ("correct", "slow", "wrong", "cheat")


def expectations(path, backend):
    """{task: set of verdicts}, None to skip the file on this backend; raises on a bad file."""
    lines = path.read_text(errors="replace").splitlines()[:2]
    if not lines or not lines[0].startswith("// expect:"):
        raise ValueError(f"{path}: the first line is not `// expect: task=verdict ...`")
    text = lines[0][len("// expect:"):]
    if backend == "gpu" and len(lines) > 1 and lines[1].startswith("// expect-gpu:"):
        override = lines[1][len("// expect-gpu:"):].strip()
        if override == "skip":
            return None
        text += " " + override  # later entries win
    out = {}
    for item in text.split():
        match = re.fullmatch(r"(\w+)=([\w|]+)", item)
        if not match:
            raise ValueError(f"{path}: cannot read `{item}`")
        out[match[1]] = set(match[2].split("|"))
    if not out:
        raise ValueError(f"{path}: no task is expected")
    return out


def stated_reports(path):
    """{"shared_race 23 31", ...}: kinds and lines that the header states."""
    for line in path.read_text(errors="replace").splitlines()[:5]:
        if line.startswith("// report:"):
            return {" ".join(part.split()) for part in line[len("// report:"):].split(",")}
    return set()


def reports_of(report):
    """The same of a report: what the checkers found in any case, and where kernels failed."""
    out = set()
    for task in report["tasks"]:
        for case in task["cases"]:
            for finding in case.get("findings", []):
                places = [finding[key]["line"] for key in ("location", "second_location") if key in finding]
                out.add(" ".join([finding["kind"], *map(str, sorted(places))]))
            if "location" in case and not case.get("findings") and case["verdict"] not in ("compile_error", "forbidden"):
                out.add(f"{case['verdict']} {case['location']['line']}")
    return out


def stated_points(path):
    """{("sum", "performance"): 0, ("sum", None): 19, ...}"""
    out = {}
    for line in path.read_text(errors="replace").splitlines()[:4]:
        if line.startswith("// at-most:"):
            for item in line[len("// at-most:"):].split():
                match = re.fullmatch(r"(\w+)(?:\.(performance|technique))?=([0-9.]+)", item)
                if not match:
                    raise ValueError(f"{path}: cannot read `{item}`")
                out[match[1], match[2]] = float(match[3])
    return out


def policy_of(options, path, folder):
    """A grading.yaml with the limits that the header states, or None if it states none."""
    for line in path.read_text(errors="replace").splitlines()[:5]:
        if not line.startswith("// limits:"):
            continue
        policy = (pathlib.Path(options.cugrade).resolve().parent.parent / "share/cugrade/grading.yaml").read_text()
        for item in line[len("// limits:"):].split():
            key, _, value = item.partition("=")
            policy, found = re.subn(rf"^    {re.escape(key)}: *[^ \n#]+", f"    {key}: {value}", policy, flags=re.M)
            if found != 1:
                raise ValueError(f"{path}: grading.yaml has {found} limits `{key}`")
        changed = pathlib.Path(folder) / "grading.yaml"
        changed.write_text(policy)
        return changed
    return None


def gains_of(path, report):
    """Points that an attack got beyond what its header allows, and parts that nobody judged."""
    problems = []
    stated = stated_points(path)
    for task in report["tasks"]:
        parts = {None: task["score"], "performance": task.get("performance"), "technique": task.get("technique")}
        # A task that is not judged at all is put before a person. Without a GPU nobody gets the speed of one that
        # has no model.
        speed = task.get("performance") or {}
        for_all = speed.get("possible", 0) if speed.get("note") == "needs a GPU" else 0
        if parts[None]["judged"] < parts[None]["possible"] - for_all and task["verdict"] != "skipped":
            problems.append(f"{task['name']}: only {parts[None]['judged']} of {parts[None]['possible']} are judged")
        for (name, part), most in stated.items():
            if name == task["name"] and parts[part] and parts[part]["earned"] > most:
                problems.append(f"{name} earns {parts[part]['earned']} {part or 'points'}, at most {most} are due")
    return problems


def by_name(path, n):
    """A number below n that the file's name chooses."""
    return hashlib.sha256(path.name.encode()).digest()[0] % n


def also_graded(options, path):
    """[(PTX, bytes that checkers see or None), ...]"""
    if path.parent.name not in options.also_kinds:
        return []
    also = options.also
    if options.also_one_in:
        pick = by_name(path, options.also_one_in)
        also = also[pick:pick + 1]
    return [(int(ptx), int(size) if size else None) for ptx, _, size in (one.partition(":") for one in also)]


def grade(options, path, expected, ptx=None, check_bytes=None, plain=False):
    command = [options.cugrade, "check", str(path), "-a", path.parts[-3], "--backend", options.backend,
               "--format", "json", "--jobs", "1"]
    if path.parent.name != "cheat":
        command.append("--no-timing")
    if options.backend == "emulator":
        command += ["--ptx", str(ptx or options.ptx)]
        if also := also_graded(options, path):  # compiled once for all of them
            command += ["--ptx-also", ",".join(map(str, [options.ptx, *(arch for arch, _ in also)]))]
    if check_bytes or options.check_bytes:
        command += ["--check-bytes", str(check_bytes or options.check_bytes)]
    for task in expected:
        command += ["--task", task]
    environment = {**os.environ, "CUGRADE_EMULATOR_PLAIN": "1"} if plain else None
    with tempfile.TemporaryDirectory() as folder:
        if policy := policy_of(options, path, folder):
            command += ["--policy", str(policy)]
        done = subprocess.run(command, text=True, capture_output=True, timeout=600, env=environment)
    if done.returncode not in (0, 4):  # 4: a person has to decide
        return None, f"cugrade ended with {done.returncode}: {done.stderr.strip()[-600:]}"
    return json.loads(done.stdout), None


def essence(report):
    """What must be the same in every run."""
    return [report["score"], [(t["name"], t["verdict"], [(c["id"], c["verdict"], c["message"]) for c in t["cases"]])
                              for t in report["tasks"]]]


def digest_of(*files):
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file).encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class Passed:
    """Which gradings passed before, by content."""

    def __init__(self, options):
        self.file = pathlib.Path(options.passed) if options.passed else None
        self.keys = set()
        if not self.file:
            return
        if self.file.exists():
            self.keys = set(json.loads(self.file.read_text()))
        prefix = pathlib.Path(options.cugrade).resolve().parent.parent
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        version = subprocess.run([nvcc, "--version"], text=True, capture_output=True, check=True).stdout
        self.common = "|".join([
            digest_of(pathlib.Path(options.cugrade), *(prefix / "libexec/cugrade").iterdir(),
                      *(prefix / "lib/cugrade").iterdir(), prefix / "share/cugrade/grading.yaml",
                      pathlib.Path(__file__)),
            version, options.backend, str(options.ptx), str(options.twice), str(options.check_bytes),
            str(options.also), str(options.also_one_in), str(options.also_kinds), str(options.plain)])
        self.assignments = {}

    def key(self, path):
        folder = ROOT.parent.parent / "assignments" / path.parts[-3]
        if folder not in self.assignments:
            self.assignments[folder] = digest_of(*(f for f in folder.rglob("*") if f.is_file()))
        return hashlib.sha256("|".join([self.common, self.assignments[folder], digest_of(path)]).encode()).hexdigest()

    def __contains__(self, path):
        return self.file is not None and self.key(path) in self.keys

    def keep(self, paths):
        if self.file:
            self.file.write_text(json.dumps(sorted({self.key(path) for path in paths})))


def problems_of(options, path, expected, report, ptx):
    """What of the report is not what the file states."""
    problems = []
    found = {task["name"]: task for task in report["tasks"]}
    for task, verdicts in expected.items():
        if task not in found:
            problems.append(f"{task}: not in the report")
            continue
        if found[task]["verdict"] not in verdicts:
            worst = [c for c in found[task]["cases"] if c["verdict"] == found[task]["verdict"]]
            problems.append(f"{task}: expected {'|'.join(sorted(verdicts))}, got {found[task]['verdict']}"
                            f" (case {worst[0]['id']} {worst[0].get('description', '')}: {worst[0]['message']})")
    if path.parent.name == "cheat" and options.backend == "emulator":
        problems += gains_of(path, report)
    # On a GPU the same checkers run, but nobody sees where a kernel failed there; and other PTX may fail elsewhere.
    if options.backend == "emulator" and (ptx == 75 or path.parent.name != "wrong"):
        stated, reported = stated_reports(path), reports_of(report)
        # On a busy machine the wall clock may end a hang before the budget of instructions does, and tells no line.
        stated -= {one for one in stated - reported if one.startswith("time_limit")}
        if stated != reported and stated != {"*"}:
            problems.append(f"reports: missing {sorted(stated - reported)}, unexpected {sorted(reported - stated)}")
    return problems


def judge(options, passed, path):
    start = time.monotonic()
    expected = expectations(path, options.backend)
    if expected is None:
        return path, "skip", "", 0
    if path in passed:
        return path, "same", "", 0
    report, error = grade(options, path, expected)
    if error:
        return path, "FAIL", error, time.monotonic() - start
    problems = problems_of(options, path, expected, report, options.ptx)
    if (path.parent.name == "wrong" and options.backend == "emulator"
            and set.union(*expected.values()) == {"accepted"} and "// undetected:" not in path.read_text()):
        problems.append("a file under wrong/ that is accepted must say why: `// undetected: ...`")
    gradings = [("the second time", options.ptx, None, False)] if path.parent.name in options.twice else []
    gradings += [(f"from the PTX for compute_{ptx}", ptx, size, False) for ptx, size in also_graded(options, path)]
    if path.parent.name in options.plain:
        gradings.append(("without the decoder's optimisations", options.ptx, None, True))
    for which, ptx, size, plain in gradings:
        if problems:
            break
        again, error = grade(options, path, expected, ptx, size, plain)
        if error:
            problems.append(f"{which}: {error}")
            continue
        problems += [f"{which}: {problem}" for problem in problems_of(options, path, expected, again, ptx)]
        if not problems and essence(again) != essence(report):
            problems.append(f"{which}: another score, verdict or message than at first")
    return path, "FAIL" if problems else "ok", "; ".join(problems), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--backend", default="emulator", choices=("emulator", "gpu"))
    parser.add_argument("--ptx", type=int, default=75)
    parser.add_argument("--check-bytes", type=int, default=0, help="run the checkers on larger cases than grading does")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() + 1, help="some only wait for a hang to end")
    parser.add_argument("--assignment", default="*", metavar="ID", help="only this assignment's; default: all")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--wrong-one-in", type=int, default=0, metavar="N",
                        help="of the files below wrong/ only one in N, chosen by its name; 0: all")
    parser.add_argument("--twice", nargs="*", default=[], choices=KINDS)
    parser.add_argument("--also", nargs="*", default=[], metavar="PTX[:BYTES]")
    parser.add_argument("--also-one-in", type=int, default=0, metavar="N",
                        help="a file from at most one of --also, chosen by its name: from each of them, one file in N")
    parser.add_argument("--plain", nargs="*", default=[], choices=KINDS)
    parser.add_argument("--also-kinds", nargs="*", default=["correct"], choices=KINDS)
    parser.add_argument("--passed", default="")
    parser.add_argument("--tell-from", type=float, default=20, metavar="SECONDS", help="name what takes longer")
    parser.add_argument("--at-least", type=int, default=0, help="fail if fewer files were there")
    options = parser.parse_args()
    if options.also and options.backend != "emulator":
        parser.error("--also: only the emulated GPU runs other PTX than its own")
    # What takes longest comes first, so that all processors are busy to the end.
    files = [f for kind in options.kinds for f in sorted(ROOT.glob(f"{options.assignment}/{kind}/*.cu")) if options.only in str(f)]
    found = len(files)
    if options.wrong_one_in:
        files = [f for f in files if f.parent.name != "wrong" or by_name(f, options.wrong_one_in) == 0]
    passed = Passed(options)
    failed = graded = same = 0
    good = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, state, text, seconds in pool.map(lambda f: judge(options, passed, f), files):
            graded += state != "skip"
            same += state == "same"
            if state in ("ok", "same"):
                good.append(path)
            failed += state == "FAIL"
            if state == "FAIL" or seconds > options.tell_from:
                print(f"{state:4} {seconds:5.1f} s  {path.relative_to(ROOT)}  {text}", flush=True)
    passed.keep(good)
    print(f"{found} files, {graded} graded ({same} of them unchanged since they passed), {failed} failed")
    if found < options.at_least or not graded:
        print(f"FAIL {options.at_least} files were expected" if graded else "FAIL no file was graded")
        return 1
    return 1 if failed else 0


sys.exit(main())
