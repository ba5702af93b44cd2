#!/usr/bin/env python3
"""Measures what a batch on a cluster costs, and computes how long a class takes on more nodes.

    simulate_cluster.py measure --cugrade BIN --work FOLDER --to measured.json   on a quiet machine with two processors
    simulate_cluster.py simulate measured.json --nodes 64 --submissions 1000

`measure` starts a real Slurm of two nodes on this host (tests/cluster/slurm_cluster.py) and grades a class of test
submissions ROUNDS times on it and ROUNDS times as a local batch with --jobs 2, in turns, each first in every other
round. From the times of the files in the run's folder it knows of each submission when it was claimed and when its
result was there, and from what the command prints when the coordinator had taken it. It also measures how long the
coordinator takes for many results at once (a killed batch is resumed when all results are there), and how much
Slurm's controller has to do to start each task of an array of 64. What the nodes do to start them is not in that:
there are 64, and here two share a processor.

`simulate` lets nodes claim submissions by the rule of harness/cluster/worker.cpp, in the order of the plan: longest
first where times are known from an earlier grading, else as they come. Costs are the measured ones: the start of each
task, the claim, and the coordinator, which takes the results that are there, up to 64 in one look. First it simulates the two-node runs that
were measured, and states by how much it is off. Efficiency is the work itself, divided by nodes times makespan.
"""
import argparse
import bisect
import contextlib
import heapq
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tests/cluster"))
LOOK_S = 0.2  # Pace::look of harness/cluster/coordinator.hpp
AT_ONCE = 64  # results that one look takes at most: harness/cluster/coordinator.cpp


# ---- Simulation -------------------------------------------------------------------------------------

def simulate(durations, workers, costs, starts=None):
    """The makespan, from the start of the command to its end. `durations` in the order of the plan."""
    starts = starts or [costs["begin_s"] + costs["task_start_s"] + i * costs["task_interval_s"] for i in range(workers)]
    free = [(start, i) for i, start in enumerate(starts)]
    heapq.heapify(free)
    results = []
    for duration in durations:
        at, worker = heapq.heappop(free)
        done = at + costs["claim_s"] + duration
        results.append(done)
        heapq.heappush(free, (done, worker))
    results.sort()
    clock, taken = 0.0, 0
    while taken < len(results):
        # A result that comes while the coordinator is at work waits for the next look.
        clock = max(clock, results[taken] + LOOK_S / 2)
        count = min(AT_ONCE, bisect.bisect_right(results, clock) - taken)
        clock += costs["look_s"] + (count - 1) * costs["result_s"]
        taken += count
    return clock + costs["end_s"]


def efficiency(durations, workers, costs):
    return sum(durations) / (workers * simulate(durations, workers, costs))


def report(measured, nodes, submissions, seed):
    costs = measured["costs"]
    print("measured: " + ", ".join(f"{name} {value:.3f}" for name, value in costs.items()))
    overheads = [c["wall_s"] / l["wall_s"] - 1 for c, l in zip(measured["cluster"], measured["local"])]
    count = len(measured["cluster"][0]["items"])
    print(f"two nodes and a local batch of two jobs, {count} submissions, {len(overheads)} rounds in turns: " +
          ", ".join(f"{c['wall_s']:.1f} s and {l['wall_s']:.1f} s ({100 * o:+.1f} %)"
                    for c, l, o in zip(measured["cluster"], measured["local"], overheads)) +
          f"; median {100 * statistics.median(overheads):+.1f} %")
    # On a machine that others use, too, gradings take longer in one run than in another; what is beside them does not.
    beside = [(c["wall_s"] / c["seconds"]) / (l["wall_s"] / l["seconds"]) - 1
              for c, l in zip(measured["cluster"], measured["local"])]
    print("the same per second of grading: " + ", ".join(f"{100 * b:+.1f} %" for b in beside) +
          f"; median {100 * statistics.median(beside):+.1f} %")
    off = []
    for run in measured["cluster"]:
        durations = [item["result"] - item["claim"] for item in sorted(run["items"], key=lambda item: item["claim"])]
        first = {}
        for item in run["items"]:
            first[item["task"]] = min(item["claim"], first.get(item["task"], item["claim"]))
        made = simulate(durations, len(first), costs, sorted(first.values()))
        off.append(made / run["wall_s"] - 1)
        print(f"simulated two-node run: {made:.1f} s, measured {run['wall_s']:.1f} s ({100 * off[-1]:+.1f} %)")
    pool = [item["result"] - item["claim"] for run in measured["cluster"] for item in run["items"]]
    draw = random.Random(seed)
    print(f"submissions take {min(pool):.1f} to {max(pool):.1f} s, {statistics.mean(pool):.1f} s on average")
    worst = {}
    for order in ("as they come", "longest first"):
        found = []
        for _ in range(20):
            durations = draw.choices(pool, k=submissions)
            if order == "longest first":
                durations.sort(reverse=True)
            found.append((efficiency(durations, nodes, costs), simulate(durations, nodes, costs)))
        worst[order] = min(found)[0]
        print(f"{nodes} nodes, {submissions} submissions, {order}: efficiency {100 * min(found)[0]:.1f} to "
              f"{100 * max(found)[0]:.1f} %, {statistics.mean(s for _, s in found):.0f} s")
    return max(map(abs, off)), worst


# ---- Measurement ------------------------------------------------------------------------------------

class Measurement:
    def __init__(self, options):
        self.options, self.work = options, options.work
        for folder in ("class", "home", "tmp"):
            (self.work / folder).mkdir(parents=True)
        self.what = ["-a", options.assignment, *(["--task", options.task] if options.task else [])]
        folders = [HERE / f"tests/submissions/{options.assignment}/{kind}" for kind in ("correct", "wrong")]
        files = sorted(file for folder in folders for file in folder.glob("*.cu")
                       if not options.task or file.name.startswith(options.task + "_"))
        random.Random(1).shuffle(files)
        for i in range(options.submissions):
            # Each is another file, so none is found in the cache.
            text = files[i % len(files)].read_text() + f"// {i}\n"
            (self.work / "class" / f"s{i:03}.cu").write_text(text)
        self.environment = {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "HOME": str(self.work / "home"),
                            "TMPDIR": str(self.work / "tmp"), "LC_ALL": "C.UTF-8"}
        self.secret = self.work / "secret"
        subprocess.run([options.cugrade, "secret", "new", self.secret], check=True, capture_output=True, env=self.environment)
        (self.work / "cluster.yaml").write_text("schema_version: 1\ngrade: {tasks: 2}\n")
        self.environment["XDG_CACHE_HOME"] = str(self.work / "warm")
        subprocess.run([options.cugrade, "check", HERE / f"reference/{options.assignment}/baseline.cu", *self.what, "--backend",
                        "emulator", "--secret-file", self.secret], check=True, capture_output=True, env=self.environment)

        # Graded at once, so that results wait for the coordinator; as many as make the gradebook long.
        (self.work / "empty").mkdir()
        for i in range(options.collected):
            (self.work / "empty" / f"s{i:04}.cu").write_text("")

    def start(self, out, *more, hand_ins="class"):
        said = open(self.work / f"{out}.said", "ab")
        with said:
            return subprocess.Popen(
                [self.options.cugrade, "batch", self.work / hand_ins, *self.what, "--backend",
                 "emulator", "--secret-file", self.secret, "--out", self.work / out, *more],
                env={**self.environment, "XDG_CACHE_HOME": str(self.work / f"{out}.cache")}, stdout=said, stderr=said)

    def fresh(self, out):
        shutil.copytree(self.work / "warm", self.work / f"{out}.cache")

    def ended(self, process, out):
        if process.wait() != 0:
            sys.exit(f"{out} ended with {process.returncode}: {(self.work / f'{out}.said').read_text()}")

    def local(self, out):
        self.fresh(out)
        begun = time.monotonic()
        self.ended(self.start(out, "--jobs", "2"), out)
        return {"wall_s": time.monotonic() - begun, "seconds": self.seconds(out)}

    def seconds(self, out):
        """Of all gradings, as their reports say: what else a batch takes is the batch's."""
        return sum(json.loads(path.read_text())["seconds"] for path in (self.work / out).glob("reports/*/*.json"))

    def watch(self, process, out, begun, until=None):
        """When each submission was claimed, by which task, and when its result came, since `begun`; and when lines of
        submissions were printed, and how many there were then."""
        claims, results, told, size = {}, {}, [], -1
        while process.poll() is None:
            # This runs beside what it measures, on the same two processors: so it looks no more often than it has to.
            # The files say when they came. They are there until the command has told of all, and a bit longer.
            if (now_size := (self.work / f"{out}.said").stat().st_size) != size or until is not None:
                size, count = now_size, self.lines_of_submissions(out)
                if count > (told[-1][1] if told else 0):
                    told.append((time.time() - begun, count))
                self.look_for_files(out, begun, claims, results)
            if until is not None and until(claims, results):
                break
            time.sleep(0.02)
        return claims, results, told

    def look_for_files(self, out, begun, claims, results):
        for folder, found in (("claims", claims), ("results", results)):
            for path in (self.work / out / ".cluster").glob(f"*/grade/{folder}"):
                with contextlib.suppress(FileNotFoundError):
                    for entry in os.scandir(path):
                        if entry.name.isdigit() and entry.name not in found:
                            text = pathlib.Path(entry).read_text()
                            found[entry.name] = (entry.stat().st_mtime - begun, text.split("\n")[1])

    def lines_of_submissions(self, out):
        return len(re.findall(r"(?m)^\[", (self.work / f"{out}.said").read_text()))

    def on_cluster(self, out):
        self.fresh(out)
        wall, begun = time.monotonic(), time.time()
        process = self.start(out, "--slurm", self.work / "cluster.yaml")
        claims, results, told = self.watch(process, out, begun)
        self.ended(process, out)
        wall_s = time.monotonic() - wall
        if len(results) != self.options.submissions or claims.keys() != results.keys():
            sys.exit(f"{len(claims)} claims and {len(results)} results were seen, of {self.options.submissions}")
        came = sorted(time for time, _ in results.values())
        waits = [time - came[count - 1] for time, count in told]
        items = [{"task": claims[i][1], "claim": claims[i][0], "result": results[i][0]} for i in sorted(claims, key=int)]
        return {"wall_s": wall_s, "seconds": self.seconds(out), "items": items, "waits": waits}

    def full_look_s(self):
        """Of a look at as many results as it takes: the coordinator is killed at the first and started at the last."""
        out, cluster = "collected", self.work / "cluster.yaml"
        self.fresh(out)
        process = self.start(out, "--slurm", cluster, hand_ins="empty")
        self.watch(process, out, 0, lambda claims, results: len(claims) > 0)
        process.kill()
        process.wait()
        while sum(path.name.isdigit() for path in (self.work / out).glob(".cluster/*/grade/results/*")) < self.options.collected:
            time.sleep(0.2)
        (self.work / f"{out}.said").write_text("")
        process, told = self.start(out, "--slurm", cluster, "--resume", hand_ins="empty"), []
        while process.poll() is None:
            count = self.lines_of_submissions(out)
            if not told or count > told[-1][1]:
                told.append((time.monotonic(), count))
            time.sleep(0.002)
        self.ended(process, out)
        (first, before), (last, after) = next(t for t in told if t[1] > 0), told[-1]
        return (last - first) / (after - before) * AT_ONCE


def processor_s(pids):
    """That these processes have used so far."""
    ticks = 0
    for pid in pids:
        # After the name in parentheses: utime and stime are the 14th and 15th field of all.
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def task_interval_s(cluster, work):
    """Between the starts of two tasks of an array of 64 on 64 nodes: what the controller, and munged, which signs for
    it, need for each, as if nothing of it were done at the same time."""
    times = work / "starts"
    times.mkdir()
    script = work / "start.sh"
    script.write_text(f"#!/bin/sh\n: >{times}/$SLURM_ARRAY_TASK_ID\nsleep 20\n")
    controller = [cluster.children[name].pid for name in ("slurmctld", "munged")]
    before = processor_s(controller)
    cluster.command("sbatch", "--array=0-63", "--chdir=/", "--output=/dev/null", str(script))
    deadline = time.monotonic() + 120
    while (started := len(list(times.iterdir()))) < 64 and time.monotonic() < deadline:
        time.sleep(0.2)
    used_s = processor_s(controller) - before
    if started < 64:
        sys.exit(f"only {started} of 64 tasks have started")
    cluster.command("scancel", f"--user={os.getuid()}")
    return used_s / 64


def measure(options):
    import slurm_cluster
    if missing := slurm_cluster.missing():
        sys.exit(f"not installed: {', '.join(missing)}; the packages are slurmctld, slurmd, slurm-client and munge")
    measurement = Measurement(options)
    local, runs = [], []
    with slurm_cluster.Cluster(options.work / "wide", cpus=32) as cluster:
        interval_s = task_interval_s(cluster, options.work)
    with slurm_cluster.Cluster(options.work / "slurm") as cluster:
        measurement.environment.update(cluster.environment)
        for i in range(options.rounds):
            # A machine's speed changes while one looks: neither is always the first of a round.
            for on_cluster in (i % 2 == 1, i % 2 == 0):
                if on_cluster:
                    runs.append(measurement.on_cluster(f"cluster{i}"))
                else:
                    local.append(measurement.local(f"local{i}"))
            print(f"round {i + 1}: local {local[-1]['wall_s']:.1f} s, cluster {runs[-1]['wall_s']:.1f} s", flush=True)
        full_look_s = measurement.full_look_s()
    gaps, begins = [], []
    for run in runs:
        tasks = {}
        for item in sorted(run["items"], key=lambda item: item["claim"]):
            tasks.setdefault(item["task"], []).append(item)
        begins += [items[0]["claim"] for items in tasks.values()]
        gaps += [b["claim"] - a["result"] for items in tasks.values() for a, b in zip(items, items[1:])]
    # A result waits for the next look, and for what that does.
    look_s = max(0.0, statistics.median(wait for run in runs for wait in run["waits"]) - LOOK_S / 2)
    ends = [run["wall_s"] - max(item["result"] for item in run["items"]) for run in runs]
    costs = {"begin_s": 0.0, "task_start_s": statistics.median(begins), "task_interval_s": interval_s,
             "claim_s": statistics.median(gaps), "look_s": look_s,
             "result_s": max(0.0, (full_look_s - look_s) / (AT_ONCE - 1)),
             "end_s": max(0.0, statistics.median(ends) - LOOK_S / 2 - look_s)}
    options.to.write_text(json.dumps({"costs": costs, "local": local, "cluster": runs}, indent=1) + "\n")
    print(f"written: {options.to}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("--cugrade", required=True, type=os.path.realpath)
    one.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve(), help="a folder that is not there")
    one.add_argument("--to", required=True, type=pathlib.Path)
    one.add_argument("--rounds", type=int, default=3)
    one.add_argument("--assignment", default="patterns")
    one.add_argument("--task", default="map", help="empty: the whole assignment, as a course grades it")
    one.add_argument("--submissions", type=int, default=24)
    one.add_argument("--collected", type=int, default=1000, help="to measure the coordinator with")
    one = commands.add_parser("simulate")
    one.add_argument("measured", type=pathlib.Path)
    one.add_argument("--nodes", type=int, default=64)
    one.add_argument("--submissions", type=int, default=1000)
    one.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "measure":
        measure(options)
    else:
        report(json.loads(options.measured.read_text()), options.nodes, options.submissions, options.seed)


if __name__ == "__main__":
    main()
