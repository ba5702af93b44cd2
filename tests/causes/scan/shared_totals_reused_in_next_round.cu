// cause: missing_barrier line 92 or 45
// task: exclusive_int
// BlockScan's shared totals are written again in the next round of the loop while slow warps still read those of this round.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kSections = 128;  // blocks; each scans one section of the input

using Int = unsigned;  // wraps around as the contract says

/// Scans one value per thread of a block, with room for the warps' totals in shared memory.
class BlockScan {
public:
    struct Room {
        Int total[kWarps];
    };
    struct Result {
        Int before;  // sum of the values of the threads before this one
        Int all;     // sum over the block
    };

    __device__ explicit BlockScan(Room& shared) : room(shared) {}

    __device__ Result operator()(Int mine) {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        Int upto = mine;
#pragma unroll
        for (unsigned d = 1; d < 32; d *= 2) {
            const Int left = __shfl_up_sync(0xffffffffu, upto, d);
            if (lane >= d) upto += left;
        }
        if (lane == 31) room.total[warp] = upto;
        __syncthreads();

        Result r{upto - mine, 0};
#pragma unroll
        for (unsigned w = 0; w < kWarps; ++w) {
            const Int t = room.total[w];
            if (w < warp) r.before += t;
            r.all += t;
        }
        return r;
    }

private:
    Room& room;
};

/// The part of the input that belongs to this block: whole rounds, but for the last section
struct Section {
    std::size_t begin, end;
    __device__ explicit Section(std::size_t n) {
        const std::size_t rounds = (n + kThreads - 1) / kThreads;
        const std::size_t size = (rounds + gridDim.x - 1) / gridDim.x * kThreads;
        begin = blockIdx.x * size < n ? blockIdx.x * size : n;
        end = begin + size < n ? begin + size : n;
    }
};

__global__ void section_sums(const int* in, std::size_t n, Int* sums) {
    __shared__ BlockScan::Room room;
    const Section section(n);
    Int mine = 0;
    for (std::size_t i = section.begin + threadIdx.x; i < section.end; i += kThreads) {
        mine += static_cast<Int>(in[i]);
    }
    const auto r = BlockScan(room)(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = r.all;
}

/// One block: every sum becomes that of the sections before it.
__global__ void scan_sums(Int* sums, unsigned count) {
    __shared__ BlockScan::Room room;
    const Int mine = threadIdx.x < count ? sums[threadIdx.x] : 0;
    const auto r = BlockScan(room)(mine);
    if (threadIdx.x < count) sums[threadIdx.x] = r.before;
}

__global__ void scan_sections(const int* in, std::size_t n, const Int* sums, int* out) {
    __shared__ BlockScan::Room room;
    const Section section(n);
    BlockScan scan(room);
    Int carry = sums[blockIdx.x];
    for (std::size_t base = section.begin; base < section.end; base += kThreads) {
        const std::size_t i = base + threadIdx.x;
        const Int mine = i < section.end ? static_cast<Int>(in[i]) : 0;  // all take part
        const auto r = scan(mine);
        if (i < section.end) out[i] = static_cast<int>(carry + r.before);
        carry += r.all;
    }
}

Int* sums_memory() {
    static Int* memory = nullptr;
    if (memory == nullptr) cudaMalloc(&memory, kSections * sizeof(Int));
    return memory;
}

}  // namespace

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static_assert(kSections <= kThreads, "scan_sums has one block");
    Int* sums = sums_memory();
    section_sums<<<kSections, kThreads>>>(in, n, sums);
    scan_sums<<<1, kThreads>>>(sums, kSections);
    scan_sections<<<kSections, kThreads>>>(in, n, sums, out);
}

void scan_inclusive_int(const int*, std::size_t, int*) {
    // TODO
}

void scan_inclusive_float(const float*, std::size_t, float*) {
    // TODO
}

void scan_exclusive_float(const float*, std::size_t, float*) {
    // TODO
}
