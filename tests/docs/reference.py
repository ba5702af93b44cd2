#!/usr/bin/env python3
"""docs/reference.md has every key and variable that the program knows, with its range, and no other.

Keys, ranges and what is required come from the program: it is given files in which a map has an unknown key, a
number out of range, or a key less, and its error lists the known keys, tells the range, or misses the key. A key
that the source reads, and that no map listed, fails as well: then a new kind of map is missing below. Variables come from the source. Controls: a page without one of
its rows, and one with a row too many, must fail.

Usage: reference.py --cugrade PROGRAM SOURCE
"""
import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NONSENSE = "zzz_no_such_key"
NOWHERE = "zzz_no_such_folder"

ASSIGNMENT = {
    "schema_version": 1, "id": "probe", "title": "probe",
    "forbidden": [{"instruction": "atom.add", "message": "no"}],
    "tasks": [{
        "name": "a", "title": "a", "function": "f", "dynamic_parallelism": False, "moves": ["o"],
        "arguments": [{"name": "x", "type": "f32", "role": "input", "shape": ["n"]},
                      {"name": "n", "type": "u64", "role": "scalar"},
                      {"name": "o", "type": "f32", "role": "output", "shape": ["n"]}],
        "cases": [{"n": 1, "x": {"generator": "constant", "value": 0}},
                  {"n": 100, "x": {"generator": "constant", "value": 0}, "needs": "gpu", "timed": True},
                  {"withheld": 2}],
        "model": [{"n": 2, "x": {"generator": "constant", "value": 0}},
                  {"n": 4, "x": {"generator": "constant", "value": 0}}],
    }],
}
TIERS = [{"speedup": 2, "credit": 1}]
FORBID = {"includes": ["cub/*"], "calls": ["cub::*"], "message": "no"}
LATE = {"per_day": 0.1, "days": 3, "grace": 600}
POLICY = {
    "schema_version": 1, "leaderboard": {"names": "names.csv", "anonymous": True, "tasks": ["probe/a"]},
    "defaults": {"hidden_weight": 1, "tiers": TIERS, "require": "all", "forbid": FORBID, "modelled_on": "h200", "late": LATE, "points": 3,
                 "attempts": "best", "hints": "facts", "limits": {"compile_wall": 60, "wall": 20, "cpu": 20, "total": 600, "memory": 1 << 31, "processes": 64,
                            "file": 1 << 26, "output": 1 << 20, "instructions": 1000, "device_memory": 1 << 31}},
    "assignments": {"probe": {
        "limits": {"wall": 1}, "hidden_weight": 1, "tiers": TIERS, "require": "passed", "forbid": FORBID,
        "deadline": "2026-11-30T23:59:00+01:00", "late": LATE, "points": 3, "attempts": "last", "hints": "cause",
        "tasks": {"a": {"correctness": 1, "performance": 1, "hidden_weight": 1, "tiers": TIERS, "require": "all",
                        "forbid": FORBID, "technique": {"points": 1, "limits": {"host_launches": {"max": 1}}}}}}},
}
JOBS = {"tasks": 1, "cpus": 1, "partition": "a", "account": "a", "qos": "a", "constraint": "a", "reservation": "a",
        "time": 10, "memory": 1 << 30, "options": ["--nice=1"]}
CLUSTER = {"schema_version": 1, "scheduler": "slurm", "setup": ["true"], "program": "/bin/true",
           "grade": {**JOBS, "gpus": 0}, "build": {**JOBS, "gpu_arch": 90}}
# Heading on the page -> (which file, path of a map of that kind in it).
MAPS = {
    "`assignment.yaml`": ("assignment", []),
    "`forbidden[]`": ("assignment", ["forbidden", 0]),
    "`tasks[]`": ("assignment", ["tasks", 0]),
    "`tasks[].arguments[]`": ("assignment", ["tasks", 0, "arguments", 0]),
    "`tasks[].cases[]`": ("assignment", ["tasks", 0, "cases", 0]),
    "`{withheld: N}`": ("assignment", ["tasks", 0, "cases", 2]),
    "`grading.yaml`": ("policy", []),
    "`defaults`": ("policy", ["defaults"]),
    "`assignments.<id>`": ("policy", ["assignments", "probe"]),
    "`assignments.<id>.tasks.<name>`": ("policy", ["assignments", "probe", "tasks", "a"]),
    "`forbid`": ("policy", ["defaults", "forbid"]),
    "`late`": ("policy", ["defaults", "late"]),
    "`tiers[]`": ("policy", ["defaults", "tiers", 0]),
    "`technique`": ("policy", ["assignments", "probe", "tasks", "a", "technique"]),
    "`technique.limits`": ("policy", ["assignments", "probe", "tasks", "a", "technique", "limits"]),
    "`leaderboard`": ("policy", ["leaderboard"]),
    "`limits`": ("policy", ["defaults", "limits"]),
    "`cluster.yaml`": ("cluster", []),
    "`grade`": ("cluster", ["grade"]),
    "`build`": ("cluster", ["build"]),
}
OF_THE_PROBE = {"`tasks[].cases[]`": {"n", "x"}}  # keys that its own arguments give a case
NOT_ON_THE_PAGE = {
    "max",        # in the sentence before the table of `technique.limits`
    "generator",  # of data: in the sentence before the table of generators
    "file",       # of data, the same; a limit has the same name
}
# Words in capitals, in files that read variables, which are none.
NO_VARIABLES = {"CAP_SETPCAP", "CAP_SYS_ADMIN", "BUILD", "MAJOR", "MINOR", "HMAC"}


def at(where):
    """The map itself."""
    file, path = where
    inner = {"assignment": ASSIGNMENT, "policy": POLICY, "cluster": CLUSTER}[file]
    for step in path:
        inner = inner[step]
    return inner


class Program:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        (folder / "share/cugrade/assignments/probe").mkdir(parents=True)

    def says(self, assignment, policy, cluster=None):
        share = self.folder / "share/cugrade"
        (share / "assignments/probe/assignment.yaml").write_text(json.dumps(assignment))
        (share / "grading.yaml").write_text(json.dumps(policy))
        command = [self.program, "list"]
        if cluster is not None:
            (self.folder / "cluster.yaml").write_text(json.dumps(cluster))
            command = [self.program, "batch", NOWHERE, "--out", self.folder / "out", "--slurm", self.folder / "cluster.yaml"]
        ran = subprocess.run(command, capture_output=True, text=True,
                             env={**os.environ, "CUGRADE_HOME": str(self.folder)})
        return ran.returncode, ran.stdout + ran.stderr

    def says_with(self, where, key, value):
        """What it says if the map at `where` has this value at this key; None: not the key."""
        file, path = where
        documents = {"assignment": copy.deepcopy(ASSIGNMENT), "policy": copy.deepcopy(POLICY)}
        if file == "cluster":
            documents["cluster"] = copy.deepcopy(CLUSTER)
        inner = documents[file]
        for step in path:
            inner = inner[step]
        inner[key] = value
        if value is None:
            del inner[key]
        return self.says(**documents)[1]

    def keys(self, where):
        said = self.says_with(where, NONSENSE, 1)
        listed = re.search(rf"`{NONSENSE}`.*\n.*the keys here are (.*)", said)
        if not listed:
            sys.exit(f"no list of keys for {where} in:\n{said}")
        return set(listed.group(1).split(", "))

    def range(self, where, key):
        """(low, high) as it tells them, or None if a large number is no matter of range."""
        found = re.search(r"write a (?:whole )?number from (\S+) to (\S+)", self.says_with(where, key, 1e300))
        return tuple(float(end) for end in found.groups()) if found else None

    def is_required(self, where, key):
        return f"the key `{key}` is missing" in self.says_with(where, key, None)

    def generators(self):
        """{name: (required, optional parameters)}"""
        def asked(data):
            return self.says_with(("assignment", ["tasks", 0, "cases", 0]), "x", data)
        names = re.search(r"use one of (.*)", asked({"generator": NONSENSE})).group(1).split(", ")
        out = {}
        for name in names:
            if name == "file":
                continue
            takes = re.search(r"it takes (.*)", asked({"generator": name, NONSENSE: 1}))
            parameters = takes.group(1).split(", ") if takes and takes.group(1) != "none" else []
            out[name] = ({p for p in parameters if " = " not in p},
                         {p.split(" = ")[0] for p in parameters if " = " in p})
        return out


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


class Page:
    def __init__(self, text):
        self.sections = {}
        for part in re.split(r"^###? ", text, flags=re.MULTILINE)[1:]:
            heading, _, body = part.partition("\n")
            rows = [[cell.strip() for cell in line.strip("|").split("|")]
                    for line in body.split("\n") if line.startswith("| `")]
            self.sections[heading] = rows

    def keys(self, heading):
        return {words(row[0])[0] for row in self.sections.get(heading, [])}

    def ranges(self, heading):
        out = {}
        for row in self.sections.get(heading, []):
            found = re.match(r"([\d.]+) to ([\d.]+)", row[3]) if len(row) > 3 else None
            out[words(row[0])[0]] = tuple(float(end) for end in found.groups()) if found else None
        return out

    def required(self, heading):
        return {words(row[0])[0] for row in self.sections.get(heading, []) if len(row) > 3 and
                row[2].startswith("required")}

    def generators(self):
        return {words(row[0])[0]: (set(words(row[1])), set(words(row[2])))
                for row in self.sections.get("Sources of data", [])}

    def variables(self):
        return {name for heading, rows in self.sections.items() if heading.startswith(("For ", "Between "))
                for row in rows for name in words(row[0])}


def keys_in_source(source):
    """What config/ looks up by name in maps, but for device profiles, which docs/modelled-time.md describes."""
    out = set()
    for file in ("assignment.cpp", "policy.cpp", "cluster.cpp"):
        text = (source / "harness/config" / file).read_text()
        out |= set(re.findall(r'\b(?:at|find)\("(\w+)"\)', text))
    return out


def variables_in_source(source):
    reads = re.compile(r"\bgetenv\(|\benviron\b|\benvname\(|\.environment\[|\benvironment_or\(|_fd_variable =")
    name = re.compile(r'"([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]|[A-Z]{4,})"')
    out = set()
    for folder in ("harness", "datasets", "bench"):
        for file in (source / folder).rglob("*"):
            if file.suffix in (".cpp", ".hpp", ".cu") and reads.search(text := file.read_text()):
                out |= set(name.findall(text)) - NO_VARIABLES
    for file in (source / "scripts").glob("*.sh"):
        out |= set(re.findall(r"\$\{([A-Z][A-Z_]{2,}):", file.read_text()))
    return out


def differences(what, known, written):
    out = [f"{what}: the program knows `{one}`, and docs/reference.md does not" for one in sorted(known - written)]
    out += [f"{what}: docs/reference.md has `{one}`, which the program does not know" for one in sorted(written - known)]
    return out


def failures_of(page, facts):
    out = []
    for heading, known in facts["keys"].items():
        out += differences(heading, known, page.keys(heading))
        out += [f"{heading}: whether `{key}` is required differs between the program and docs/reference.md"
                for key in sorted(facts["required"][heading] ^ page.required(heading))]
        for key, written in page.ranges(heading).items():
            told = facts["ranges"].get((heading, key))
            if told and key != "schema_version" and written != told:  # which has to be 1 all the same
                out.append(f"{heading}: `{key}` is from {told[0]:g} to {told[1]:g}, and the page says {written}")
    known, written = facts["generators"], page.generators()
    out += differences("generators", set(known), set(written))
    out += [f"generator `{name}` takes {known[name]}, and the page says {written[name]}"
            for name in sorted(known.keys() & written.keys()) if known[name] != written[name]]
    return out + differences("variables", facts["variables"], page.variables())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    text = (arguments.source / "docs/reference.md").read_text()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(arguments.cugrade, pathlib.Path(folder))
        code, said = program.says(ASSIGNMENT, POLICY)
        if code != 0 or "broken" in said:
            sys.exit(f"the files to plant mistakes in are not right themselves:\n{said}")
        # It is read first, and the next thing is wrong.
        if "cluster.yaml" in (said := program.says(ASSIGNMENT, POLICY, CLUSTER)[1]) or not said:
            sys.exit(f"the cluster.yaml to plant mistakes in is not right itself:\n{said}")
        keys = {heading: program.keys(where) for heading, where in MAPS.items()}
        facts = {
            "keys": {heading: found - OF_THE_PROBE.get(heading, set()) for heading, found in keys.items()},
            "ranges": {(heading, key): program.range(where, key)
                       for heading, where in MAPS.items() for key in keys[heading]},
            "required": {heading: {key for key in keys[heading] - OF_THE_PROBE.get(heading, set())
                                   if key in at(where) and program.is_required(where, key)}
                         for heading, where in MAPS.items()},
            "generators": program.generators(),
            "variables": variables_in_source(arguments.source),
        }
    failures = failures_of(Page(text), facts)
    unlisted = keys_in_source(arguments.source) - set().union(*facts["keys"].values()) - NOT_ON_THE_PAGE
    failures += [f"config/ reads the key `{key}`, and no map of this test has it" for key in sorted(unlisted)]
    # Controls: each row, left out or with another name, must be seen; the first table is of types, not of keys.
    usual = len(failures_of(Page(text), facts))
    body = text[text.index("\n## "):]
    for row in re.findall(r"^\| `.*\n", body, re.MULTILINE):
        without = body.replace(row, "", 1)
        another = body.replace(row, re.sub(r"`\w+", f"`{NONSENSE.upper()}", row, count=1), 1)
        for planted in (without, another):
            if len(failures_of(Page(planted), facts)) <= usual:
                failures.append(f"a mistake in this row would go unnoticed: {row.strip()}")
    for failure in failures:
        print(failure)
    print(f"{sum(map(len, facts['keys'].values()))} keys, {sum(r is not None for r in facts['ranges'].values())} ranges, "
          f"{len(facts['generators'])} generators, {len(facts['variables'])} variables; {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
