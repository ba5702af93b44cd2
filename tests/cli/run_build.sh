#!/usr/bin/env bash
# How `cugrade run` makes the program: the language that students expect, what the cache knows, objects
# and libraries, what is defined nowhere, what the emulated GPU lacks, and the exit codes of these.
. "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$work/cache
run() { expect "$1" "$CUGRADE" run "${@:2}"; }

# __device__ lambdas and numeric_limits in kernels, without a flag.
cat >lambda.cu <<'EOF'
#include <cstdio>
#include <limits>
template <class F>
__global__ void fill(int* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(i);
}
__global__ void smallest(float* out) { *out = std::numeric_limits<float>::lowest(); }
int main() {
    int *out, host[40];
    float *least, host_least = 0;
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&least, sizeof(float));
    const int step = 3;
    fill<<<2, 32>>>(out, 40, [step] __device__(int i) { return i == 0 ? std::numeric_limits<int>::min() : step * i; });
    smallest<<<1, 1>>>(least);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_least, least, sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%d %d %g\n", host[0], host[39], host_least);
}
EOF
run 0 lambda.cu
says stdout '-2147483648 117 -3.40282e+38'
run 0 lambda.cu --nvcc-flag=--extended-lambda --nvcc-flag=--expt-relaxed-constexpr

# The cache: whatever the compilers have read, and what the environment tells them.
mkdir -p first second
cat >main.cu <<'EOF'
#define HEADER "value.h"
#include HEADER
int main() { return value; }
EOF
echo 'const int value = 1;' >second/value.h
ways=(--nvcc-flag=-Ifirst --nvcc-flag=-Isecond)
run 1 main.cu "${ways[@]}"
programs() { find cache -name runner | sort; }  # one that was not kept is in a folder of its own
before=$(programs)
run 1 main.cu "${ways[@]}"
[ "$before" = "$(programs)" ] || fail "the same program was made again"
echo 'const int value = 2;' >second/value.h
run 2 main.cu "${ways[@]}"
echo 'const int value = 3;' >first/value.h  # comes first now
run 3 main.cu "${ways[@]}"
rm first/value.h
run 2 main.cu "${ways[@]}"
echo 'const int value = 1;' >second/value.h
run 1 main.cu "${ways[@]}"

echo 'int main() { return VALUE; }' >forced.cu
echo '#define VALUE 21' >forced.h
run 21 forced.cu --nvcc-flag=-include --nvcc-flag=forced.h
echo '#define VALUE 22' >forced.h
run 22 forced.cu --nvcc-flag=-include --nvcc-flag=forced.h
expect 23 env NVCC_APPEND_FLAGS=-DVALUE=23 "$CUGRADE" run forced.cu
expect 24 env NVCC_APPEND_FLAGS=-DVALUE=24 "$CUGRADE" run forced.cu
expect 25 env NVCC_PREPEND_FLAGS=-DVALUE=25 "$CUGRADE" run forced.cu
echo '-DVALUE=26' >flags
run 26 forced.cu --nvcc-flag=-optf --nvcc-flag=flags
echo '-DVALUE=27' >flags
run 27 forced.cu --nvcc-flag=-optf --nvcc-flag=flags
echo '#include <only/by_path.h>
int main() { return value; }' >path.cu
mkdir -p a/only b/only
echo 'const int value = 31;' >a/only/by_path.h
echo 'const int value = 32;' >b/only/by_path.h
expect 31 env CPATH="$work/a" "$CUGRADE" run path.cu
expect 32 env CPATH="$work/b" "$CUGRADE" run path.cu
expect 31 env CPLUS_INCLUDE_PATH="$work/a" "$CUGRADE" run path.cu
# For the device only.
cat >device_only.cu <<'EOF'
#ifdef __CUDA_ARCH__
#include "for_device.h"
#endif
__global__ void ask(int* out) {
#ifdef __CUDA_ARCH__
    *out = on_device;
#endif
}
int main() {
    int *out, host = 0;
    cudaMalloc(&out, 4);
    ask<<<1, 1>>>(out);
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    return host;
}
EOF
echo 'constexpr int on_device = 41;' >for_device.h
run 41 device_only.cu
echo 'constexpr int on_device = 42;' >for_device.h
run 42 device_only.cu
# A header that need not be there.
cat >perhaps.cu <<'EOF'
#if __has_include("perhaps.h")
#include "perhaps.h"
#else
const int value = 51;
#endif
int main() { return value; }
EOF
run 51 perhaps.cu
echo 'const int value = 52;' >perhaps.h
run 52 perhaps.cu

# Objects and libraries.
nvcc=${CUGRADE_NVCC:-$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)}
cat >uses.cu <<'EOF'
int twice(int);
int on_gpu(int);
int main() { return on_gpu(twice(15)) + 1; }
EOF
echo 'int twice(int x) { return 2 * x; }' >twice.cpp
cat >part.cu <<'EOF'
__global__ void add_one(int* x) { ++*x; }
int on_gpu(int x) {
    int* p;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &x, 4, cudaMemcpyHostToDevice);
    add_one<<<1, 1>>>(p);
    cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost);
    return x;
}
EOF
make_objects() {
    g++ -c twice.cpp -o twice.o
    ar rc libtwice.a twice.o
    "$nvcc" -gencode arch=compute_75,code=compute_75 "$@" -c part.cu -o part.o
}
make_objects
run 32 uses.cu part.o twice.o
run 32 uses.cu part.o libtwice.a
run 32 uses.cu part.o --nvcc-flag=-L. --nvcc-flag=-ltwice
echo 'int twice(int x) { return 2 * x + 1; }' >twice.cpp
make_objects -rdc=true
run 33 uses.cu part.o twice.o
run 33 uses.cu part.o libtwice.a
run 33 uses.cu part.o --nvcc-flag=-L. --nvcc-flag=-ltwice
run 1 uses.cu twice.o
says stderr 'on_gpu(int)'

# What is only declared, is told by its name and the place that uses it, and never run.
cat >declared.cu <<'EOF'
#include <cstdio>
__device__ float weight(float, int);
__global__ void scale(float* x) {
    x[threadIdx.x] *=
        weight(x[threadIdx.x], 3);
}
int main() {
    std::printf("started\n");
    float* x;
    cudaMalloc(&x, 128);
    scale<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
EOF
run 1 declared.cu
grep -qE '^[^ ]*declared.cu:5:[0-9]+: error: .*`weight\(float, int\)` in `scale\(float\*\)`' stderr || {
    cat stderr
    fail "the function is not named with its place"
}
[ ! -s stdout ] || fail "it ran"
echo 'extern __device__ float weight(float a, int b) { return a * b; }' >weight.cu
run 0 declared.cu weight.cu
run 1 declared.cu weight.cu --nvcc-flag=-rdc=false
says stderr 'weight(float, int)'

# What CUDA has and the emulated GPU has not matters only where it is called.
cat >lacking.cu <<'EOF'
#include <cstdio>
int main(int argc, char**) {
    int* p;
    cudaMalloc(&p, 4);
    if (argc > 1) {
        cudaGraph_t graph;
        cudaGraphCreate(&graph, 0);
        const cudaChannelFormatDesc unused = cudaCreateChannelDesc<float>();
        (void)unused;
    }
    return cudaFree(p);
}
EOF
run 0 lacking.cu
run 2 lacking.cu -- graph
says stderr 'lacking.cu:7: error: the emulated GPU has no cudaGraphCreate; run this on a GPU'
sed -i '/cudaGraphCreate(/d' lacking.cu
run 2 lacking.cu -- graph
says stderr 'lacking.cu:7: error: the emulated GPU has no cudaCreateChannelDesc; run this on a GPU'
run 2 lacking.cu --check -- graph
says stderr 'has no cudaCreateChannelDesc'
printf 'extern "C" int cudaMemcpyy(void*, void*);\nint main() { return cudaMemcpyy(0, 0); }\n' >misspelt.cu
run 1 misspelt.cu
says stderr 'CUDA has no function cudaMemcpyy; did you mean cudaMemcpy?'
cat >register.cu <<'EOF'
__global__ void ask(unsigned* out) { asm volatile("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(*out)); }
int main() {
    unsigned* out;
    cudaMalloc(&out, 4);
    ask<<<1, 1>>>(out);
    cudaDeviceSynchronize();
}
EOF
for how in '' --check; do
    run 2 register.cu $how
    says stderr 'cannot execute `mov.u32 %reserved_smem_offset_1`'
    says stderr 'register.cu:1:'
done

# A kernel has failed, and the program did not look.
cat >unseen.cu <<'EOF'
#include <cstdlib>
__global__ void store(int* p) { p[1] = 1; }
int main(int argc, char** argv) {
    int* p;
    cudaMalloc(&p, 4);
    store<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    return argc > 1 ? std::atoi(argv[1]) : 0;
}
EOF
run 99 unseen.cu
says stderr 'unseen.cu:2:'
run 99 unseen.cu --check
run 5 unseen.cu -- 5
