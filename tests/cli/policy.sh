#!/usr/bin/env bash
# What grading.yaml forbids, asked of what nvcc made of a submission.
. "$(dirname "$0")/common.bash"

sed '/^assignments:/,$d' "$SOURCE/grading.yaml" >policy.yaml
cat >>policy.yaml <<'E'
assignments:
  reduction:
    forbid:
      - {includes: ["cub/*", "thrust/*"], message: "write the tree yourself"}
      - {calls: ["cub::*", "cooperative_groups::reduce", "atomicAdd(double*, double)", cudaMallocManaged, printf]}
    tasks:
      sum: {correctness: 50, forbid: {calls: [cudaMallocAsync], message: "sum keeps its memory"}}
      max: {correctness: 50}
E
# grade VERDICT: submission.cu, whose reduce_sum and reduce_max come from standard input.
grade() {
    { echo '#include "interface.cuh"'; cat; } >submission.cu
    expect 0 "$CUGRADE" check submission.cu -a reduction --backend emulator --no-timing --policy policy.yaml \
        --format json --out report.json
    json report.json verdict is "$1"
}
message() { json report.json tasks/name=sum/cases/0/message starts "$1"; }

# Innocent: another overload, a name like a forbidden one, comments and strings.
grade unwritten_output <<'E'
namespace my_cub { __device__ int reduce(int x) { return x; } }
__global__ void add(const int* in, float* f, const char* cub) {
    atomicAdd(f, 1.0f);  // not atomicAdd(double*, double), and no cub::DeviceReduce
    if (cub && my_cub::reduce(in[0]) < 0) f[1] = sizeof "cub::DeviceReduce printf(1)";
}
void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
E

# An overload behind a macro, in a template, by a pointer.
grade forbidden <<'E'
#define GLUE(a, b) a##b
template <class T> __device__ void put(T* p, T v) {
    GLUE(atomic, Add)(p, v);
}
__global__ void add(double* p) {
    put(p, 1.0);
}
void reduce_sum(const double*, std::size_t, double* out) { add<<<1, 1>>>(out); }
E
message 'submission.cu:4: atomicAdd(double*, double) is ruled out'
grade forbidden <<'E'
__global__ void add(double* p) {
    double (*f)(double*, double) = atomicAdd;
    f(p, 1.0);
}
void reduce_sum(const double*, std::size_t, double* out) { add<<<1, 1>>>(out); }
E
message 'submission.cu:'
says report.json 'atomicAdd(double*, double) is ruled out'

# A function of a library that a using directive brings in beside one's own of the same name.
grade forbidden <<'E'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
using namespace cg;
__device__ int reduce(int x) { return x; }
__global__ void add(double* out) {
    auto tile = tiled_partition<32>(this_thread_block());
    const double x = reduce(tile, 1.0, plus<double>());
    if (threadIdx.x == 0) *out = x + reduce(1);
}
void reduce_sum(const double*, std::size_t, double* out) { add<<<1, 32>>>(out); }
E
message 'submission.cu:9: cooperative_groups::reduce'

# Headers of the toolkit.
grade forbidden <<'E'
// cub, by another spelling of the directive
%: /* */ inclu\
de <cub/block/block_reduce.cuh>
void reduce_sum(const double*, std::size_t, double*) {}
E
message 'submission.cu:4: the header cub/block/block_reduce.cuh is ruled out: write the tree yourself'

# Host code: a call, and a name for it that only the assembler sees.
grade forbidden <<'E'
void reduce_sum(const double*, std::size_t, double* out) {
    cudaMallocManaged(&out, 8);
}
E
message 'submission.cu:3: cudaMallocManaged is ruled out'
grade forbidden <<'E'
extern "C" int say(const char*, ...) __asm__("printf");
void reduce_sum(const double*, std::size_t, double*) {
    say("x");
}
E
message 'submission.cu:2: printf is ruled out'

# What hides where things come from.
grade compile_error <<'E'
#line 1 "/usr/local/cuda/include/cub/cub.cuh"
void reduce_sum(const double*, std::size_t, double*) {}
E
message 'submission.cu:2: #line'

# A task's own rule costs its points only.
grade forbidden <<'E'
void reduce_sum(const double*, std::size_t, double* out) {
    cudaMallocAsync(&out, 8, 0);
}
void reduce_max(const float*, std::size_t, float*) {}
E
message 'submission.cu:3: cudaMallocAsync is ruled out: sum keeps its memory'
json report.json tasks/name=max/verdict is unwritten_output
expect 0 "$CUGRADE" check submission.cu -a reduction --task max --backend emulator --no-timing --policy policy.yaml \
    --format json --out report.json
json report.json verdict is unwritten_output

# Without a policy: files that later passes of the compiler would read. None of their lines gets into the report.
echo 'the course_secret is 4711' >secret.txt
for way in "E #include \"$work/secret.txt\"" "P(%,:)include \"$work/secret.txt\"" \
    "asm(\".macro m a b\\n.\\\\a\\\\b \\\"$work/secret.txt\\\"\\n.endm\\n.pushsection .rodata\\nm inc bin\\n.popsection\");" \
    "asm(\"\\x2einclude \\\"$work/secret.txt\\\"\");"; do
    {
        printf '#include "interface.cuh"\n#define E\n#define P(a, b) a##b\n'
        printf '%s\n' "$way" 'void reduce_sum(const double*, std::size_t, double*) {}'
    } >reads.cu
    expect 0 "$CUGRADE" check reads.cu -a reduction --task sum --backend emulator --no-timing --format json --out reads.json
    report get reads.json verdict | grep -qE 'forbidden|compile_error' || fail "not refused: $way"
    ! grep -q course_secret reads.json || fail "the report shows the file: $way"
done

# What a kernel makes the emulated GPU remember has a limit, too: here what is noted about a page is larger than the page.
sed 's/ memory: 2GiB/ memory: 32MiB/; s/device_memory: 2GiB/device_memory: 128MiB/' "$SOURCE/grading.yaml" >little.yaml
cat >pages.cu <<'E'
#include "interface.cuh"
__device__ char pages[120 << 20];
__global__ void touch() {
    atomicAdd(reinterpret_cast<int*>(pages + 4096 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x)), 1);
}
__global__ void add(const double* in, std::size_t n, double* out) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += in[i];
    *out = sum;
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    touch<<<120, 256>>>();
    add<<<1, 1>>>(in, n, out);
}
E
expect 0 "$CUGRADE" check pages.cu -a reduction --task sum --backend emulator --no-timing --policy little.yaml \
    --format json --out pages.json
json pages.json verdict is memory_limit
grep -q 'the emulated GPU needed more than 160 MiB of memory for what kernels did' pages.json || fail "no reason given"
