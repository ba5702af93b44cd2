#!/usr/bin/env bash
# `cugrade run`: programs that nobody wrote for the emulator, each of which checks its own result;
# what the runtime can do; what is said when something goes wrong.
. "$(dirname "$0")/common.bash"
programs=$SOURCE/tests/programs
features=$programs/features
run() { expect "$1" "$CUGRADE" run "${@:2}"; }
silent() { [ ! -s stderr ] || fail "on standard error: $(cat stderr)"; }

# Those that nvcc takes ten seconds for run, too, with ALL=1.
slow=
[ -z "${ALL:-}" ] || slow="radix_sort device_scan device_histogram thrust_sort thrust_reduce"
for program in $slow matrix_product stencil nbody mandelbrot monte_carlo_pi; do
    run 0 "$programs/$program.cu"
    silent
done
for feature in keep_best managed copies device_code; do
    run 0 "$features/$feature.cu"
    silent
done
says stdout 'thread 1 says hello, 1.50, x and 1234567890123'
for feature in host_memory streams queries cooperative; do run 0 "$features/$feature.cu"; done
# What CUDA promises of streams is so under every schedule; what it does not is seen by several.
for seed in 0 1 2 3 4; do
    run 0 "$features/stream_order.cu" --seed "$seed"
    says stdout kept
done
run 0 "$features/stream_order.cu" -- unordered
printf '%s\n' kept 'kernel 2' 'kernel 1' 'x 1, y 2' | cmp - stdout || fail "not as late as can be"
run 0 "$features/stream_order.cu" --seed 1 -- unordered
printf '%s\n' kept 'kernel 1' 'kernel 2' 'x 5, y 1' | cmp - stdout || fail "not at once"
for seed in 1 2 3; do run 0 "$features/cooperative.cu" --seed "$seed" --budget 30000000; done
run 0 "$SOURCE/examples/tree_or_serial.cu"  # ends with 1 where a sum is wrong
says stdout '| published, a tree'
run 0 "$SOURCE/bench/published_report.cu" -- --most 10  # as above
says stdout '| managed, CPU -O0'
run 0 "$features/linked_main.cu" "$features/linked_other.cu"
silent
says stdout 'other: 3'

# Kernels that launch kernels: in the same order whatever the code generator and the schedule.
cat >expected <<'EOF'
child: s 1.25 -7 c 9 3
order: 1 2 3 200 201 202 300
copied: 11111111 11111111
a launch: cudaSuccess, no error
2000 threads: cudaErrorInvalidConfiguration, invalid configuration argument
no blocks: cudaErrorInvalidConfiguration, invalid configuration argument
65 deep: cudaErrorInvalidConfiguration, invalid configuration argument
bounds of 64: cudaErrorLaunchOutOfResources, too many resources requested for launch
1 MiB of shared memory: cudaErrorInvalidValue, invalid argument
no stream: cudaErrorInvalidResourceHandle, invalid resource handle
a blocking stream: 1
memory: 0 0 1
the host's memory: 1
deepest: 24, then cudaErrorLaunchMaxDepthExceeded
chain: 3000
of 3000 at once: 952 refused, limit 2048
with a limit of 4000: 0 refused
EOF
for how in '' '--seed 1' '--ptx 120' ${ALL:+'--seed 2' '--ptx 90' --nvcc-flag=-G}; do
    run 0 "$features/nested.cu" --rdc $how
    cmp expected stdout || { diff expected stdout; fail "nested.cu $how"; }
done
run 0 "$features/nested.cu" --rdc
says stderr 'launch of nothing() with blocks of 2000x1x1 = 2000 threads; at most 1024 threads'
says stderr '(in the kernel errors(void*), line 86 of nested.cu)'
for seed in 0 1; do
    run 0 "$programs/quicksort.cu" --rdc --seed "$seed"
    silent
done
# A child waits for nobody but the thread that launches it: some schedule shows what it must not count on.
cat >early.cu <<'EOF'
#include <cstdio>
__global__ void total(const int* partial, int n, int* out) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += partial[i];
    *out = sum;
}
__global__ void partials(int* partial, int* out) {
    partial[blockIdx.x] = blockIdx.x + 1;
    if (blockIdx.x == 0) total<<<1, 1>>>(partial, gridDim.x, out);
}
int main() {
    int *partial, sum;
    cudaMalloc(&partial, 65 * sizeof(int));
    cudaMemset(partial, 0, 65 * sizeof(int));
    partials<<<64, 1>>>(partial, partial + 64);
    cudaMemcpy(&sum, partial + 64, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("%d\n", sum);
    cudaFree(partial);
}
EOF
run 99 early.cu --rdc --explore 4
says stderr 'nondeterministic: with --seed'

# Other code generators, unoptimised code, other interleavings, linked device code.
[ -z "${ALL:-}" ] || run 0 "$features/device_code.cu" --ptx 90
run 0 "$features/device_code.cu" --ptx 120
run 0 "$features/device_code.cu" --nvcc-flag=-G
run 0 "$features/device_code.cu" --rdc
for seed in 1 2; do run 0 "$programs/stencil.cu" --seed "$seed"; done

# The kernels that the grader itself runs on a GPU.
run 0 "$SOURCE/tests/hardware/grader_kernels.cu" --nvcc-flag=-std=c++20 \
    --nvcc-flag=--expt-relaxed-constexpr --nvcc-flag="-I$SOURCE/harness" --nvcc-flag="-I$SOURCE"

# A program's arguments, input, output and exit code are its own.
echo 'abc 1' >line
run 7 "$features/echo.cu" -- 7 --seed 'two words' <line
printf '%s\n' '[7]' '[--seed]' '[two words]' 'ABC 1' >expected
cmp expected stdout || fail "standard output is not the program's"
[ "$(cat stderr)" = "to standard error" ] || fail "standard error is not the program's"
run 9 "$features/echo.cu" </dev/null
run 134 "$features/echo.cu" -- 0 abort <line
says stderr 'ended by signal 6'
run 0 "$programs/matrix_product.cu" -- 33
says stdout '33 x 50 x 90: 0 wrong'

# What stopped a kernel is said as a compiler would say it.
cp "$features"/{assertion,trap,out_of_bounds,endless}.cu "$features/check.h" .
run 3 assertion.cu
says stderr 'assertion.cu:8:'
says stderr 'failed the assertion `value >= 0`'
run 4 trap.cu
says stderr 'trap.cu:5:'
run 5 out_of_bounds.cu
cat >expected <<'EOF'
out_of_bounds.cu:4:5: error: thread (100,0,0) of block (0,0,0) writes 4 bytes at ADDRESS, 0 bytes past the end of `allocation 1` (400 bytes)
    4 |     if (i <= n) data[i] = 0;
      |     ^
out_of_bounds.cu:4: note: in the kernel clear(int*, int)
EOF
sed 's/0x[0-9a-f]*/ADDRESS/' stderr | diff expected - || fail "another report"
run 6 endless.cu --budget 100000
says stderr 'endless.cu:5:'
"$CUGRADE" run endless.cu >endless.out 2>endless.err &
pid=$!
for _ in $(seq 600); do
    grep -q waiting endless.out && break
    sleep 0.1
done
kill "$pid"
got=0
wait "$pid" || got=$?
[ "$got" = 143 ] || fail "a terminated program: exit code $got"
# Who stops a program that waits for itself hears what its kernels did.
cat >waits.cu <<'EOF'
#include <cstdio>
#include <unistd.h>
__global__ void past(int* data) { data[threadIdx.x] = 1; }
int main() {
    int* data;
    cudaMalloc(&data, 4 * 31);
    past<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    std::puts("waiting");
    std::fflush(stdout);
    for (;;) sleep(1);
}
EOF
for option in --check --no-budget; do
    "$CUGRADE" run waits.cu $option >waits.out 2>waits.err &
    pid=$!
    for _ in $(seq 600); do
        grep -q waiting waits.out && break
        sleep 0.1
    done
    kill "$pid"
    got=0
    wait "$pid" || got=$?
    [ "$got" = 143 ] || fail "a program that waits: exit code $got"
    says waits.err 'waits.cu:3:'
    says waits.err 'writes 4 bytes at'
done

# A host that uses a device address.
cat >host.cu <<'EOF'
int main() {
    int* p;
    cudaMalloc(&p, 4);
    return *p;
}
EOF
run 139 host.cu
says stderr 'host code dereferenced the device address'

# The checkers: each finding as a compiler would say it, both lines of a race, what the host forgot.
for feature in managed copies device_code host_memory; do
    run 0 "$features/$feature.cu" --check
    says stderr 'gave 0 errors'
done
# Without optimisation structures are copied with their padding, and classes without members by a byte
# that nobody has written: no use of garbage. What is one names the line that reads it.
cat >padding.cu <<'EOF'
#include <cooperative_groups.h>
struct Nothing {
    __device__ Nothing() {}
};
struct Item {
    short kind;
    double weight;
    char mark;
};
struct Mark {  // one byte of it has a value
    union {
        unsigned char letter;
        struct {
            unsigned length;
            void* text;
        } name;
    };
    __device__ Mark() { letter = 'm'; }
};
__device__ __noinline__ Mark mark() { return Mark(); }
__device__ __noinline__ Nothing nothing() { return Nothing(); }
__device__ __noinline__ Item made(int i) {
    Item item;
    item.kind = i;
    item.weight = 0.5 * i;
    Mark letter = mark();
    item.mark = letter.letter;
    return item;
}
__global__ void fill(Item* items) {
    Nothing none = nothing();
    Item item = made(threadIdx.x), copy = item;
    items[threadIdx.x] = copy;
    cooperative_groups::this_thread_block().sync();
    items[32 + threadIdx.x] = items[31 - threadIdx.x];
    (void)none;
}
__global__ void weigh(const Item* items, double* out) {
    Item item = items[threadIdx.x];
    out[threadIdx.x] = item.weight + item.kind + item.mark;
}
int main() {
    Item* items;
    double *out, host[64];
    cudaMalloc(&items, 64 * sizeof(Item));
    cudaMalloc(&out, sizeof host);
    fill<<<1, 32>>>(items);
    weigh<<<1, 64>>>(items, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(items);
    cudaFree(out);
    return host[1] == 1.5 + 'm' && host[62] == 1.5 + 'm' ? 0 : 1;
}
EOF
run 0 padding.cu --check --nvcc-flag=-G
says stderr 'gave 0 errors and 0 warnings'
run 0 padding.cu --check
says stderr 'gave 0 errors and 0 warnings'
cat >part.cu <<'EOF'
__global__ void copy(const unsigned* from, unsigned* to) {
    const unsigned all = from[0];
    to[0] = all;
}
int main() {
    unsigned *from, *to;
    cudaMalloc(&from, sizeof *from);
    cudaMalloc(&to, sizeof *to);
    cudaMemset(from, 0, 2);
    copy<<<1, 1>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}
EOF
run 99 part.cu --check
says stderr 'part.cu:2:'
says stderr '2 of which nobody has written'
says stderr 'in line 3 of part.cu, what comes of it is stored to global memory'
cat >race.cu <<'EOF'
__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
    int host[64] = {}, *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 2 * sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(in, out);
    int more[128];
    cudaMemcpy(more, out, sizeof more, cudaMemcpyDeviceToHost);
    cudaFree(in);
    reverse<<<0, 64>>>(in, out);
}
EOF
run 0 race.cu
run 99 race.cu --check
cat >expected <<'EOF'
race.cu:3:5: error: 
    3 |     tile[threadIdx.x] = in[threadIdx.x];
      |     ^
race.cu:4:5: note: the other access is here
    4 |     out[threadIdx.x] = tile[63 - threadIdx.x];
      |     ^
EOF
head -6 stderr | sed 's/error: thread .*/error: /' | diff - expected || fail "another report of a race"
says stderr 'race.cu:3: note: in the kernel reverse(int const*, int*)'
says stderr 'warning: 256 of 512 bytes that are copied to the host were written by no kernel'
says stderr 'warning: cudaErrorInvalidConfiguration: kernel launch'
says stderr 'warning: `allocation 2` (512 bytes) was never freed'
says stderr 'gave 1 error and 3 warnings'

# Advice is for the line, a warning is no error, and lanes that are left out are told with both lines.
cat >advice.cu <<'EOF'
__global__ void count(const int* where, int* total) {
    total[where[threadIdx.x]] += 1;
}
__global__ void same(int* out) {
    *out = 7;
}
__global__ void without_me(int* out) {
    if (threadIdx.x < 16) __syncwarp(0xFFFF0000);
    out[threadIdx.x] = 1;
}
__global__ void tree(int* out) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v += __shfl_down_sync(0xFFFF, v, 8);
    out[threadIdx.x] = v;
}
int main(int, char** arguments) {
    int *where, *out;
    cudaMalloc(&where, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(where, 0, 32 * sizeof(int));
    cudaMemset(out, 0, 32 * sizeof(int));
    switch (*arguments[1]) {
        case 'c': count<<<1, 32>>>(where, out); break;
        case 's': same<<<2, 32>>>(out); break;
        case 'w': without_me<<<1, 32>>>(out); break;
        case 't': tree<<<1, 32>>>(out); break;
    }
    cudaDeviceSynchronize();
    cudaFree(where);
    cudaFree(out);
}
EOF
run 99 advice.cu --check -- count
says stderr 'advice.cu:2:'
says stderr 'atomicAdd()'
! grep -q '__sync' stderr || fail "a barrier against a lost sum"
run 0 advice.cu --check -- same
says stderr 'advice.cu:5:5: warning'
says stderr 'gave 0 errors and 1 warning'
run 99 advice.cu --check -- without
says stderr 'advice.cu:8:'
says stderr 'mask'
run 99 advice.cu --check -- tree
says stderr 'advice.cu:13:'

# A kernel that waits for ever: the line that reads the flag, without a budget.
run 6 endless.cu --check
says stderr 'endless.cu:5:5: error: thread (0,0,0) of block (0,0,0) waits for ever for a change of'
says stderr 'gave 1 error and 0 warnings'
run 0 "$features/cooperative.cu" --check
says stderr 'gave 0 errors'

run 5 out_of_bounds.cu --check
says stderr 'out_of_bounds.cu:4:5: error: thread (100,0,0)'
says stderr 'gave 1 error and 0 warnings'

# Several schedules: the same input for each, and the seeds with which the output differs.
cat >order.cu <<'EOF'
#include <cstdio>
__device__ int next;
__global__ void append(int* list) { list[atomicAdd(&next, 1)] = blockIdx.x; }
int main() {
    int *list, host[8];
    cudaMalloc(&list, sizeof host);
    append<<<8, 1>>>(list);
    cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost);
    for (int block : host) std::printf("%d\n", block);
}
EOF
run 99 order.cu --explore 8
says stderr 'nondeterministic: with --seed'
grep -qE '^  seed 0, line [1-8]: [0-7]$' stderr || fail "the line that differs"
run 7 "$features/echo.cu" --explore 3 -- 7 <line
says stdout 'ABC 1'
says stderr 'the same output under 3 schedules'
run 1 order.cu --explore 1

# A failed call that nobody looked at.
echo 'int main() { cudaMemcpy(0, "abc", 3, cudaMemcpyHostToDevice); }' >unchecked.cu
run 0 unchecked.cu
says stderr 'warning: the first CUDA call that failed: cudaErrorInvalidValue: cudaMemcpy'

echo 'namespace course { __device__ int table[2]; }
int main() { int v[4]; cudaMemcpyFromSymbol(v, course::table, 16); }' >named.cu
run 0 --check named.cu
says stderr 'cudaErrorInvalidValue: cudaMemcpyFromSymbol: 16 bytes at offset 0 of `course::table`'

# Compilation: nvcc's own words; the cache knows what a program includes.
echo 'int main() { return value; }' >broken.cu
run 1 broken.cu
says stderr 'broken.cu(1): error: identifier "value" is undefined'
mkdir -p include
echo '#include "part.h"
int main() { return value; }' >parts.cu
echo 'const int value = 11;' >include/part.h
run 11 parts.cu --nvcc-flag=-Iinclude
echo 'const int value = 12;' >include/part.h
run 12 parts.cu --nvcc-flag=-Iinclude
run 12 parts.cu --nvcc-flag=-Iinclude
printf '#include <cuda_runtime.h>\nextern "C" int cudaNoSuchFunction();\nint main() { return cudaNoSuchFunction(); }\n' >gap.cu
run 1 gap.cu
says stderr 'CUDA has no function cudaNoSuchFunction'
cp "$features/linked_other.cu" twice.cu
cp "$features"/linked.h .
run 1 "$features/linked_main.cu" "$features/linked_other.cu" twice.cu
says stderr 'nvcc-flag=-rdc=false'

# The command line.
run 1 nothing.cu
says stderr 'no such file'
run 1 parts.cu --ptx 80
run 1
