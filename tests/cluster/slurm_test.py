#!/usr/bin/env python3
"""Grades a class on a Slurm cluster of two nodes on this host, and kills what can be killed.

What a batch with --slurm leaves is compared with what a local batch of the same class leaves: the gradebook byte for
byte, the reports but for times, and in the record each student once. Then, again and again until KILLS coordinators
were killed at random moments: a batch is started, killed, resumed, killed; and once in each batch a node dies, its
slurmd and all processes of its task at once, SIGKILL, while that task has claimed a submission. After each kill the
record has what had been told as graded, unchanged, and nobody twice; at the end it is all the local batch's again.

Then Ctrl-C, an emulated GPU that ends before its worker, submissions compiled by jobs of their own, jobs that cannot start, a watch whose hand-ins land one after
the other and whose coordinator is killed between, and what reaches another node: neither the secret nor the user's other variables are in a job's environment or on a command line.

Each check of a batch that is whole is first shown a fault which it must find.

Usage: slurm_test.py --cugrade BIN --source REPOSITORY --work FOLDER [--kills 10] [--seed N]
Exit code 77 (skipped) where Slurm or munge is not installed.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import slurm_cluster  # noqa: E402
import watched  # noqa: E402

CLASS = {  # of the test submissions: right, slow, wrong, hostile, and one that does not compile
    "ada": "correct/map_vector4.cu",
    "bob": "correct/map_grid_stride.cu",
    "cy": "wrong/map_last_element_missing.cu",
    "dan": "wrong/does_not_compile.cu",
    "eve": "wrong/map_2048_threads.cu",
    "fay": "wrong/map_no_bound_check.cu",
    "gus": "cheat/leaves_a_child_with_the_socket.cu",
    "hal": "cheat/catches_faults.cu",
}
TOKEN = "token-of-another-service"
CLUSTER = "schema_version: 1\ngrade: {tasks: 2, time: 10, partition: main}\n"
END_S = 300
MOST_KILLS = 3  # of one batch, so that they fall into its begin and its end alike


class Found(Exception):
    """A check failed."""


class Batch:
    def __init__(self, options, cluster, name, yaml=CLUSTER):
        self.place, self.name = options.work / name, name
        self.place.mkdir()
        for folder in ("tmp",):
            (self.place / folder).mkdir()
        self.out = self.place / "out"
        (self.place / "cluster.yaml").write_text(yaml)
        self.common, self.hand_ins = options.work, options.work / "class"
        shutil.copytree(options.work / "warm", self.place / "cache")
        self.environment = {"PATH": slurm_cluster.PLACES, "HOME": str(options.work / "home"), "LC_ALL": "C.UTF-8",
                            "XDG_CACHE_HOME": str(self.place / "cache"), "TMPDIR": str(self.place / "tmp"),
                            "SERVICE_TOKEN": TOKEN, **(cluster.environment if cluster else {})}
        self.cugrade, self.on_cluster = options.cugrade, cluster is not None
        self.lines = {}
        self.process = None

    def start(self, *more):
        where = ["--slurm", str(self.place / "cluster.yaml")] if self.on_cluster else ["--jobs", "2"]
        command = [self.cugrade, "batch", str(self.hand_ins), "-a", "patterns", "--task", "map", "--backend",
                   "emulator", "--secret-file", str(self.common / "secret"), "--out", str(self.out), *where, *more]
        with open(self.place / "said", "ab") as said:
            self.process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def wait(self, timeout_s=END_S):
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Found(f"{self.name} has not ended after {timeout_s} s: {self.said()}") from None

    def run(self, *more, code=0):
        self.start(*more)
        if (ended := self.wait()) != code:
            raise Found(f"{self.name} ended with {ended}, not {code}: {self.said()}")

    def said(self):
        return (self.place / "said").read_text(errors="replace")

    def told(self):
        """Students that are told as graded."""
        return re.findall(r"(?m)^\[\s*\d+/\d+\] (\w+) .*(?<!not graded)$", self.said())

    def recorded(self):
        """The lines of the record, {id: all of it}. Of a copy: to recover after a kill is cugrade's part."""
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
                return {}
            return {row[0]: row for row in record.execute("SELECT id, student, problem, * FROM grading")}

    def reports(self):
        found = {}
        for path in sorted(self.out.glob("reports/patterns/*")):
            text = path.read_text().replace('{name: "compile (cached)"', "{name: compile")
            found[path.name] = watched.without_times(path.name, text.replace("compile (cached)", "compile"))
        return found

    def run_folder(self):
        folders = list((self.out / ".cluster").glob("*/plan"))
        return folders[0].parent if folders else None

    def claims(self):
        """{file: task} of submissions that are somebody's now, and {file} of those whose worker died."""
        folder = self.run_folder()
        if folder is None:
            return {}, set()
        held, died = {}, set()
        for path in (folder / "grade/claims").glob("*"):
            with contextlib.suppress(FileNotFoundError, IndexError):
                if ".died-" in path.name:
                    died.add(path.name)
                elif path.name.isdigit() and not (folder / "grade/results" / path.name).exists():
                    held[path.name] = path.read_text().splitlines()[1]
        return held, died


# ---- Checks of a batch that has ended: each returns what is wrong, in words ---------------------------

def same_gradebook(batch, local):
    same = (batch.out / "gradebook.csv").read_bytes() == (local.out / "gradebook.csv").read_bytes()
    return [] if same else ["the gradebook is not the local one"]


def same_reports(batch, local):
    try:
        here, there = batch.reports(), local.reports()
    except (watched.NotAReport, UnicodeDecodeError) as error:
        return [f"a report is not whole: {error}"]
    wrong = [f"{name} differs" for name in here.keys() & there.keys() if here[name] != there[name]]
    return wrong + [f"{name} is there only once" for name in here.keys() ^ there.keys()]


def each_once(batch, _):
    counts = collections.Counter(row[1] for row in batch.recorded().values())
    wrong = [f"{name} is {counts[name]} times in the record" for name in CLASS if counts[name] != 1]
    return wrong + [f"{row[1]} was not graded: {row[2]}" for row in batch.recorded().values() if row[2]]


def sealed(batch, _):
    files = [str(path) for path in batch.out.glob("reports/patterns/*.json")]
    ran = subprocess.run([batch.cugrade, "verify", *files], env=batch.environment, capture_output=True, text=True)
    return [] if ran.returncode == 0 and ran.stdout.count(": intact\n") == len(CLASS) else [ran.stdout + ran.stderr]


def nothing_left(batch, _):
    return [f"{path} is left" for path in batch.out.rglob(".*") if path.name != ".lock"]


WHOLE = (same_gradebook, same_reports, each_once, sealed, nothing_left)


def require_whole(batch, local):
    for check in WHOLE:
        if wrong := check(batch, local):
            raise Found(f"{batch.name}: {check.__name__}: " + "\n  ".join(wrong) + "\n" + batch.said())


def controls(batch, local):
    """Shows each check a fault, and takes it away again."""
    def finds(check, path, change):
        before = path.read_bytes() if path.exists() else None
        change()
        if not check(batch, local):
            raise Found(f"control: {check.__name__} does not find a fault of {path.name}")
        path.unlink()
        if before is not None:
            path.write_bytes(before)
        if wrong := check(batch, local):
            raise Found(f"control: {check.__name__} finds a fault in what is whole: {wrong}")

    def in_record(statement):
        with contextlib.closing(sqlite3.connect(record)) as changed, changed:
            changed.execute(statement)

    record, table, report = batch.out / "record.db", batch.out / "gradebook.csv", batch.out / "reports/patterns/ada.json"
    finds(same_gradebook, table, lambda: table.write_text(table.read_text() + "\n"))
    finds(same_reports, report, lambda: report.write_text(report.read_text().replace('"earned": 30', '"earned": 29')))
    finds(each_once, record, lambda: in_record("DELETE FROM grading WHERE student = 'bob'"))
    finds(each_once, record, lambda: in_record(
        "INSERT INTO grading SELECT NULL, assignment, student, attempt, submission_sha256, inputs, graded_at, report, facts, "
        "problem, mac, handed_in_at FROM grading WHERE student = 'bob'"))
    finds(sealed, report, lambda: report.write_text(report.read_text().replace('"earned": 30', '"earned": 29')))
    finds(nothing_left, batch.out / ".cluster", (batch.out / ".cluster").touch)


# ---- Parts of the test ------------------------------------------------------------------------------

def prepare(options):
    for folder in ("class", "home"):
        (options.work / folder).mkdir(parents=True)
    for name, file in CLASS.items():
        shutil.copy(options.source / "tests/submissions/patterns" / file, options.work / "class" / f"{name}.cu")
    environment = {"PATH": slurm_cluster.PLACES, "HOME": str(options.work / "home"), "LC_ALL": "C.UTF-8",
                   "XDG_CACHE_HOME": str(options.work / "warm")}
    subprocess.run([options.cugrade, "secret", "new", options.work / "secret"], check=True, capture_output=True,
                   env=environment)
    # The baseline's build and counts are not what is to be interrupted each time.
    subprocess.run([options.cugrade, "check", options.source / "reference/patterns/baseline.cu", "-a", "patterns", "--task",
                    "map", "--backend", "emulator", "--secret-file", options.work / "secret"], check=True,
                   capture_output=True, env=environment)
    local = Batch(options, None, "local")
    local.run()
    if len(local.recorded()) != len(CLASS):
        raise Found(f"the local batch is not whole: {local.said()}")
    return local


def workers(batch):
    """(process, command line, environment) of the batch's workers on this host."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                words = pathlib.Path("/proc", entry, "cmdline").read_bytes()
                if b"\0batch-worker\0" in words and str(batch.out).encode() in words:
                    yield int(entry), words, pathlib.Path("/proc", entry, "environ").read_bytes()


def undisturbed(options, cluster, local):
    batch = Batch(options, cluster, "undisturbed")
    secret = (options.work / "secret").read_bytes().strip()
    begun, seen = time.monotonic(), 0
    batch.start()
    while batch.process.poll() is None:
        for _, words, environment in workers(batch):
            seen += 1
            for what, text in (("the secret", secret), ("a variable of the user's", TOKEN.encode())):
                if text in words or text in environment:
                    raise Found(f"{what} reaches a job")
            if b"LC_ALL=C.UTF-8" not in environment.split(b"\0") and environment:
                raise Found("a job lacks a variable that it needs")
        time.sleep(0.1)
    if batch.wait() != 0:
        raise Found(f"the undisturbed batch ended with {batch.process.returncode}: {batch.said()}")
    if not seen:
        raise Found("no worker was seen, so nothing is known of its environment")
    seconds = time.monotonic() - begun
    require_whole(batch, local)
    controls(batch, local)
    if sorted(batch.told()) != sorted(CLASS):
        raise Found(f"not all were told: {batch.said()}")
    print(f"undisturbed: {len(CLASS)} submissions in {seconds:.1f} s, all as in the local batch; "
          "each check has found what it must", flush=True)
    (batch.out / ".cluster/0badc0de").mkdir(parents=True)  # as if killed between its last grading and its end
    batch.run("--resume")
    require_whole(batch, local)
    print("one that was killed after its last grading leaves nothing, either", flush=True)
    return seconds


def nothing_lost(batch):
    """After a kill: what was in the record is unchanged, nobody is twice in it, and what was told is in it."""
    now = batch.recorded()
    if any(now.get(number) != line for number, line in batch.lines.items()):
        raise Found(f"{batch.name}: a line of the record was changed or is lost")
    counts = collections.Counter(row[1] for row in now.values())
    if any(count > 1 for count in counts.values()):
        raise Found(f"{batch.name}: twice in the record: {counts}")
    if missing := set(batch.told()) - counts.keys():
        raise Found(f"{batch.name}: told as graded, and not in the record: {missing}")
    batch.lines = now


def node_of(cluster, task):
    lines = cluster.command("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%F_%K %N").splitlines()
    return dict(line.split() for line in lines if len(line.split()) == 2).get(task)


def kill_a_node(batch, cluster, draw):
    """If a task has claimed a submission: its node dies. Returns the node's name, or None."""
    held, _ = batch.claims()
    for task in sorted(set(held.values())):
        node = node_of(cluster, task)
        if node is not None and node in cluster.children:
            time.sleep(draw.random() * 0.5)
            if task in batch.claims()[0].values():
                cluster.kill_node(node)
                return node
    return None


def disturbed(options, cluster, local, seconds):
    draw = random.Random(options.seed)
    kills, nodes, number, deaths = 0, 0, 0, 0
    while kills < options.kills or nodes == 0:
        number += 1
        batch = Batch(options, cluster, f"disturbed{number}")
        dead, died, of_this = None, set(), 0
        while True:
            batch.start("--resume")
            moment = time.monotonic() + seconds * (0.05 + 0.6 * draw.random())
            may_kill = kills < options.kills and of_this < MOST_KILLS
            while batch.process.poll() is None and (not may_kill or time.monotonic() < moment):
                if dead is None and draw.random() < 0.1:
                    dead = kill_a_node(batch, cluster, draw)
                died |= batch.claims()[1]
                time.sleep(0.05)
            if batch.process.poll() is not None:
                break
            batch.process.kill()
            batch.process.wait()
            kills, of_this = kills + 1, of_this + 1
            nothing_lost(batch)
            print(f"kill {kills}: batch {number}, {len(batch.lines)} of {len(CLASS)} graded"
                  f"{f', {dead} is dead' if dead else ''}", flush=True)
        if batch.process.returncode != 0:
            raise Found(f"{batch.name} ended with {batch.process.returncode}: {batch.said()}")
        nothing_lost(batch)
        require_whole(batch, local)
        deaths += len(died)
        if dead is not None:
            nodes += 1
            cluster.start_node(dead)
            cluster.wait_until(lambda: cluster.idle_nodes() == len(cluster.names), "the node is there again")
        if cluster.jobs():
            cluster.wait_until(lambda: not cluster.jobs(), "no job is left")
        shutil.rmtree(batch.place)
    if deaths == 0:
        raise Found("no claim of a dead node was ever freed: nothing was tested")
    print(f"{kills} coordinators and {nodes} nodes killed in {number} batches, seed {options.seed}; "
          f"{deaths} claims of dead tasks were freed. No grade lost or doubled, all as in the local batch.", flush=True)


def interrupted(options, cluster, local):
    batch = Batch(options, cluster, "interrupted")
    batch.start()
    deadline = time.monotonic() + END_S
    while not batch.claims()[0]:
        if batch.process.poll() is not None or time.monotonic() > deadline:
            raise Found(f"nothing was claimed: {batch.said()}")
        time.sleep(0.05)
    batch.process.send_signal(signal.SIGINT)
    if batch.wait() != 2:
        raise Found(f"after Ctrl-C it ended with {batch.process.returncode}: {batch.said()}")
    for text in ("cancelling the jobs", "Interrupted. The same command with --resume grades the rest."):
        if text not in batch.said():
            raise Found(f"after Ctrl-C it does not say `{text}`: {batch.said()}")
    cluster.wait_until(lambda: not cluster.jobs(), "no job is left")
    batch.run("--resume")
    require_whole(batch, local)
    print("Ctrl-C cancels the jobs, and --resume grades the rest", flush=True)


def emulator_ends_first(options, cluster, local):
    """A task that is ended loses its processes one after the other, the emulated GPU before its worker at times. What
    the worker sees of that is no result of the submission's, which another task grades."""
    batch = Batch(options, cluster, "emulator_ends_first")
    batch.start()
    deadline, killed = time.monotonic() + END_S, 0
    while batch.process.poll() is None and killed < 2:
        if time.monotonic() > deadline:
            raise Found(f"{batch.name} has not ended: {batch.said()}")
        processes = slurm_cluster.all_processes()
        for worker, _, _ in workers(batch):
            emulators = {pid for pid in slurm_cluster.below({worker}, processes)
                         if pid in processes and processes[pid][0].startswith("emulator")}
            if emulators:
                cluster.kill_all(emulators)
                time.sleep(0.5)  # in which the worker sees it
                cluster.kill_all({worker})
                killed += 1
    if batch.wait() != 0:
        raise Found(f"{batch.name} ended with {batch.process.returncode}: {batch.said()}")
    if killed < 2:
        raise Found(f"{killed} emulated GPUs were seen and killed: nothing was tested")
    require_whole(batch, local)
    print(f"{killed} emulated GPUs killed shortly before their workers: no problem is left as a result", flush=True)


def compiled_first(options, cluster, local):
    batch = Batch(options, cluster, "compiled_first", CLUSTER + "build: {tasks: 2, options: [--nice=10]}\n")
    batch.run()
    for text in ("tasks to compile 8 submissions", "tasks to grade 8 submissions"):
        if text not in batch.said():
            raise Found(f"it does not say `{text}`: {batch.said()}")
    cached = [path.name for path in batch.out.glob("reports/patterns/*.yaml") if "compile (cached)" in path.read_text()]
    if len(cached) != sum(not file.endswith("does_not_compile.cu") for file in CLASS.values()):
        raise Found(f"compiled before only {cached}")
    require_whole(batch, local)
    print("submissions are compiled by jobs of their own, and graded from the cache", flush=True)


def cannot_start(options, cluster):
    """Workers that end at once: an error that says why, and no endless submitting."""
    batch = Batch(options, cluster, "cannot_start", CLUSTER + "setup: ['echo no compiler here >&2; exit 7']\n")
    batch.run(code=2)
    for text in ("the jobs end without grading anything", "no compiler here", "--resume"):
        if text not in batch.said():
            raise Found(f"it does not say `{text}`: {batch.said()}")
    # What the scheduler refuses is told in its words.
    batch = Batch(options, cluster, "no_such_partition", CLUSTER.replace("partition: main", "partition: gpu"))
    batch.run(code=1)
    if "invalid partition" not in batch.said():
        raise Found(f"it does not say what sbatch said: {batch.said()}")
    print("jobs that cannot start are told with what they said", flush=True)


def watched_folder(options, cluster, local):
    """A watch: what lands is graded in jobs; the coordinator is killed while a task is at work, and another one goes on."""
    batch = Batch(options, cluster, "watched")
    batch.hand_ins = batch.place / "class"
    batch.hand_ins.mkdir()
    names = sorted(CLASS)

    def land(some):
        for name in some:
            shutil.copy(options.work / "class" / f"{name}.cu", batch.hand_ins)

    def until(is_so, what):
        deadline = time.monotonic() + END_S
        while not is_so():
            if batch.process.poll() is not None or time.monotonic() > deadline:
                raise Found(f"the watch has ended, or it is never so that {what}: {batch.said()}")
            time.sleep(0.05)

    batch.start("--watch")
    until(lambda: "watching" in batch.said(), "it watches")
    land(names[:3])
    until(lambda: len(batch.recorded()) == 3, "what landed first is graded")
    land(names[3:6])
    until(lambda: batch.claims()[0], "a task has claimed what landed next")
    batch.process.kill()
    batch.process.wait()
    nothing_lost(batch)
    before = len(batch.lines)
    land(names[6:])  # while nobody looks
    batch.start("--watch")
    until(lambda: len(batch.recorded()) == len(CLASS), "all are graded")
    batch.process.terminate()
    if batch.wait() != 0:
        raise Found(f"after SIGTERM the watch ended with {batch.process.returncode}: {batch.said()}")
    nothing_lost(batch)
    require_whole(batch, local)
    cluster.wait_until(lambda: not cluster.jobs(), "no job is left")
    print(f"a watch grades what lands in jobs; killed with {before} of {len(CLASS)} graded, the next one went on", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve(), help="a folder that is not there")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    options.cugrade = os.path.realpath(options.cugrade)
    if missing := slurm_cluster.missing():
        print(f"SKIPPED, no cluster was started: {', '.join(missing)} not installed; scripts/test_all.sh installs "
              "slurmctld, slurmd, slurm-client and munge", file=sys.stderr)
        return 77
    print(f"seed {options.seed}", flush=True)
    try:
        local = prepare(options)
        with slurm_cluster.Cluster(options.work / "slurm") as cluster:
            seconds = undisturbed(options, cluster, local)
            interrupted(options, cluster, local)
            emulator_ends_first(options, cluster, local)
            compiled_first(options, cluster, local)
            cannot_start(options, cluster)
            watched_folder(options, cluster, local)
            disturbed(options, cluster, local, seconds)
    except (Found, slurm_cluster.NoCluster) as error:
        print(f"FAILED (seed {options.seed}): {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
