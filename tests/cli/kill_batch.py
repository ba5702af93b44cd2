#!/usr/bin/env python3
"""Kills the grader of a batch, SIGKILL, again and again, and looks at what is left each time.

A batch of a small class is started, killed at a random moment, resumed, killed, until it ends; then the next
one, until so many kills have fallen. The moments are drawn from a seed. Half of them are uniform over the time
of an undisturbed batch; the others come up to 30 ms after something was written in the output folder, since
writing reports takes little of a batch's time.

After each kill: no process is left; each report that is there is whole (its seal verifies, and it is the report
of an undisturbed batch, times aside); the record is sound (PRAGMA integrity_check), and has what had been told as
graded; what was graded before has the same bytes; the table has nobody twice and no other points. After the run that ends a batch, too: the table
is the undisturbed batch's, nobody was graded twice, and no temporary file or folder is left. Before the first
kill each of these checks is shown a fault that it must find.

Usage: kill_batch.py --cugrade BIN --source REPOSITORY --work FOLDER [--kills 200] [--seed N]
"""
import argparse
import collections
import contextlib
import csv
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import time

import watched

CLASS = {  # the test submissions, by student: right, slow, wrong, stopped, and one that does not compile
    "ada": "correct/map_vector4.cu",
    "bob": "correct/map_grid_stride.cu",
    "cy": "wrong/map_last_element_missing.cu",
    "dan": "wrong/does_not_compile.cu",
    "eve": "wrong/map_2048_threads.cu",
    "fay": "wrong/map_no_bound_check.cu",
}
END_S = 60    # until a killed grader's processes are gone: its supervisors allow themselves 30 s
WRITING_S = 0.03


class Found(Exception):
    """A check failed."""


class Batch:
    """One batch, from its first start to its end."""

    def __init__(self, options, place, name):
        self.cugrade, self.place, self.name = options.cugrade, place, name
        self.out = place / "out"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(place / "home"), "TMPDIR": str(place / "tmp"),
                            "XDG_CACHE_HOME": str(place / "cache"), "LC_ALL": "C.UTF-8"}
        self.kept = {}       # {path: bytes} of what was graded by an earlier run
        self.lines = {}      # the same of the record
        self.printed = []    # students that an earlier run told as graded

    def command(self, resume):
        return [self.cugrade, "batch", str(self.place / "class"), "-a", "patterns", "--task", "map", "--backend", "emulator",
                "--jobs", "2", "--secret-file", str(self.place / "secret"), "--out", str(self.out),
                *(["--resume"] if resume else [])]

    def start(self):
        return watched.start(self.command(self.out.exists()), self.environment, self.place / "stdout")

    # What lies there.

    def reports(self):
        return sorted(path for path in self.out.glob("reports/patterns/*") if not path.name.startswith("."))

    def recorded(self):
        """The gradings in the record, {id: (student, all of it)}. Of a copy: to recover after a kill is cugrade's part."""
        if not (self.out / "record.db").exists():
            return {}
        copy = self.place / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for file in self.out.glob("record.db*"):
            if file.suffix != ".db-shm":
                shutil.copy(file, copy)
        with contextlib.closing(sqlite3.connect(copy / "record.db")) as record:
            if record.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                raise Found(f"{self.name}: the record is not sound")
            if not record.execute("SELECT 1 FROM sqlite_master WHERE name = 'grading'").fetchall():
                return {}  # killed before it was made
            return {row[0]: (row[1], row) for row in record.execute("SELECT id, student, * FROM grading WHERE report <> ''")}

    def graded(self):
        return {student for student, _ in self.recorded().values()}

    def hidden(self):
        return [path for path in self.out.rglob(".*") if path.name != ".lock"]

    def rows(self):
        """Of each row what it says. A task has a column from the first mark on, so an early table has fewer."""
        with open(self.out / "gradebook.csv", encoding="utf-8", newline="") as table:
            return [{column: field for column, field in row.items() if field} for row in csv.DictReader(table)]

    def told(self):
        text = (self.place / "stdout").read_text()
        return re.findall(r"(?m)^\[\s*\d+/\d+\] (\w+) +patterns +\d", text)


# ---- Checks: each returns what is wrong, in words ----------------------------------------------------

def reports_whole(batch, expected):
    """Each report is that of the undisturbed batch, and is sealed."""
    wrong = []
    for path in batch.reports():
        try:
            if watched.without_times(path.name, normal(path.read_text())) != expected.reports[path.name]:
                wrong.append(f"{path.name} is not the undisturbed batch's")
        except (watched.NotAReport, UnicodeDecodeError, KeyError) as error:
            wrong.append(f"{path.name} is not whole: {error}")
    sealed = [str(path) for path in batch.reports() if path.suffix in (".json", ".yaml")]
    if sealed:
        verified = subprocess.run([batch.cugrade, "verify", *sealed], env=batch.environment, capture_output=True, text=True)
        if verified.returncode != 0 or verified.stdout.count(": intact\n") != len(sealed):
            wrong.append(f"verify: {verified.stdout}{verified.stderr}")
    return wrong


def nothing_lost(batch, _):
    """What was graded by an earlier run has the same bytes, and what this run told is in the record."""
    wrong = [f"{path.name} was written again or is lost" for path, data in batch.kept.items()
             if not path.exists() or path.read_bytes() != data]
    recorded = batch.recorded()
    wrong += [f"line {number} of the record was changed or is lost" for number, line in batch.lines.items()
              if recorded.get(number) != line]
    graded = batch.graded()
    return wrong + [f"{name} was told as graded and is not in the record" for name in batch.told() if name not in graded]


def nothing_doubled(batch, expected):
    """The table has no one twice and no other points; nobody is graded whom an earlier run had graded."""
    if not (batch.out / "gradebook.csv").exists():
        return []
    rows = batch.rows()
    wrong = [f"the table has {row}" for row in rows if row not in expected.rows]
    counts = collections.Counter(row["student"] for row in rows)
    wrong += [f"the table has {name} {count} times" for name, count in counts.items() if count > 1]
    counts = collections.Counter(student for student, _ in batch.recorded().values())
    wrong += [f"{name} is {count} times in the record" for name, count in counts.items() if count > 1]
    before = {student for student, _ in batch.lines.values()}
    return wrong + [f"{name} was graded again" for name in batch.told() if name in before]


def complete(batch, expected):
    """All of the undisturbed batch is there."""
    wrong = [] if batch.rows() == expected.rows else ["the table is not the undisturbed batch's"]
    there = {path.name for path in batch.reports()}
    return wrong + [f"there is no {name}" for name in sorted(expected.reports.keys() - there)]


def nothing_left(batch, _):
    """No temporary file or folder, in any of the places where cugrade writes."""
    left = [*(batch.place / "tmp").iterdir(), *batch.hidden(), *(batch.place / "cache").rglob(".*")]
    left += (batch.place / "cache").rglob("once-*")
    left += [path for path in (batch.place / "home").rglob("*")
             if path.relative_to(batch.place / "home").as_posix() not in (".config", ".config/cugrade", ".config/cugrade/key")]
    left += [path for path in pathlib.Path("/dev/shm").iterdir() if of_a_sandbox(path)]
    return [f"{path} is left" for path in left]


def of_a_sandbox(path):
    try:
        return path.lstat().st_uid in watched.SANDBOX_USERS
    except FileNotFoundError:
        return False


AFTER_EACH = (reports_whole, nothing_lost, nothing_doubled)
AT_THE_END = (*AFTER_EACH, complete, nothing_left)


def require(checks, batch, expected):
    for check in checks:
        if wrong := check(batch, expected):
            raise Found(f"{batch.name}: {check.__name__}: " + "\n  ".join(wrong))


def processes_end(pid, timeout_s=END_S):
    """Waits for all processes. Returns the exit status of `pid`."""
    none_left, status = watched.wait_until_none_is_left(timeout_s, pid)
    if not none_left:
        raise Found(f"processes are left: {watched.descendants()}")
    if locks := watched.locks_of({pid}):
        raise Found(f"locks are left: {locks}")
    return status


def normal(text):
    """Whether a build came from the cache depends on the moment of the kill."""
    return text.replace('{name: "compile (cached)"', "{name: compile").replace("compile (cached)", "compile")


# ---- What the checks must find -----------------------------------------------------------------------

def controls(batch, expected):
    """Shows each check a fault in a whole batch, and takes it away again."""
    report = batch.out / "reports/patterns/ada.json"
    record = batch.out / "record.db"
    table = batch.out / "gradebook.csv"
    first_row = table.read_text().splitlines()[1]

    def finds(check, path, change):
        before = path.read_bytes() if path.exists() else None
        change()
        if not check(batch, expected):
            raise Found(f"control: {check.__name__} does not find a fault of {path.name}")
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        if wrong := check(batch, expected):
            raise Found(f"control: {check.__name__} finds a fault in what is whole: {wrong}")

    batch.kept = {path: path.read_bytes() for path in batch.reports()}
    (batch.place / "stdout").write_text("[1/6] ada  patterns  30/30  accepted  1.0 s\n")
    for path in batch.reports():
        text = path.read_text()
        finds(reports_whole, path, lambda: path.write_text(text[:len(text) // 2]))
        finds(reports_whole, path, lambda: path.write_text(text.replace("patterns", "pattern", 1)))
    sealed = report.read_text()
    finds(reports_whole, report, lambda: report.write_text(re.sub(r'(?m)^  "seconds": .*', '  "seconds": 1,', sealed)))
    finds(nothing_lost, report, lambda: report.write_text(sealed.replace('  "seconds": ', '  "seconds": 1', 1)))
    finds(nothing_lost, report, report.unlink)
    def in_record(statement):
        with contextlib.closing(sqlite3.connect(record)) as changed, changed:
            changed.execute(statement)

    finds(nothing_lost, record, lambda: in_record("DELETE FROM grading WHERE student = 'ada'"))
    batch.lines = batch.recorded()
    (batch.place / "stdout").write_text("")
    finds(nothing_lost, record, lambda: in_record("DELETE FROM grading WHERE student = 'bob'"))
    finds(nothing_lost, record, lambda: in_record("UPDATE grading SET report = '' WHERE student = 'bob'"))
    finds(nothing_doubled, record, lambda: in_record(
        "INSERT INTO grading SELECT NULL, assignment, student, attempt, submission_sha256, inputs, graded_at, report, facts, "
        "problem, mac, handed_in_at FROM grading WHERE student = 'bob'"))
    finds(nothing_doubled, table, lambda: table.write_text(table.read_text() + first_row + "\n"))
    finds(nothing_doubled, table, lambda: table.write_text(table.read_text().replace("ada", "eda", 1)))
    finds(complete, table, lambda: table.write_text(table.read_text().replace(first_row, "")))
    finds(complete, report, report.unlink)
    for path in (batch.place / "tmp/file", batch.out / "reports/patterns/.ada.json.01234567",
                 batch.place / "cache/cugrade/builds/.making-1", batch.place / "home/file"):
        finds(nothing_left, path, lambda: path.write_text("left"))
    (batch.place / "stdout").write_text("[1/6] ada  patterns  30/30  accepted  1.0 s\n")
    if not nothing_doubled(batch, expected):
        raise Found("control: nothing_doubled does not see who was graded again")
    # A process that detaches itself from all that it comes from.
    pid = watched.start(["/bin/sh", "-c", "(setsid sleep 300 &) ; exit 0"], {"PATH": os.environ["PATH"]}, "/dev/null")
    try:
        processes_end(pid, 0.5)
    except Found:
        watched.end_all()
    else:
        raise Found("control: a process that is left is not seen")


# ---- Batches -----------------------------------------------------------------------------------------

class Expected:
    """What an undisturbed batch gives."""

    def __init__(self, batch):
        self.reports = {path.name: watched.without_times(path.name, normal(path.read_text())) for path in batch.reports()}
        self.rows = batch.rows()


def prepare(options):
    """The class, the secret and a cache without the class's builds. Returns what is expected, and a batch's seconds."""
    place = options.work / "undisturbed"
    for folder in ("class", "home", "tmp", "cache"):
        (place / folder).mkdir(parents=True)
    for name, file in CLASS.items():
        shutil.copy(options.source / "tests/submissions/patterns" / file, place / "class" / f"{name}.cu")
    batch = Batch(options, place, "the undisturbed batch")
    subprocess.run([options.cugrade, "secret", "new", place / "secret"], check=True, capture_output=True, env=batch.environment)
    # The baseline's build and counts are not what is to be interrupted each time.
    baseline = [options.cugrade, "check", options.source / "reference/patterns/baseline.cu", "-a", "patterns", "--task", "map",
                "--backend", "emulator", "--secret-file", place / "secret"]
    subprocess.run(baseline, check=True, capture_output=True, env=batch.environment)
    shutil.copytree(place / "cache", options.work / "cache")
    begun = time.monotonic()
    pid = batch.start()
    status = processes_end(pid, 600)
    seconds = time.monotonic() - begun
    if status != 0:
        raise Found(f"the undisturbed batch ended with {status}: {(place / 'stdout').read_text()}")
    expected = Expected(batch)
    if len(expected.rows) != len(CLASS) or len(expected.reports) != len(watched.TIMES) * len(CLASS):
        raise Found(f"the undisturbed batch is not whole: {expected.rows}")
    require(AT_THE_END, batch, expected)
    controls(batch, expected)
    return expected, seconds


def fresh(options, number, kind=Batch):
    """The same class again, with nothing of it graded or built."""
    place, first = options.work / f"batch{number}", options.work / "undisturbed"
    shutil.copytree(first / "class", place / "class")
    shutil.copytree(first / "home", place / "home")
    shutil.copy2(first / "secret", place / "secret")
    shutil.copytree(options.work / "cache", place / "cache")
    (place / "tmp").mkdir()
    return kind(options, place, f"batch {number}")


def wait_to_kill(batch, pid, draw, seconds):
    """Waits for a random moment. Returns {pid: name} of the batch's processes then, or None if it ended before."""
    if draw.random() < 0.5:
        moment = time.monotonic() + seconds * draw.random()
        while time.monotonic() < moment:
            if has_ended(pid):
                return None
            time.sleep(min(0.01, max(0.0, moment - time.monotonic())))
        return watched.descendants()
    places = [batch.out / "reports/patterns", batch.out / "record.db-wal"]
    times = [changed(place) for place in places]
    skip = draw.randrange(4)  # not always the first file of the run
    while not has_ended(pid):
        if (now := [changed(place) for place in places]) != times:
            times, skip = now, skip - 1
            if skip < 0:
                time.sleep(WRITING_S * draw.random())
                return {pid: "cugrade"}
        time.sleep(0.0005)
    return None


def changed(folder):
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def has_ended(pid):
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def unfinished(batch):
    """What a kill while reports are written leaves."""
    paths = [path for path in batch.hidden() if path.parent != batch.out]
    missing = batch.graded() - {path.stem for path in batch.reports() if path.suffix == ".txt"}
    return {path: path.stat().st_ino for path in paths} | {name: 0 for name in missing}


def phases_of(batch, names, before):
    """What the kill interrupted: seen in what it left that was not there before, and in the processes' names then."""
    met = set()
    tmp = [path.name for path in (batch.place / "tmp").iterdir()]
    if unfinished(batch).items() - before.items():
        met.add("writing reports")
    table = batch.out / "gradebook.csv"
    if table.exists() and not {row["student"] for row in batch.rows()} >= batch.graded():
        met.add("writing the table")
    if any(name.startswith("cugrade.build-") for name in tmp):
        met.add("compiling")
    if list((batch.place / "cache/cugrade/builds").glob(".making-*")):
        met.add("keeping a build")
    if any(re.match("runner|emulator|cugrade-emul", name) for name in names.values()):
        met.add("running")
    if not met:
        met.add("between these" if batch.told() else "starting")
    return met


def run_batches(options):
    draw = random.Random(options.seed)
    expected, seconds = prepare(options)
    print(f"undisturbed: {seconds:.1f} s, {len(CLASS)} submissions; each check has found what it must", flush=True)
    kills, number, phases, left, longest_s = 0, 0, collections.Counter(), 0, 0.0
    while kills < options.kills:
        number += 1
        batch = fresh(options, number)
        while True:
            batch.lines, graded = batch.recorded(), batch.graded()
            batch.kept = {path: path.read_bytes() for path in batch.reports() if path.stem in graded}
            before = unfinished(batch)
            pid = batch.start()
            names = wait_to_kill(batch, pid, draw, seconds) if kills < options.kills else None
            if names is None:
                break
            os.kill(pid, 9)
            kills += 1
            begun = time.monotonic()
            processes_end(pid)
            longest_s = max(longest_s, time.monotonic() - begun)
            met = phases_of(batch, names, before)
            phases.update(met)
            left += bool(nothing_left(batch, expected))
            print(f"kill {kills}: batch {number}, {len(batch.graded())} graded, {' and '.join(sorted(met))}", flush=True)
            require(AFTER_EACH, batch, expected)
        if (status := processes_end(pid, 600)) != 0:
            raise Found(f"batch {number} ended with {status}: {(batch.place / 'stdout').read_text()}")
        require(AT_THE_END, batch, expected)
        shutil.rmtree(batch.place)
    print(f"{kills} kills in {number} batches, seed {options.seed}; they met: " +
          ", ".join(f"{phase} {count}" for phase, count in phases.most_common()) +
          f". {left} kills left temporary files, which the next run removed; all processes were gone within "
          f"{longest_s:.3f} s. No report half written, no grade lost or doubled, nothing left.")
    missing = {"compiling", "running", "writing reports"} - phases.keys()
    if kills >= 50 and missing:
        raise Found(f"no kill met {missing}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve(), help="a folder that is not there")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    options.cugrade = os.path.realpath(options.cugrade)
    watched.adopt_orphans()
    print(f"seed {options.seed}", flush=True)
    try:
        run_batches(options)
    except Found as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        watched.end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
