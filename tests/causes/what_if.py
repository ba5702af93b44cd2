#!/usr/bin/env python3
"""Do the predictions of `too_slow` come true?

Each pair is a right submission (a file of tests/submissions with some edits) and one or two defects of it: edits that
make it slow in one way each. The submission with all its defects is graded, and the report predicts what it would gain
if one thing were ideal. Then that defect is taken away, which is the edit a student would make, and the result is graded,
too. Both speeds are the time model's: this is about the counterfactual, and not about the model.

A line of a table for each defect: the speedup predicted, that after the fix, and their quotient. Where a report does
not name a defect, it promises nothing: that is right if the fix gains less than a tenth, and else the prediction is the
speed as it is. `first`: the report's first cause is
the defect whose fix gains most.

--measured: a GPU measures the speeds, and what is compared is by which factor the fix makes it faster; of submissions with one
defect that is promised something. Of those with two defects, whether the one whose fix gains more on the GPU comes first.

Usage: what_if.py --cugrade BIN [--only TEXT] [--jobs N] [--measured]
Exit code 1 if fewer than four fifths are within a quarter, or fewer than nine tenths have the first cause right.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Blocks of 256 threads that fill a device. A fixed number would fill the small emulated one many times over.
FULL = "8 * sms()"
SMS = """
static inline int sms() {
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}
"""
# How the evidence of a cause names its what-if.
KINDS = {
    "grid": "filled the device",
    "coalesced": "used neighbouring elements",
    "conflicts": "no bank conflicts",
    "divergence": "did not diverge",
    "atomics": "combined the atomics",
    "launches": "one launch did the work",
    "reread": "read each byte once",
    "work": "grew with the data",
    "divided": "divided the data",
    "allocation": "memory were kept",
    "transfer": "nothing was copied",
}
EVIDENCE = re.compile(r"([\d.e+-]+)x instead of")


class Pair:
    """`good`: edits that make the file the fixed submission; `defects`: {kind: edits}, applied in this order."""

    def __init__(self, name, task, file, good=(), **defects):
        self.name, (self.assignment, self.task), self.file = name, task.split("/"), file
        self.good, self.defects = good, defects

    def text(self, without=None):
        path = ROOT / self.file if self.file.startswith("causes/") else ROOT / "submissions" / self.assignment / self.file
        include = '#include "interface.cuh"\n'
        text = path.read_text().replace(include, include + SMS)
        for kind, edits in [(None, self.good), *self.defects.items()]:
            if kind is not None and kind == without:
                continue
            for old, new in edits:
                if old not in text:
                    raise ValueError(f"{self.name}: `{old}` is not in {self.file}")
                text = text.replace(old, new)
        return text


def launch(old, new):
    return [(f"<<<{old}>>>", f"<<<{new}>>>")]


SECTION = ("std::size_t all_ = std::size_t(gridDim.x) * blockDim.x, section_ = (n + all_ - 1) / all_, "
           "begin_ = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) * section_;\n")
MAP_LOOP = ("""    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {""")
MAP_SECTIONS = [(MAP_LOOP, "    " + SECTION + "    for (std::size_t i = begin_; i < begin_ + section_ && i < n; ++i) {")]
HISTOGRAM_LOOP = "    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)"
HISTOGRAM_SECTIONS = [(HISTOGRAM_LOOP, "    " + SECTION + "    for (std::size_t i = begin_; i < begin_ + section_ && i < n; ++i)")]
SHUFFLE_LOOP = ("""    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * 256) {""")
SHUFFLE_SECTIONS = [(SHUFFLE_LOOP, "    " + SECTION + "    for (std::size_t i = begin_; i < begin_ + section_ && i < n; ++i) {")]
BLOCK_LOOP = ("""    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {""")
BLOCK_SECTIONS = [(BLOCK_LOOP, "    " + SECTION + "    for (std::size_t i = begin_; i < begin_ + section_ && i < n; ++i) {")]
# Each call allocates, or only the first.
SHUFFLES = [("64", FULL), ("    T* partial = nullptr;\n    cudaMalloc(&partial,", "    static T* partial = nullptr;\n    if (partial == nullptr) cudaMalloc(&partial,"),
            ("    cudaFree(partial);\n", "")]
SHUFFLES_ALLOCATE = [("    static T* partial = nullptr;\n    if (partial == nullptr) cudaMalloc(", "    T* partial = nullptr;\n    cudaMalloc("),
                     ("out);\n}\n\nvoid reduce_sum", "out);\n    cudaFree(partial);\n}\n\nvoid reduce_sum")]
HALVES_TREE = ("""    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        const unsigned k = 2 * stride * t;
        if (k < blockDim.x) s[k] += s[k + stride];
    }""", """    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }""")
NEIGHBOURS = ("""    for (unsigned stride = 1; stride <= 256; stride *= 2) {
        __syncthreads();
        if (t % stride == 0) partial[2 * t] += partial[2 * t + stride];
    }""", """    for (unsigned stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) partial[t] += partial[t + stride];
    }""")


def back(edit):
    return (edit[1], edit[0])


FUSED = ("        y[i] = ((c3 * x[i] + c2) * x[i] + c1) * x[i] + c0;\n", "        y[i] = y[i] * x[i] + c0;\n")
MAP_LAUNCHES = [("void map_cubic(", """__global__ void horner(const float* x, std::size_t n, float c, bool first, float* y) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = first ? c : y[i] * x[i] + c;
}

void map_cubic("""),
                (f"    cubic<<<{FULL}, 256>>>(x, n, c0, c1, c2, c3, y);",
                 f"    const float c[4] = {{c3, c2, c1, c0}};\n    for (int k = 0; k < 4; ++k) horner<<<{FULL}, 256>>>(x, n, c[k], k == 0, y);")]

BYTES_GLOBAL = [(f"count_private<<<{FULL}, 256, 256 * sizeof *bins>>>(in, n, bins, 256u)", f"count_global<<<{FULL}, 256>>>(in, n, bins)"),
                ("__global__ void count_global(const unsigned int* in", "template <class T> __global__ void count_global(const T* in")]
BINS_GLOBAL = [("if (bytes <= 48 * 1024)", "if (bytes == 0)"), ("<<<128, 256>>>", f"<<<{FULL}, 256>>>")]
ATOMIC_PER_ELEMENT = [("        sum += term(in[i]);\n", "        atomicAdd(out, term(in[i]));\n"),
                      ("    atomicAdd(&of_block, sum);\n", ""), ("    if (threadIdx.x == 0) atomicAdd(out, of_block);\n", ""),
                      ("    T sum = 0;\n", "")]
COPY_PER_CALL = [("    cudaMemset(out, 0, sizeof *out);", "    const unsigned none = 0;\n    cudaMemcpy(out, &none, sizeof none, cudaMemcpyHostToDevice);")]

LOOKED_FOR = "    for (std::size_t i = begin; i < end; ++i) found += in[i] == value;\n"
COUNTED = ("    __shared__ unsigned own[256];\n    own[value] = 0;\n    __syncthreads();\n"
           "    for (std::size_t i = begin + value; i < end; i += 256) atomicAdd(&own[in[i]], 1u);\n"
           "    __syncthreads();\n    found = own[value];\n")

PAIRS = [
    Pair("map in one block", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "1, 256")),
    Pair("map in 20 blocks", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "20, 256")),
    Pair("map in one thread", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "1, 1")),
    Pair("map in blocks of 32", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "static_cast<unsigned>((n + 31) / 32), 32")),
    Pair("map in sections", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         coalesced=MAP_SECTIONS),
    Pair("map in sections of 40 blocks", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         coalesced=MAP_SECTIONS, grid=launch(f"{FULL}, 256", "40, 256")),
    Pair("map in four launches", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         launches=MAP_LAUNCHES),
    Pair("max with a copy per call", "reduction/max", "correct/max_by_ordered_bits.cu", launch("48, 256", f"{FULL}, 256"),
         transfer=COPY_PER_CALL),
    Pair("gather in one block", "patterns/gather", "slow/gather_one_block.cu",
         [("i = threadIdx.x; i < n; i += blockDim.x", "i = blockIdx.x * 1024 + threadIdx.x; i < n; i += std::size_t(gridDim.x) * 1024"), *launch("1, 1024", "2 * sms(), 1024")],
         grid=launch("2 * sms(), 1024", "1, 1024")),
    Pair("bytes with global atomics", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         atomics=BYTES_GLOBAL),
    Pair("bins with global atomics", "histogram/bins", "correct/privatised_dynamic.cu",
         [("<<<30, 256,", f"<<<{FULL}, 256,")],
         atomics=BINS_GLOBAL),
    Pair("bytes looked for by each thread", "histogram/bytes", "slow/one_thread_per_bin.cu",
         [(LOOKED_FOR, COUNTED)], divided=[(COUNTED, LOOKED_FOR)]),
    Pair("bytes in one block", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         grid=[(f"count_private<<<{FULL}, 256, 256", "count_private<<<1, 256, 256")]),
    Pair("bytes in sections", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         coalesced=[(HISTOGRAM_LOOP + "\n        atomicAdd(&mine", HISTOGRAM_SECTIONS[0][1] + "\n        atomicAdd(&mine")]),
    Pair("bytes in sections of 60 blocks", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         coalesced=[(HISTOGRAM_LOOP + "\n        atomicAdd(&mine", HISTOGRAM_SECTIONS[0][1] + "\n        atomicAdd(&mine")],
         grid=[(f"count_private<<<{FULL}, 256, 256", "count_private<<<60, 256, 256")]),
    Pair("sum by an atomic per element", "reduction/sum", "correct/strided_index.cu", [HALVES_TREE],
         atomics=[(HALVES_TREE[1], "    if (i < n) atomicAdd(out, s[t]);"), ("    if (t == 0) atomicAdd(out, s[0]);\n", "")]),
    Pair("sum by a tree with bank conflicts", "reduction/sum", "correct/strided_index.cu", [HALVES_TREE],
         conflicts=[back(HALVES_TREE)]),
    Pair("sum by neighbouring pairs", "reduction/sum", "slow/neighbouring_pairs.cu", [NEIGHBOURS], divergence=[back(NEIGHBOURS)]),
    Pair("cubes by neighbouring pairs", "reduction/cubes", "slow/neighbouring_pairs.cu", [NEIGHBOURS], divergence=[back(NEIGHBOURS)]),
    Pair("cubes by an atomic per element", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         atomics=ATOMIC_PER_ELEMENT),
    Pair("cubes in two blocks", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         grid=launch("16 * sms(), 128", "2, 128")),
    Pair("cubes by an atomic per element, in 4 blocks", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         atomics=ATOMIC_PER_ELEMENT,
         grid=launch("16 * sms(), 128", "4, 128")),
    Pair("sum in one block, in sections", "reduction/sum", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         coalesced=BLOCK_SECTIONS, grid=launch("16 * sms(), 128", "1, 128")),
    Pair("sum in sections", "reduction/sum", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         coalesced=BLOCK_SECTIONS),
    Pair("max with an allocation per call", "reduction/max", "correct/shuffles.cu", SHUFFLES, allocation=SHUFFLES_ALLOCATE),
    Pair("max with an allocation, in sections", "reduction/max", "correct/shuffles.cu", SHUFFLES,
         allocation=SHUFFLES_ALLOCATE, coalesced=SHUFFLE_SECTIONS),
    Pair("max in a few blocks", "reduction/max", "correct/max_by_ordered_bits.cu", launch("48, 256", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "4, 256")),
    Pair("max with a copy, in four blocks", "reduction/max", "correct/max_by_ordered_bits.cu", launch("48, 256", f"{FULL}, 256"),
         transfer=COPY_PER_CALL, grid=launch(f"{FULL}, 256", "4, 256")),
    Pair("max with a copy, in sections", "reduction/max", "correct/max_by_ordered_bits.cu", launch("48, 256", f"{FULL}, 256"),
         transfer=COPY_PER_CALL, coalesced=BLOCK_SECTIONS),
    Pair("max with an allocation, in four blocks", "reduction/max", "correct/shuffles.cu", SHUFFLES,
         allocation=SHUFFLES_ALLOCATE, grid=[(FULL, "4")]),
    Pair("bytes with global atomics, in one block", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         atomics=BYTES_GLOBAL, grid=[(f"<<<{FULL}, 256", "<<<1, 256")]),
    Pair("map in four launches of 20 blocks", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         launches=MAP_LAUNCHES, grid=launch(f"{FULL}, 256", "20, 256")),
    Pair("map in four launches of one thread", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         launches=MAP_LAUNCHES, grid=launch(f"{FULL}, 256", "1, 1")),
    Pair("conv2d with a tile by columns", "convolution/conv2d_float", "correct/tiled_input_2d.cu",
         conflicts=[("tile[ty][tx]", "tile[tx][ty]"), ("tile[ty + j][tx + i]", "tile[tx + i][ty + j]")]),
    Pair("conv1d by every second thread", "convolution/conv1d", "slow/direct_1d.cu",
         divergence=[("    if (i >= n) return;\n    float sum = 0;\n", "    if (i % 2 == 0) for (int o = i; o < i + 2 && o < n; ++o) {\n    float sum = 0;\n"),
                     ("value(in, i - mask_width / 2 + j", "value(in, o - mask_width / 2 + j"), ("    out[i] = sum;\n", "    out[o] = sum;\n    }\n")]),
    Pair("conv1d in one block", "convolution/conv1d", "causes/unverified/convolution/whole_image_by_one_block.cu", launch("1024, 128", f"{FULL}, 256"),
         grid=launch(f"{FULL}, 256", "1, 256")),
    Pair("conv2d in one block", "convolution/conv2d_float", "causes/unverified/convolution/whole_image_by_one_block.cu", launch("1, threads", f"{FULL}, threads"),
         grid=launch(f"{FULL}, threads", "1, threads")),
    Pair("conv1d in sections", "convolution/conv1d", "slow/sections_1d.cu",
         [("    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;\n    for (int i = first; i < first + 16 && i < n; ++i) {",
           "    const int first = blockIdx.x * blockDim.x * 16 + threadIdx.x;\n    for (int i = first; i < first + 16 * (int)blockDim.x && i < n; i += blockDim.x) {")],
         coalesced=[("    const int first = blockIdx.x * blockDim.x * 16 + threadIdx.x;\n    for (int i = first; i < first + 16 * (int)blockDim.x && i < n; i += blockDim.x) {",
                     "    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;\n    for (int i = first; i < first + 16 && i < n; ++i) {")]),
    # The counterfactuals were not improved on these.
    Pair("scan of eight neighbours by each thread", "scan/inclusive_int", "correct/thread_serial.cu",
         [("constexpr unsigned threads", "__device__ unsigned at(unsigned k) { return k + k / 32; }\nconstexpr unsigned threads"),
          ("T s[tile],", "T s[tile + tile / 32],"), ("s[k]", "s[at(k)]")],
         conflicts=[("s[at(k)]", "s[k]")]),
    Pair("conv2d of bytes with a tile by columns", "convolution/conv2d_bytes", "correct/tiled_input_2d.cu",
         conflicts=[("tile[ty][tx]", "tile[tx][ty]"), ("tile[ty + j][tx + i]", "tile[tx + i][ty + j]")]),
    Pair("cubes in sections", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         coalesced=BLOCK_SECTIONS),
    Pair("scatter with global atomics", "patterns/scatter", "correct/scatter_private_totals.cu", launch("8, 512", "4 * sms(), 512"),
         atomics=[("atomicAdd(own + t,", "atomicAdd(total + first + t,")]),
    Pair("scatter in one block", "patterns/scatter", "correct/scatter_private_totals.cu", launch("8, 512", "4 * sms(), 512"),
         grid=launch("4 * sms(), 512", "1, 512")),
    Pair("bins in two blocks", "histogram/bins", "correct/privatised_dynamic.cu", [("<<<30, 256, bytes", f"<<<{FULL}, 256, bytes")],
         grid=[(f"<<<{FULL}, 256, bytes", "<<<2, 256, bytes")]),
    Pair("gather in ten blocks of a warp", "patterns/gather", "slow/gather_one_block.cu",
         [("i = threadIdx.x; i < n; i += blockDim.x", "i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x"), *launch("1, 1024", f"{FULL}, 256")],
         grid=launch(f"{FULL}, 256", "10, 32")),
    Pair("sum in two blocks", "reduction/sum", "correct/shuffles.cu", SHUFFLES, grid=[(FULL, "2")]),
    # Two defects each, whose order a GPU is asked for.
    Pair("bins with global atomics, in two blocks", "histogram/bins", "correct/privatised_dynamic.cu",
         [("<<<30, 256,", f"<<<{FULL}, 256,")], atomics=BINS_GLOBAL, grid=[(f"<<<{FULL}, 256", "<<<2, 256")]),
    Pair("bins in sections of two blocks", "histogram/bins", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         coalesced=HISTOGRAM_SECTIONS, grid=[(f"<<<{FULL}, 256", "<<<2, 256")]),
    Pair("bytes with global atomics, in sections", "histogram/bytes", "correct/privatised_dynamic.cu", [("<<<30, 256,", f"<<<{FULL}, 256,")],
         atomics=BYTES_GLOBAL, coalesced=HISTOGRAM_SECTIONS),
    Pair("scatter with global atomics, in one block", "patterns/scatter", "correct/scatter_private_totals.cu", launch("8, 512", "4 * sms(), 512"),
         atomics=[("atomicAdd(own + t,", "atomicAdd(total + first + t,")], grid=launch("4 * sms(), 512", "1, 512")),
    Pair("sum by an atomic per element, in sections", "reduction/sum", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         atomics=ATOMIC_PER_ELEMENT, coalesced=BLOCK_SECTIONS),
    Pair("cubes by an atomic per element, in sections", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         atomics=ATOMIC_PER_ELEMENT, coalesced=BLOCK_SECTIONS),
    Pair("cubes in sections of four blocks", "reduction/cubes", "correct/one_atomic_per_block.cu", launch("64, 128", "16 * sms(), 128"),
         coalesced=BLOCK_SECTIONS, grid=launch("16 * sms(), 128", "4, 128")),
    Pair("map in four launches of blocks of 32", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         launches=MAP_LAUNCHES, grid=launch(f"{FULL}, 256", "static_cast<unsigned>((n + 31) / 32), 32")),
    Pair("map in sections of a warp each", "patterns/map", "correct/map_grid_stride.cu", launch("30, 256", f"{FULL}, 256"),
         coalesced=MAP_SECTIONS, grid=launch(f"{FULL}, 256", "sms(), 32")),
]


class Graded:
    def __init__(self, options, pair, without=None, backend="emulator"):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "submission.cu"
            file.write_text(pair.text(without))
            done = subprocess.run([options.cugrade, "check", str(file), "-a", pair.assignment, "--task", pair.task, "--backend", backend,
                                   "--format", "json", "--jobs", "1"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 4) or not done.stdout:
            raise ValueError(f"{pair.name}: cugrade ends with {done.returncode}: {done.stderr.strip()}")
        task = json.loads(done.stdout)["tasks"][0]
        if task["verdict"] != "accepted":
            first = next((c.get("message", "") for c in task["cases"] if c["verdict"] != "accepted"), "")
            raise ValueError(f"{pair.name}, without {without}: {task['verdict']} {first} {json.loads(done.stdout).get('compile_output', '')[:300]}")
        self.speedup = task["performance"]["baseline_us"] / task["performance"]["submission_us"]
        self.kinds, self.predicted = [], {}
        for cause in task.get("causes", []):
            evidence = cause.get("evidence", "").split("; and ")[0]  # without what comes next
            kind = next((kind for kind, words in KINDS.items() if words in evidence), "other")
            self.kinds.append(kind)
            if match := EVIDENCE.search(evidence):
                self.predicted.setdefault(kind, float(match[1]))


def look_at(options, pair):
    slow = Graded(options, pair)
    fixed = {kind: Graded(options, pair, kind).speedup for kind in pair.defects}
    best = max(fixed, key=fixed.get)
    rows = [(pair.name, kind, slow.speedup, slow.predicted.get(kind), after) for kind, after in fixed.items()]
    no_gain = fixed[best] < slow.speedup / 0.9
    return rows, no_gain or (bool(slow.kinds) and slow.kinds[0] == best), " ".join(slow.kinds)


def measured_gain(options, pair, slow, kind):
    return Graded(options, pair, kind, "gpu").speedup / slow


def print_measured(options, pairs):
    """The tables of measured gains and orders. Returns the exit code."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        modelled = [(pair, pool.submit(Graded, options, pair)) for pair in pairs]
    print(f"{'submission':<45} {'defect':<11} {'promised':>9} {'measured':>9} {'ratio':>6}")
    rows = near = failed = orders = in_order = 0
    for pair, job in modelled:  # one after the other on the GPU
        try:
            told = job.result()
            kinds = list(pair.defects)
            if len(kinds) == 1 and kinds[0] not in told.predicted:
                continue
            slow = Graded(options, pair, None, "gpu").speedup
            gains = {kind: measured_gain(options, pair, slow, kind) for kind in kinds}
        except ValueError as problem:
            failed += 1
            print("WRONG:", problem, flush=True)
            continue
        if len(kinds) == 1:
            promised, gain = told.predicted[kinds[0]] / told.speedup, gains[kinds[0]]
            rows += 1
            near += 0.8 <= promised / gain <= 1.25
            print(f"{pair.name:<45} {kinds[0]:<11} {promised:>9.3g} {gain:>9.3g} {promised / gain:>6.2f}", flush=True)
        else:
            best = max(gains, key=gains.get)
            orders += 1
            is_first = told.kinds[:1] == [best] or max(gains.values()) < 1.1 * min(gains.values())
            in_order += is_first
            text = ", ".join(f"{kind} {gain:.3g}" for kind, gain in gains.items())
            print(f"{pair.name:<45} gains {text}; told {' '.join(told.kinds)}{'' if is_first else '  (order: no)'}", flush=True)
    print(f"{rows} fixes: {near} gain what was promised within a quarter; {orders} of two defects: {in_order} name the larger gain first; {failed} not graded")
    return 1 if failed or near < 0.8 * rows or in_order < 0.9 * orders else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cugrade", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--measured", action="store_true")
    options = parser.parse_args()
    pairs = [pair for pair in PAIRS if options.only in pair.name]
    if options.measured:
        sys.exit(print_measured(options, pairs))
    print(f"{'submission':<45} {'defect':<11} {'as it is':>9} {'predicted':>9} {'fixed':>9} {'ratio':>6}  causes")
    rows = near = first = failed = promises = kept = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for pair, job in [(pair, pool.submit(look_at, options, pair)) for pair in pairs]:
            try:
                table, is_first, kinds = job.result()
            except ValueError as problem:
                failed += 1
                print("WRONG:", problem, flush=True)
                continue
            first += is_first
            for name, kind, slow, predicted, fixed in table:
                # What is not named promises nothing. That is right where the fix gains less than a cause has to.
                ratio = 1.0 if predicted is None and fixed < slow / 0.9 else (predicted or slow) / fixed
                rows += 1
                near += 0.8 <= ratio <= 1.25
                promises += predicted is not None
                kept += predicted is not None and 0.8 <= ratio <= 1.25
                promised = f"{predicted:.3g}" if predicted else "-"
                print(f"{name:<45} {kind:<11} {slow:>9.3g} {promised:>9} {fixed:>9.3g} {ratio:>6.2f}  {kinds}{'' if is_first else '  (first: no)'}",
                      flush=True)
    print(f"{rows} defects: {near} predicted within a quarter ({kept} of {promises} that were promised); {first} of {len(pairs) - failed} submissions with the best fix first; {failed} not graded")
    sys.exit(1 if failed or near < 0.8 * rows or first < 0.9 * (len(pairs) - failed) else 0)


main()
