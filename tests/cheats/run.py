#!/usr/bin/env python3
"""Grades every cheat of this folder with timing on a GPU, and fails if one of them pays.

Each is a submission to reduction/sum that is right wherever only its results count, and tries to look
faster than it is where it is timed. Its first lines state what it does and what must become of it:

    // cheat: keeps the answer for each input by its address
    // caught: wrong_answer|tampering "took" or gain <= 3 % or not judged

    // naive: wrong                      if it is wrong under a naive clock, too
    // emulator: no                      if the emulated GPU cannot run it under that, or not in time

An alternative of `caught` is one of these verdicts in the timed calls, with this in the message if it
is there; a speedup, and an upper end of its interval, of at most so much more than those of
control_right.cu in the same run; or a performance that is not judged. `compile_error` needs no timed
call. Controls state what becomes of them in the same words:

    // control: accepted                 must get all points
    // control: wrong_answer

Each is also run under a naive clock (naive.cuh): one that is wrong even there is no attempt.

Usage: run.py --cugrade BIN [--backend gpu|emulator] [--only TEXT] [--jobs N] [--out FOLDER]
On a GPU the exit code is 77 (skipped) where there is none. On the emulated GPU nothing is timed, and
every cheat must be right, which is what brings it to the clock (those that need what the emulated GPU does
not have are left out). The reports are kept in FOLDER.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent
ASSIGNMENT, TASK = "reduction", "sum"
CONTROL = "control_right"
HEADERS = ("ahead.cuh", "honest.cuh", "left_running.cuh", "patch.cuh", "persist.cuh", "requests.cuh",
           "waiting_stream.cuh")
SKIPPED = 77
IN_TIMED_CALLS = "in the timed calls"  # begins the message of a timed case that its timing decided


class BadHeader(Exception):
    pass


class Alternative:
    """One way in which a cheat may end."""

    def __init__(self, text, where):
        self.verdicts, self.part, self.gain = set(), "", None
        self.not_judged = text == "not judged"
        if self.not_judged:
            return
        if match := re.fullmatch(r"gain <= (\d+(?:\.\d+)?) %", text):
            self.gain = float(match[1]) / 100
            return
        match = re.fullmatch(r'([a-z_]+(?:\|[a-z_]+)*)(?: "([^"]+)")?', text)
        if not match:
            raise BadHeader(f"{where}: cannot read `{text}`: write VERDICT|VERDICT \"PART\", gain <= N %, or not judged")
        self.verdicts, self.part = set(match[1].split("|")), match[2] or ""

    def holds(self, ended, control):
        if self.not_judged:
            return ended.verdict == "accepted" and ended.speedup is None
        if self.gain is not None:
            return (ended.verdict == "accepted" and control is not None and None not in (ended.high, control.high)
                    and ended.speedup <= (1 + self.gain) * control.speedup
                    and ended.high <= (1 + self.gain) * control.high)
        if ended.verdict not in self.verdicts or self.part not in ended.message:
            return False
        return ended.verdict in ("accepted", "compile_error") or ended.message.startswith(IN_TIMED_CALLS)


class Submission:
    def __init__(self, file):
        self.file, self.name = file, file.stem
        lines = file.read_text().splitlines()[:2]
        block = file.read_text().split("//\n")[0]
        self.naively_right = "\n// naive: wrong" not in block
        self.on_emulator = "\n// emulator: no" not in block
        self.is_control = lines[0].startswith("// control: ")
        wanted = ("// control: ",) if self.is_control else ("// cheat: ", "// caught: ")
        for line, start in zip(lines, wanted):
            if not line.startswith(start) or not line[len(start):].strip():
                raise BadHeader(f"{file}: a line must begin with `{start}`, and this is `{line}`")
        self.what = "" if self.is_control else lines[0][len(wanted[0]):].strip()
        stated = lines[len(wanted) - 1][len(wanted[-1]):].strip()
        self.alternatives = [Alternative(text, file) for text in stated.split(" or ")]
        self.compiles = all("compile_error" not in one.verdicts for one in self.alternatives)


class Ended:
    """What became of a submission: of one task's part of a report."""

    def __init__(self, report):
        task = report["tasks"][0]
        self.verdict = task["verdict"]
        decisive = [case for case in task["cases"] if case["verdict"] == self.verdict]
        self.message = decisive[0]["message"] if decisive and self.verdict != "accepted" else ""
        # Before it was timed it must have been right, or it was caught for something else.
        self.wrong_before = [case for case in task["cases"] if case["verdict"] not in ("accepted", "skipped")
                             and not case["message"].startswith(IN_TIMED_CALLS)]
        performance = task.get("performance") or {}
        self.speedup, self.low, self.high = (performance.get(key) for key in ("speedup", "low", "high"))
        # The tiers of the assignment are for an H200: a slower GPU may miss the highest.
        missed = 0 if "H200" in performance.get("measured_on", "H200") else performance["possible"]
        score = task["score"]
        self.all_points = score["earned"] >= score["judged"] - missed and score["judged"] == score["possible"]

    def text(self):
        speed = "" if self.speedup is None else f"{self.speedup:.1f} times the baseline"
        if self.low is not None and self.high is not None:
            speed += f" [{self.low:.1f}, {self.high:.1f}]"
        return ": ".join(part for part in (self.verdict, self.message, speed) if part)


def grade(options, submission):
    """(Ended, None) or (None, why not). A submission is handed in with the headers that it shares."""
    with tempfile.TemporaryDirectory(prefix="cugrade-cheat-") as temporary:
        folder = pathlib.Path(temporary) / submission.name
        folder.mkdir()
        shutil.copy(submission.file, folder)
        for header in HEADERS:
            shutil.copy(ROOT / header, folder)
        command = [options.cugrade, "check", str(folder), "-a", ASSIGNMENT, "--task", TASK, "--backend",
                   options.backend, "--format", "json"]
        if options.backend == "emulator":
            command.append("--no-timing")
        done = subprocess.run(command, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        return None, f"cugrade ended with {done.returncode}: {done.stderr.strip()[-600:]}"
    if options.out:
        out = pathlib.Path(options.out)
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{submission.name}.json").write_text(done.stdout)
    return Ended(json.loads(done.stdout)), None


def naive_program(options, submission, folder):
    """(command that runs it under a naive clock, None) or (None, why not)."""
    flags = ["-std=c++17", f"-I{ROOT}", f"-I{ROOT.parent.parent / 'assignments' / ASSIGNMENT}"]
    source = pathlib.Path(folder) / f"{submission.name}.cu"
    source.write_text(f'#include "{submission.file}"\n#include "naive.cuh"\n')
    if options.backend == "emulator":
        return [options.cugrade, "run", str(source), *(f"--nvcc-flag={flag}" for flag in flags)], None
    program = str(source.with_suffix(""))
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    made = subprocess.run([nvcc, "-O2", "-arch=native", *flags, "-o", program, str(source)], text=True,
                          capture_output=True)
    if made.returncode != 0:
        return None, f"for the naive clock it does not compile: {made.stderr.strip()[-300:]}"
    return [program, str(1 << 25)], None


def run_naively(submission, command):
    """(microseconds, None) or (None, why not)."""
    with tempfile.TemporaryFile("w+") as output:  # not a pipe, which what it leaves running would keep open
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
        try:
            code = process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            return None, "under the naive clock it hangs"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        said = output.read()
    match = re.search(r"naive clock: (\w+), ([\d.]+) us", said)
    if not match:
        return None, f"under the naive clock it ended with {code}: {said.strip()[-300:]}"
    wanted = "right" if submission.naively_right else "wrong"
    if match[1] != wanted:
        return None, f"under the naive clock it must be {wanted}, and is {match[1]}"
    return float(match[2]), None


class Trial:
    """What is done with one submission. All but `finish` may go on beside others: cugrade has the GPU for one
    of them at a time. The naive clock knows of no others, so that comes when all are graded."""

    def __init__(self, options, submission, folder):
        self.options, self.submission = options, submission
        self.ended, self.problem = grade(options, submission)
        self.naive, self.command = None, None
        if submission.compiles and (options.backend == "gpu" or submission.on_emulator):
            self.command, why_not = naive_program(options, submission, folder)
            self.problem = self.problem or why_not

    def finish(self, control):
        if not self.problem:
            self.problem = judge(self.submission, self.ended, control, self.options.backend)
        if self.command:
            self.naive, why_not = run_naively(self.submission, self.command)
            self.problem = self.problem or why_not

    def row(self, control):
        gain = ""
        if self.ended and self.ended.speedup and control and control.speedup:
            gain = f" ({100 * (self.ended.speedup / control.speedup - 1):+.1f} %)"
        good = "ok" if self.submission.is_control or self.options.backend == "emulator" else "caught"
        clock = f"{self.naive:8.1f} us" if self.naive is not None and self.options.backend == "gpu" else ""
        how = self.ended.text() + gain if self.ended else ""
        return (f"{self.submission.name:30} {'FAIL' if self.problem else good:6} {clock:>11} "
                f"{' -- '.join(part for part in (self.problem, how) if part)}")


def why_no_gpu(cugrade):
    done = subprocess.run([cugrade, "doctor", "--quick", "--backend", "gpu"], text=True, capture_output=True)
    for line in done.stdout.splitlines():
        if line.startswith("missing  gpu:"):
            return line.removeprefix("missing  gpu:").strip()
    return None


def judge(submission, ended, control, backend):
    """What is wrong with how it ended; empty if it ended as it must."""
    if backend == "emulator":
        wanted = "accepted" if submission.compiles else "compile_error"
        return "" if ended.verdict == wanted else f"must be {wanted} where nothing is timed"
    if submission.compiles and ended.wrong_before:
        first = ended.wrong_before[0]
        return f"never came to the clock: case {first['id']}: {first['verdict']}: {first['message']}"
    if not any(one.holds(ended, control) for one in submission.alternatives):
        return "control failed" if submission.is_control else "SURVIVED"
    if submission.is_control and ended.verdict == "accepted" and not ended.all_points:
        return "is right and fast, and did not get all points"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--backend", default="gpu", choices=("gpu", "emulator"))
    parser.add_argument("--only", default="", help="cheats with this in their name; the controls are graded anyway")
    parser.add_argument("--jobs", type=int, default=max(1, min(4, os.cpu_count() // 3)))
    parser.add_argument("--out", default="")
    options = parser.parse_args()
    try:
        submissions = [Submission(file) for file in sorted(ROOT.glob("*.cu"))]
    except BadHeader as error:
        print(error)
        return 1
    if options.backend == "gpu" and (why := why_no_gpu(options.cugrade)):
        print(f"skipped: {why}")
        return SKIPPED
    controls = [one for one in submissions if one.is_control]
    cheats = [one for one in submissions if not one.is_control and options.only in one.name]
    if CONTROL not in [one.name for one in controls] or len(controls) < 2 or not cheats:
        print(f"FAIL {len(controls)} controls (one of them {CONTROL}) and {len(cheats)} cheats: nothing is tested")
        return 1

    with tempfile.TemporaryDirectory(prefix="cugrade-cheats-") as folder:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            trials = list(pool.map(lambda one: Trial(options, one, folder), controls + cheats))
        control = next((trial.ended for trial in trials if trial.submission.name == CONTROL), None)
        for trial in trials:
            trial.finish(control)
    left_out = [trial for trial in trials if options.backend == "emulator" and trial.problem
                and "the emulated GPU does not have" in trial.problem]
    for trial in left_out:
        trials.remove(trial)
        print(f"left out {trial.submission.name}: {trial.problem.splitlines()[-1]}")
    failed = sum(bool(trial.problem) for trial in trials)
    print(f"{'':37} {'naive clock':11} {'what cugrade says'}")
    for trial in trials:
        print(trial.row(control))
    print(f"{len(cheats)} cheats and {len(controls)} controls, {len(left_out)} left out, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
