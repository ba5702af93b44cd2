#!/usr/bin/env python3
"""Grades a class in which every second submission is an attack, and looks at what the others get and what is left.

Each honest submission (right, slow or wrong) is graded alone first. Then all are graded in one batch with several
jobs, each between two attacks of tests/submissions/<assignment>/cheat or the one below, which writes and starts
whatever it can. Required is:

- the honest ones' reports and rows of the table are, byte for byte, those that they got alone; what is set aside is
  named in watched.TIMES, and a report that lacks one of these is a failure (with --backend gpu, where times are
  measured: the verdicts of all cases and tasks, the points and the rows)
- the batch grades everybody and ends, within the longest time that it printed before it began
- no process is left
- no file has changed but in the output folder and the cache: in the home folder, among the temporary files, the
  submissions, the installed programs, solutions and oracles; and in folders that others use meanwhile (/dev/shm, /tmp,
  the real home folder) there is nothing of the attack's or of a sandbox's user

Each of these checks is shown a fault that it must find; the one of files, the attack without a sandbox.

Usage: among_attacks.py --cugrade BIN --source REPOSITORY --work FOLDER [--assignment ID] [--attacks N|all]
       [--backend emulator|gpu]
"""
import argparse
import itertools
import json
import os
import pathlib
import pwd
import re
import secrets
import shutil
import sys
import time

import watched

JOBS = 3
SHARED = ("/dev/shm", "/tmp", "/var/tmp", "/run", pwd.getpwuid(os.getuid()).pw_dir)
# The short form's: each tries something else that could reach others.
CHOSEN = ("leaves_things_behind", "looks_for_processes", "executes_programs", "forges_the_greeting", "ends_the_call_by_exit")
END_S = 10  # until the batch's last processes are gone

ATTACK = """
// Makes a folder in every folder of a list, changes the others of another list and every file in them, and leaves a
// process that would do it again. It defines no function of the assignment: cugrade has to start it to learn that.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

static void write_everywhere() {{
    for (const char* folder : {{{shared}, {own}}}) mkdir((std::string(folder) + "/{mark}").c_str(), 0777);
    for (const char* folder : {{{own}}}) {{
        const std::string path = folder;
        chmod(path.c_str(), 0777);
        if (DIR* listed = opendir(folder))
            while (const dirent* entry = readdir(listed))
                if (const int fd = open((path + "/" + entry->d_name).c_str(), O_WRONLY | O_APPEND); fd >= 0) {{
                    [[maybe_unused]] const auto written = write(fd, "\\n", 1);
                    close(fd);
                }}
    }}
}}

[[gnu::constructor]] static void begin() {{
    write_everywhere();
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
    for (int fd = 0; fd < 64; ++fd) close(fd);
    for (;;) {{
        write_everywhere();
        sleep(1);
    }}
}}
"""


class Found(Exception):
    """A check failed."""


class Course:
    """An installation of its own, a home folder, and what is the same for every batch."""

    def __init__(self, options):
        self.place = options.work
        prefix = pathlib.Path(os.path.realpath(options.cugrade)).parent.parent
        for part in ("bin", "lib", "libexec", "share"):
            if (prefix / part).is_dir():
                shutil.copytree(prefix / part, self.place / "prefix" / part)  # what links lead to
        for folder in ("home", "tmp"):
            (self.place / folder).mkdir()
        self.cugrade = str(self.place / "prefix/bin/cugrade")
        # Shorter than a course's, so that attacks that wait do not wait as long.
        policy = (options.source / "grading.yaml").read_text()
        for limit, value in (("compile_wall", 40), ("wall", 10), ("cpu", 10), ("total", 120)):
            policy, found = re.subn(rf"(?m)^    {limit}: \d+", f"    {limit}: {value}", policy)
            if found != 1:
                raise Found(f"grading.yaml has no limit `{limit}`")
        (self.place / "policy.yaml").write_text(policy)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.place / "home"), "TMPDIR": str(self.place / "tmp"),
                            "CUGRADE_HOME": str(self.place / "prefix"), "LC_ALL": "C.UTF-8"}
        if self.run([self.cugrade, "secret", "new", str(self.place / "secret")], "secret.txt", "none")[0] != 0:
            raise Found((self.place / "secret.txt").read_text())

    def run(self, command, output, cache, timeout_s=3600):
        """Runs a command until no process is left. Returns its exit code, its seconds, and the seconds after its end."""
        begun = time.monotonic()
        pid = watched.start([str(word) for word in command],
                            {**self.environment, "XDG_CACHE_HOME": str(self.place / cache)}, self.place / output)
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() - begun > timeout_s:
                raise Found(f"{output}: no end after {timeout_s:.0f} s")
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        none_left, status = watched.wait_until_none_is_left(END_S, pid)
        if not none_left:
            raise Found(f"{output}: processes are left: {watched.descendants()}")
        return os.waitstatus_to_exitcode(status), seconds

    def batch(self, folder, options, jobs, cache, *more):
        tasks = itertools.chain(*(("--task", task) for task in options.tasks))
        return self.run([self.cugrade, "batch", self.place / folder / "class", "-a", options.assignment, *tasks,
                         "--backend", options.backend, "--policy", self.place / "policy.yaml", "--secret-file", self.place / "secret",
                         "--jobs", jobs, "--out", self.place / folder / "out", *more], f"{folder}/stdout", cache)

    def guarded(self):
        """The folders of our own in which nothing may change."""
        return [self.place / name for name in ("home", "tmp", "prefix", "together/class")]


# ---- Checks: each returns what is wrong, in words ----------------------------------------------------

def compared_reports(options):
    """{extension: what is compared of a report's text}"""
    def as_whole(path):
        return watched.without_times(path.name, path.read_text())

    def as_facts(path):
        report = json.loads(path.read_text())
        return report["score"], [(task["name"], task["verdict"], task["score"],
                                  [(case["id"], case["verdict"]) for case in task["cases"]]) for task in report["tasks"]]

    return {".json": as_facts} if options.backend == "gpu" else {extension: as_whole for extension in watched.TIMES}


def reports_differ(alone, together, name, options):
    wrong = []
    for extension, compared in compared_reports(options).items():
        texts = []
        for out in (alone, together):
            path = out / "reports" / options.assignment / (name + extension)
            try:
                texts.append(compared(path))
            except (OSError, UnicodeDecodeError, ValueError, KeyError, watched.NotAReport) as error:
                wrong.append(f"{path}: {error!r}")
        if len(texts) == 2 and texts[0] != texts[1]:
            wrong.append(f"{name}{extension} is another one than alone: compare {alone} and {together}")
    rows = [[line for line in (out / "gradebook.csv").read_text().splitlines() if line.startswith(name + ",")]
            for out in (alone, together)]
    if len(rows[0]) != 1 or rows[0] != rows[1]:
        wrong.append(f"{name}: its rows are {rows}")
    return wrong


def too_long(text, seconds):
    bound = re.search(r"^(?:.*\n)*?mostly seconds for each; if all run into their limits, \d+ min for one and ([\d.]+) h for all\n", text)
    if not bound or "\n[" in text[:bound.end()]:
        return ["the batch printed no longest time before it began"]
    return [] if seconds <= 3600 * float(bound[1]) else [f"it took {seconds:.0f} s, and {bound[1]} h were the most"]


def marks_in_shared(mark, before):
    wrong = []
    for folder in SHARED:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    is_new = entry.path not in before
                    if entry.name == mark or (is_new and entry.stat(follow_symlinks=False).st_uid in watched.SANDBOX_USERS):
                        wrong.append(entry.path)
        except (FileNotFoundError, PermissionError):
            continue
    return wrong


def shared_entries():
    return {os.path.join(folder, name) for folder in SHARED if os.path.isdir(folder) for name in os.listdir(folder)}


def snapshots(course):
    found = {path: info for folder in course.guarded() for path, info in watched.snapshot(folder).items()}
    tmp = str(course.place / "tmp")
    found[tmp] = found[tmp][:2]  # cugrade makes folders there and removes them, which changes its time
    return found


# ---- The class ---------------------------------------------------------------------------------------

def stated_tasks(path):
    return re.findall(r"(\w+)=", path.read_text(errors="replace").splitlines()[0])


def choose(options):
    """(honest, attacks): files, as many of each, all of whose tasks are the same."""
    folder = options.source / "tests/submissions" / options.assignment
    attacks = sorted((folder / "cheat").glob("*.cu"))
    if options.attacks != "all":
        chosen = [path for path in attacks if path.stem in CHOSEN]
        attacks = (chosen or attacks)[:int(options.attacks) - 1]
    options.tasks = sorted({task for path in attacks for task in stated_tasks(path)})
    honest = [path for kind in ("correct", "slow", "wrong") for path in sorted((folder / kind).glob("*.cu"))
              if set(options.tasks) & set(stated_tasks(path))]
    if not attacks or len(honest) < 3:
        raise Found(f"{folder} has too few submissions")
    # Of all kinds: every so many-th.
    count = len(attacks) + 1
    return [honest[i * len(honest) // count] for i in range(count)], attacks


def compose(course, options, mark):
    """Writes the class. Returns the honest students."""
    honest, attacks = choose(options)
    together = course.place / "together/class"
    together.mkdir(parents=True)
    folders = [*course.guarded(), *(path for path in (course.place / "prefix/share").rglob("*") if path.is_dir()),
               course.place, course.place / "together/out", course.place / f"together/out/reports/{options.assignment}"]
    own = course.place / "writes_everywhere.cu"
    shared, ours = (", ".join(f'"{folder}"' for folder in names) for names in (SHARED, folders))
    own.write_text(ATTACK.format(mark=mark, shared=shared, own=ours))  # of others' folders, only the mark is made
    students = []
    for number, (honest_file, attack) in enumerate(zip(honest, [own, *attacks], strict=True)):
        student = f"s{number:02}a_{honest_file.stem}"
        for place in (course.place / student / "class", together):
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(honest_file, place / f"{student}.cu")
        shutil.copy(attack, together / f"s{number:02}b_{attack.stem}.cu")
        students.append(student)
    return students


def controls(course, options, students, mark, text, seconds):
    """Shows each check a fault that it must find."""
    def must(found, what):
        if not found:
            raise Found(f"control: {what} is not found")

    alone, together = course.place / students[0] / "out", course.place / "together/out"
    compared = (alone, together, students[0], options)
    changes = [lambda whole: whole.replace("0", "1", 1),
               lambda whole: whole.replace("seconds", "minutes").replace("Time: ", "Date: ").replace(
                   "<dt>time</dt>", "<dt>date</dt>")]
    if options.backend == "gpu":
        changes = [lambda whole: whole.replace('"earned": ', '"earned": 1', 1),
                   lambda whole: whole.replace('"verdict": "', '"verdict": "not_', 1).replace('"id": ', '"id": 1')]
    for extension in compared_reports(options):
        path = together / "reports" / options.assignment / (students[0] + extension)
        whole = path.read_text()
        for change in (change(whole) for change in changes):
            path.write_text(change)
            must(reports_differ(*compared), f"a change of {path.name}")
        path.write_text(whole)
    table = together / "gradebook.csv"
    whole = table.read_text()
    table.write_text(whole.replace(students[0], students[0][:-1] + "~", 1))
    must(reports_differ(*compared), "a change of the table")
    table.write_text(whole)
    if wrong := reports_differ(*compared):
        raise Found(f"control: what is whole is a fault: {wrong}")
    must(too_long(text.replace("h for all", "h for some"), seconds), "a batch without a bound")
    must(too_long(re.sub(r"[\d.]+ h for all", "0.0 h for all", text), seconds), "a batch above its bound")
    # The attack without a sandbox. It reaches what the grading user reaches, all of it marked and ours.
    unguarded = course.place / "unguarded/class"
    unguarded.mkdir(parents=True)
    (unguarded / "eve.cu").write_text((course.place / "writes_everywhere.cu").read_text())
    before, shared = snapshots(course), shared_entries()
    course.batch("unguarded", options, 1, "unguarded-cache", "--sandbox", "off")
    changed, marks = watched.changes(before, snapshots(course)), marks_in_shared(mark, shared)
    for folder in course.guarded():
        must([change for change in changed if change.startswith(f"new: {folder}/")], f"a new file in {folder}")
    must([change for change in changed if change.startswith("changed: ") and "solution.cu" in change], "a changed solution")
    must(marks, "a file in a folder that all use")
    # A process that detaches itself from all that it comes from.
    try:
        course.run(["/bin/sh", "-c", "(setsid sleep 300 &) ; exit 0"], "left.txt", "none")
    except Found:
        watched.end_all()
    else:
        raise Found("control: a process that is left is not found")


def remove_marks(mark):
    for folder in SHARED:
        if os.path.isdir(os.path.join(folder, mark)):
            os.rmdir(os.path.join(folder, mark))


def run(options):
    options.work.mkdir(parents=True)
    course = Course(options)
    mark = f"cugrade-attack-{secrets.token_hex(8)}"
    try:
        grade(course, options, mark)
    finally:
        watched.end_all()
        remove_marks(mark)


def grade(course, options, mark):
    students = compose(course, options, mark)
    for student in students:
        code, _ = course.batch(student, options, 1, f"{student}/cache")
        if code != 0:
            raise Found(f"{student} alone: exit code {code}: {(course.place / student / 'stdout').read_text()}")
    before, shared = snapshots(course), shared_entries()
    code, seconds = course.batch("together", options, JOBS, "together-cache")
    changed, marks = watched.changes(before, snapshots(course)), marks_in_shared(mark, shared)
    text = (course.place / "together/stdout").read_text()
    if code not in (0, 4) or f"{2 * len(students)} of {2 * len(students)} graded" not in text:
        raise Found(f"together: exit code {code}: {text}")
    wrong = [f"outside of the output folder: {change}" for change in changed] + [f"left by an attack: {path}" for path in marks]
    wrong += too_long(text, seconds)
    for student in students:
        wrong += reports_differ(course.place / student / "out", course.place / "together/out", student, options)
    if wrong:
        raise Found("\n  ".join(wrong))
    controls(course, options, students, mark, text, seconds)
    bound = re.search(r"[\d.]+ h for all", text)[0]
    print(f"{options.assignment}: {len(students)} honest submissions among {len(students)} attacks, {JOBS} at once, {seconds:.0f} s "
          f"(longest possible: {bound}): their reports are those that they got alone; no process is left, no file has changed.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve(), help="a folder that is not there")
    parser.add_argument("--assignment", default="reduction")
    parser.add_argument("--attacks", default="6", help="how many, or `all`")
    parser.add_argument("--backend", default="emulator", choices=("emulator", "gpu"))
    options = parser.parse_args()
    watched.adopt_orphans()
    try:
        run(options)
    except Found as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
