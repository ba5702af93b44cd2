#!/usr/bin/env python3
"""Batches on disks that become full, and what is left each time.

The output folder, or all that a batch writes (cache and temporary files, too), is on a small file system. The
batch of tests/cli/kill_batch.py is started there. It ends with an error that names the full disk, then the disk
grows by a random step and the batch is resumed, until it ends as an undisturbed one does.

After each run: what kill_batch.py looks at after a kill, and nobody is charged for the disk: a hand-in that could
not be compiled or run for lack of space is not graded. It needs to mount, so it runs as root, in a mount namespace
of its own.

Usage: full_disk.py --cugrade BIN --source REPOSITORY --work FOLDER [--disks 6] [--seed N]
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys

import kill_batch
import watched
from kill_batch import AFTER_EACH, AT_THE_END, Found, require

FULL = ("No space left on device", "is full", "make room on the disk")
# Of what an undisturbed batch needs: what a disk begins with, and what it grows by.
BEGINS, GROWS = (0.1, 0.6), (0.5, 2.0)


class Disk:
    """A file system in memory, at `place`."""

    def __init__(self, place):
        self.place, self.kib = place, 0
        place.mkdir(exist_ok=True)

    def resize(self, kib):
        options = f"size={kib}k" if self.kib == 0 else f"remount,size={kib}k"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "cugrade-test", self.place], check=True)
        self.kib = kib

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.kib:
            subprocess.run(["umount", "--lazy", self.place], check=True)


class Batch(kill_batch.Batch):
    """Its table may have rows of who is not graded, without points."""

    def rows(self):
        return [row for row in super().rows() if not (row["verdict"] == "harness_error" and "earned" not in row)]


def used_kib(folder):
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) // 2


def move_into(batch, folder):
    """The folders that a batch writes to, from the disk around `folder` to the one in it."""
    for name in ("home", "cache", "tmp"):
        shutil.move(batch.place / name, folder / name)
        (batch.place / name).symlink_to(folder / name)
    (folder / "out").mkdir()
    (batch.place / "out").symlink_to(folder / "out")


def one_disk(options, expected, draw, number, everything, needs_kib):
    """Returns how many runs ended at the full disk."""
    batch = kill_batch.fresh(options, number, Batch)
    name = "all on the disk" if everything else "the output on the disk"
    with Disk(batch.place / "disk" if everything else batch.out) as disk:
        begins_with = used_kib(batch.place) if everything else 0
        disk.resize(begins_with + int(needs_kib * draw.uniform(*BEGINS)))
        if everything:
            move_into(batch, disk.place)
        runs = 0
        while True:
            batch.lines, graded = batch.recorded(), batch.graded()
            batch.kept = {path: path.read_bytes() for path in batch.reports() if path.stem in graded}
            status = os.waitstatus_to_exitcode(kill_batch.processes_end(batch.start(), 600))
            output = (batch.place / "stdout").read_text()
            require(AFTER_EACH, batch, expected)
            if status == 0:
                break
            if status not in (2, 4) or not any(words in output for words in FULL):
                raise Found(f"{name}, {disk.kib} KiB: ended with {status}, and does not name the disk: {output}")
            runs += 1
            print(f"disk {number}, {name}: {disk.kib} KiB, {len(batch.graded())} graded, ended with {status}", flush=True)
            disk.resize(disk.kib + int(needs_kib * draw.uniform(*GROWS)))
        require(AT_THE_END, batch, expected)
    shutil.rmtree(batch.place)
    return runs


def run_all(options):
    draw = random.Random(options.seed)
    expected, _ = kill_batch.prepare(options)
    first = options.work / "undisturbed"
    needs_out = used_kib(first / "out")
    needs_all = needs_out + used_kib(first / "cache") - used_kib(options.work / "cache")
    met = 0
    for number in range(1, options.disks + 1):
        everything = number % 2 == 0
        met += one_disk(options, expected, draw, number, everything, needs_all if everything else needs_out)
    print(f"{options.disks} disks, seed {options.seed}: {met} runs ended at a full one. No report half written, no "
          "grade lost, doubled or charged to a student.")
    if met < options.disks:
        raise Found(f"only {met} runs ended at a full disk")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=lambda text: pathlib.Path(text).resolve(), help="a folder that is not there")
    parser.add_argument("--disks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    options.cugrade = os.path.realpath(options.cugrade)
    watched.adopt_orphans()
    print(f"seed {options.seed}", flush=True)
    try:
        run_all(options)
    except Found as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    finally:
        watched.end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
