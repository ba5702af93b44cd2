#!/usr/bin/env python3
"""The rooms of the harness include each other downwards only: docs/architecture.md draws it.

A room is a folder of harness/, or of harness/emulator/. ALLOWED says which other rooms it may include; the
relation has no cycle, so nothing can depend on what depends on it. Controls: an upward include that is
planted into the table of what was found must be seen, and so must a room that nobody listed.

Processes are started in harness/process only. Control: that room must be seen to do so.

Usage: layers.py SOURCE
"""
import pathlib
import re
import sys

EMULATED = {"emulator/counts", "emulator/findings"}
BELOW_GRADING = {"core", "datasets", "oracle"}
ALLOWED = {
    "core": set(),
    "seal": {"core"},
    "protocol": set(),
    "process": set(),
    "probe": set(),
    "runner": {"protocol", "assignments"},
    "emulator/runtime": {"protocol"},
    "sandbox": {"core", "protocol", "process"},
    "handin": {"core", "process"},
    "scoring": {"core"},
    "oracle": {"core", "process", "oracles"},
    "emulator/ptx": {"core"},
    "emulator/counts": {"core"},
    "emulator/model": {"protocol", "emulator/counts"},
    "emulator/state": {"core", "protocol", "emulator/ptx", "emulator/counts"},
    "emulator/ops": {"core", "emulator/ptx", "emulator/state"},
    "emulator/decode": {"core", "emulator/ptx", "emulator/counts", "emulator/state", "emulator/ops"},
    "emulator/run": {"core", "protocol", "emulator/ptx", "emulator/state", "emulator/ops", "emulator/decode"},
    "emulator/findings": {"core", "emulator/state"},
    "emulator/observe": {"emulator/ptx", "emulator/state", "emulator/ops", "emulator/decode", "emulator/findings"},
    "emulator/interventions": {"core", "protocol", "emulator/ptx", "emulator/state"},
    "emulator/server": {"core", "protocol", "emulator/ptx", "emulator/state", "emulator/observe",
                        "emulator/interventions", *EMULATED},
    "emulator/client": {"core", "protocol", "process", "sandbox", "emulator/state"},
    "config": {"core", "datasets", "emulator/model"},
    "report": {"core", "datasets", "seal", *EMULATED},
    "build": {"core", "seal", "datasets", "config", "process", "sandbox", "emulator/ptx", "emulator/model"},
    "gpu": {"core", "datasets", "protocol", "sandbox", "emulator/model"},
    "backend": {"core", "protocol", "process", "sandbox", "build", "gpu", "emulator/client",
                "emulator/ptx", "emulator/interventions", *EMULATED},
    "judging": {*BELOW_GRADING, "build", "backend", "emulator/ptx", "emulator/interventions", *EMULATED},
    "timing": {*BELOW_GRADING, "seal", "build", "gpu", "backend", "judging", "emulator/model", *EMULATED},
    "studies": {*BELOW_GRADING, "build", "gpu", "backend", "judging", "timing"},
    "record": {"core", "datasets", "seal", "scoring", "build", "report"},
    "cluster": {"core", "seal", "process", "sandbox", "config", "report"},
    "grading": {"core", "build", "backend", "judging", "timing", "scoring"},
}
# The command line is the top: it may include every room but the two that become part of a submission.
ALLOWED["cli"] = {room for room in ALLOWED if room not in ("runner", "emulator/runtime")} | {"datasets"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
STARTS = re.compile(r"\b(?:posix_spawnp?|v?fork|clone3?|exec(?:l|le|lp|v|ve|vp|vpe)|popen|system)\(")
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}


def room_of(parts):
    """Of a path's parts below harness/."""
    return "/".join(parts[:2]) if parts[0] == "emulator" else parts[0]


def includes_of(source):
    """{(room, file): {rooms that it includes}}"""
    found = {}
    for file in sorted((source / "harness").rglob("*")):
        if file.suffix not in SUFFIXES:
            continue
        parts = file.relative_to(source / "harness").parts
        rooms = set()
        for include in INCLUDE.findall(file.read_text()):
            path = include.split("/")
            if include == "oracles.hpp":
                rooms.add("oracles")
            elif path[0] in ("cugrade", "interface.cuh"):
                rooms.add("assignments" if len(path) == 1 else "runner")
            elif len(path) > 1:
                rooms.add(room_of(path))
        found[room_of(parts), "/".join(parts)] = rooms
    return found


def that_start_processes(source):
    return {room_of(file.relative_to(source / "harness").parts)
            for file in (source / "harness").rglob("*")
            if file.suffix in SUFFIXES and STARTS.search(file.read_text())}


def offences(found):
    out = []
    for (room, file), rooms in found.items():
        if room not in ALLOWED:
            out.append(f"harness/{file}: the room `{room}` is not listed in tests/trust/layers.py")
            continue
        out += [f"harness/{file} includes `{other}`, which `{room}` may not"
                for other in sorted(rooms - {room} - ALLOWED[room])]
    return out


def cycle():
    """A room that can be reached from itself, or None."""
    def reaches(start, room, seen):
        for other in ALLOWED.get(room, ()):
            if other == start or (other not in seen and (seen.add(other) or reaches(start, other, seen))):
                return True
        return False
    return next((room for room in ALLOWED if reaches(room, room, set())), None)


def main():
    found = includes_of(pathlib.Path(sys.argv[1]).resolve())
    failures = offences(found)
    if room := cycle():
        failures.append(f"the table is no order: `{room}` may include what includes it")
    for planted in ({("judging", "judging/compare.hpp"): {"grading"}}, {("gpu", "gpu/gpus.hpp"): {"backend"}},
                    {("emulator/ops", "emulator/ops/bits.cpp"): {"emulator/run"}},
                    {("attic", "attic/old.cpp"): set()}):
        if len(offences(planted)) != 1:
            failures.append(f"the check does not see {planted}: it sees nothing")
    if (rooms := that_start_processes(pathlib.Path(sys.argv[1]).resolve())) != {"process"}:
        failures.append(f"processes are started in {sorted(rooms)}, not in `process` alone")
    rooms = {room for room, _ in found}
    failures += [f"there is no room `{room}` any more; take it from the table" for room in sorted(ALLOWED.keys() - rooms)]
    for failure in failures:
        print(failure)
    print(f"{len(found)} files in {len(rooms)} rooms, {len(failures)} failures")
    return 1 if failures or not found else 0


sys.exit(main())
