#!/usr/bin/env python3
"""The tables of docs/reuse.md: runs tests/programs/reuse.cu on the emulated GPU and counts.

    scripts/reuse_tables.py --cugrade build/release/bin/cugrade            writes the tables
    scripts/reuse_tables.py --cugrade build/release/bin/cugrade --check    fails if they would differ
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reuse.md"
BEGIN, END = "<!-- written by scripts/reuse_tables.py -->\n", "<!-- end -->\n"

# What the lecture prints, by dimensions, mask and width of the output tile.
PRINTED = {
    (1, 5): {16: "4.0", 32: "4.4", 64: "4.7", 128: "4.9", 256: "4.9"},
    (1, 9): {16: "6.0", 32: "7.2", 64: "8.0", 128: "8.5", 256: "8.7"},
    (2, 5): {8: "11.1", 16: "16", 32: "19.7", 64: "22.1"},
    (2, 9): {8: "20.3", 16: "36", 32: "51.8", 64: "64"},
}


def rounded(value, digits):
    """Half up, from the exact quotient: 20.25 to one digit is 20.3."""
    scaled = value * 10**digits
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}}"


def count(cugrade):
    """{(kind, dimensions, O, M): threads' loads from global memory}"""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts.json"
        subprocess.run([cugrade, "run", str(ROOT / "tests/programs/reuse.cu"), "--counts", str(counts)],
                       check=True, stdout=subprocess.DEVNULL)
        kernels = json.loads(counts.read_text())["kernels"]
    loads = {}
    for kernel in kernels:
        match = re.search(r"(naive|tiled)_([12])d<(\d+), (\d+)>", kernel["kernel"])
        if not match or kernel["launches"] != 1:
            sys.exit(f"an unexpected kernel, or launched more than once: {kernel['kernel']}")
        loads[match[1], int(match[2]), int(match[3]), int(match[4])] = kernel["total"]["global_load"]["lanes"]
    return loads


def tables(loads):
    text = ""
    for (dimensions, mask), printed in PRINTED.items():
        power = "" if dimensions == 1 else "²"
        text += f"**{dimensions}-D, mask {mask}{'' if dimensions == 1 else f'×{mask}'}**\n\n"
        text += f"| O | naive loads | tiled loads | counted | (O·M/(O+M-1)){power} | printed | |\n"
        text += "|--:|--:|--:|--:|--:|--:|---|\n"
        for width, figure in printed.items():
            naive, tiled = (loads[kind, dimensions, width, mask] for kind in ("naive", "tiled"))
            counted = Fraction(naive, tiled)
            theory = Fraction(width * mask, width + mask - 1) ** dimensions
            if counted != theory:
                sys.exit(f"{dimensions}-D, O = {width}, mask {mask}: counted {counted}, in theory {theory}")
            digits = len(figure.partition(".")[2])
            right = rounded(counted, digits) if digits else str(counted)
            remark = "" if right == figure else f"printed wrong: {right}"
            text += (f"| {width} | {naive} | {tiled} | {rounded(counted, 3)} | {rounded(theory, 3)} | {figure} "
                     f"| {remark} |\n")
        text += "\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    document = DOCUMENT.read_text()
    before, found, rest = document.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"{DOCUMENT}: the lines around the tables are missing: {BEGIN}{END}")
    new = before + BEGIN + "\n" + tables(count(options.cugrade)) + END + after
    if not options.check:
        DOCUMENT.write_text(new)
    elif new != document:
        sys.exit(f"{DOCUMENT} differs from what is counted: run {sys.argv[0]} --cugrade {options.cugrade}")


if __name__ == "__main__":
    main()
