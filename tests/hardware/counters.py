#!/usr/bin/env python3
"""Compares the emulated GPU's counters with Nsight Compute's, kernel by kernel.

    nvcc -arch=sm_90 -lineinfo -o counters tests/hardware/counters.cu
    tests/hardware/counters.py ncu ./counters >ncu.csv          # on a GPU
    cugrade run --counts counts.json --ptx 90 tests/hardware/counters.cu
    tests/hardware/counters.py compare ncu.csv counts.json      # anywhere; prints a Markdown table

`compare` fails if fewer than 12 kernels agree within 5 % in everything but instructions, which PTX
and machine code need not have in common.
"""
import csv
import json
import re
import subprocess
import sys

# What Nsight Compute calls it, what it is called here, and how it is found in a kernel's counts.
METRICS = [
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load requests", lambda t: t("global_load", "requests")),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load sectors", lambda t: t("global_load", "sectors")),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "store requests", lambda t: t("global_store", "requests")),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "store sectors", lambda t: t("global_store", "sectors")),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "atomic requests", lambda t: t("global_atomic", "requests")),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "atomic sectors", lambda t: t("global_atomic", "sectors")),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared load passes",
     lambda t: t("shared_load", "wavefronts")),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared store passes",
     lambda t: t("shared_store", "wavefronts")),
    ("smsp__inst_executed.sum", "warp instructions", lambda t: t(None, "warp_instructions")),
    ("smsp__thread_inst_executed.sum", "thread instructions", lambda t: t(None, "thread_instructions")),
]
EXACT = [m for m in METRICS if "instructions" not in m[1]]


def short(name):
    """`void copy_strided<8>(const float *, float *)` and `void copy_strided<(int)8>(...)` alike."""
    name = re.sub(r"\((int|unsigned int|bool)\)", "", name).split("(")[0]
    return name.replace("void ", "").strip()


def ncu(program):
    metrics = ",".join(m[0] for m in METRICS)
    subprocess.run(["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", metrics, program],
                   check=True)


def measured(path):
    lines = open(path, errors="replace").read().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith('"ID"'))
    rows = list(csv.DictReader(lines[start:]))
    return {short(row["Kernel Name"]): {m[0]: float((row[m[0]] or "0").replace(",", "")) for m in METRICS}
            for row in rows if row["Kernel Name"]}


def emulated(path):
    out = {}
    for kernel in json.load(open(path))["kernels"]:
        total = kernel["total"]

        def value(group, key, total=total):
            return total.get(group, {}).get(key, 0) if group else total[key]
        out[short(kernel["kernel"])] = {m[0]: value_of(value) for m in METRICS for value_of in [m[2]]}
    return out


def compare(ncu_file, counts_file):
    hardware, ours = measured(ncu_file), emulated(counts_file)
    if set(hardware) != set(ours):
        sys.exit(f"different kernels: {sorted(set(hardware) ^ set(ours))}")
    shown = [m for m in METRICS if any(hardware[k][m[0]] or ours[k][m[0]] for k in hardware)]
    print("| kernel | " + " | ".join(m[1] for m in shown) + " |")
    print("|" + "---|" * (len(shown) + 1))
    agree = 0
    for kernel in ours:
        cells = []
        good = True
        for metric in shown:
            a, b = hardware[kernel][metric[0]], ours[kernel][metric[0]]
            near = abs(a - b) <= 0.05 * max(a, b)
            good = good and (near or metric not in EXACT)
            cells.append("" if a == b == 0 else f"{a:.0f}" if a == b else f"{b:.0f} ({a:.0f})")
        agree += good
        print(f"| `{kernel}`{'' if good else ' *'} | " + " | ".join(cells) + " |")
    print(f"\n{agree} of {len(ours)} kernels agree within 5 % in all but instructions; where they differ, "
          "Nsight Compute's number is in brackets.")
    return 0 if agree >= 12 else 1


if len(sys.argv) == 3 and sys.argv[1] == "ncu":
    ncu(sys.argv[2])
elif len(sys.argv) == 4 and sys.argv[1] == "compare":
    sys.exit(compare(sys.argv[2], sys.argv[3]))
else:
    sys.exit(__doc__)
