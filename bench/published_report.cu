// Why did a course report find that one atomic per element beats a tree below 2^30 elements?
//
// The report sums 2^1 to 2^30 doubles by one CPU thread (gettimeofday), by one atomicAdd per
// element
// ("naive") and by a tree in shared memory with one atomicAdd per block ("reduction"), both timed
// by nvprof, which counts nothing but the kernel. It names no GPU and does not say how memory came
// about. What it publishes cannot be the kernels' work: the tree takes 546 us for two elements and
// 4.3 ns for each of many, which is 1.9 GB/s, the CPU 177 us for two, and from 2^29 to 2^30 the
// time of the naive kernel grows seven times. The hypotheses, each measured here on the same
// kernels:
//
//   device        the data lies in memory of the device: kernels alone, by events
//   copied        allocation, copies from pageable memory and the kernel, by the wall clock
//   first use     a process that has not used CUDA before: context and module as well
//   managed       cudaMallocManaged: whoever touches the data first after the other side has
//   written
//                 it pays for moving it, page by page. The CPU fills; the tree comes first, then
//                 the naive kernel, which finds the data there; then the CPU adds up, and moves it
//                 back
//   the other way round: the naive kernel comes first, so that it pays
//   crowded       managed, with as much device memory left as a card of `--card` GiB has: what does
//                 not fit has to be moved for every kernel. Only sizes that fit, unless asked for
//                 by `--oversubscribe`: moving pages to and fro can occupy a GPU for good
//   CPU           on memory of its own, as g++ -O0 and -O2 compile the loop
//
// Every sum is compared with the one that follows from how the data was made; a wrong one ends the
// program with 1.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what, int line) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "published_report.cu:%d: %s: %s\n", line, what, cudaGetErrorString(error));
    std::exit(2);
}
#define CHECK(call) check((call), #call, __LINE__)

constexpr int block = 256;  // the report does not say
constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double taken_gib = 0.5;  // of a card's memory, by a context and a screen

__global__ void naive_kernel(const double* in, double* out, long long n) {
    const long long i = static_cast<long long>(blockIdx.x) * block + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void tree_kernel(const double* in, double* out, long long n) {
    __shared__ double partial[2 * block];
    const int thread = static_cast<int>(threadIdx.x);
    const long long start = 2 * static_cast<long long>(blockIdx.x) * block;
    partial[thread] = start + thread < n ? in[start + thread] : 0;
    partial[block + thread] = start + block + thread < n ? in[start + block + thread] : 0;
    for (int stride = block; stride >= 1; stride /= 2) {
        __syncthreads();
        if (thread < stride) partial[thread] += partial[thread + stride];
    }
    if (thread == 0) atomicAdd(out, partial[0]);
}

enum class Kernel { naive, tree };

void launch(Kernel kernel, const double* in, double* out, long long n) {
    const int per_block = kernel == Kernel::naive ? block : 2 * block;
    const auto grid = static_cast<unsigned>((n + per_block - 1) / per_block);
    if (kernel == Kernel::naive)
        naive_kernel<<<grid, block>>>(in, out, n);
    else
        tree_kernel<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
}

__attribute__((noinline, optimize("O0"))) double cpu_sum_O0(const double* in, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) sum += in[i];
    return sum;
}
__attribute__((noinline, optimize("O2"))) double cpu_sum_O2(const double* in, long long n) {
    double sum = 0;
    for (long long i = 0; i < n; ++i) sum += in[i];
    return sum;
}

/// Whole numbers: every order of additions gives the same sum, exactly.
void fill(double* data, long long n) {
    for (long long i = 0; i < n; ++i) data[i] = static_cast<double>(i % 1024);
}
double sum_of(long long n) {
    const double whole = static_cast<double>(n / 1024), rest = static_cast<double>(n % 1024);
    return whole * (1023.0 * 1024 / 2) + rest * (rest - 1) / 2;
}
void expect(double sum, long long n, const char* who) {
    if (sum == sum_of(n)) return;
    std::fprintf(stderr, "%s: the sum of %lld elements is %.0f and not %.0f\n", who, n, sum,
                 sum_of(n));
    std::exit(1);
}

using Clock = std::chrono::steady_clock;
double wall_us(const std::function<void()>& work) {
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}
double event_us(const std::function<void()>& work) {
    cudaEvent_t from = nullptr, to = nullptr;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaEventRecord(from));
    work();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
    return 1e3 * ms;
}

/// Rows of the table: per setting, the times of its repeats.
using Times = std::map<std::string, std::vector<double>>;
void add(Times& times, const std::string& row, double us) { times[row].push_back(us); }
double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}
const char* name(Kernel kernel) { return kernel == Kernel::naive ? "naive" : "tree"; }
const std::vector<Kernel> both{Kernel::tree, Kernel::naive};

void on_the_device(const double* host, long long n, int repeats, Times& times) {
    double *in = nullptr, *out = nullptr;
    CHECK(cudaMalloc(&in, n * sizeof(double)));
    CHECK(cudaMalloc(&out, sizeof(double)));
    CHECK(cudaMemcpy(in, host, n * sizeof(double), cudaMemcpyHostToDevice));
    for (const Kernel kernel : both)
        for (int i = -1; i < repeats; ++i) {  // one to warm up
            CHECK(cudaMemset(out, 0, sizeof(double)));
            const double us = event_us([&] { launch(kernel, in, out, n); });
            double sum = 0;
            CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
            expect(sum, n, name(kernel));
            if (i >= 0) add(times, std::string("device, ") + name(kernel), us);
        }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

void copied(const double* host, long long n, const std::vector<Kernel>& kernels, int repeats,
            Times& times) {
    for (const Kernel kernel : kernels)
        for (int i = 0; i < repeats; ++i)
            add(times, std::string("copied, ") + name(kernel), wall_us([&] {
                    double *in = nullptr, *out = nullptr;
                    CHECK(cudaMalloc(&in, n * sizeof(double)));
                    CHECK(cudaMalloc(&out, sizeof(double)));
                    CHECK(cudaMemcpy(in, host, n * sizeof(double), cudaMemcpyHostToDevice));
                    CHECK(cudaMemset(out, 0, sizeof(double)));
                    launch(kernel, in, out, n);
                    double sum = 0;
                    CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
                    expect(sum, n, name(kernel));
                    CHECK(cudaFree(in));
                    CHECK(cudaFree(out));
                }));
}

/// The report's order, by what its figures look like, or the other one.
void managed(const std::string& row, Kernel first, long long n, int repeats, Times& times) {
    const Kernel second = first == Kernel::tree ? Kernel::naive : Kernel::tree;
    for (int i = 0; i < repeats; ++i) {
        double *in = nullptr, *out = nullptr;
        CHECK(cudaMallocManaged(&in, n * sizeof(double)));
        CHECK(cudaMallocManaged(&out, 2 * sizeof(double)));
        fill(in, n);
        // Nothing is read in between, or the second kernel would pay for moving that: the report's
        // takes 3.8 us for two elements, so nothing was moved for it.
        out[0] = out[1] = 0;
        for (const Kernel kernel : {first, second})
            add(times, row + ", " + name(kernel),
                event_us([&] { launch(kernel, in, out + (kernel == first ? 0 : 1), n); }));
        expect(out[0], n, name(first));
        expect(out[1], n, name(second));
        double sum = 0;
        add(times, row + ", CPU -O0", wall_us([&] { sum = cpu_sum_O0(in, n); }));
        expect(sum, n, "CPU");
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
}

/// All of the device's memory but `left` bytes, in pieces, because one piece need not fit.
class Ballast {
public:
    explicit Ballast(double left) {
        std::size_t free = 0, all = 0;
        for (std::size_t piece = std::size_t{8} << 30; piece >= std::size_t{64} << 20;) {
            CHECK(cudaMemGetInfo(&free, &all));
            if (static_cast<double>(free) < left + static_cast<double>(piece)) {
                piece /= 2;
                continue;
            }
            void* at = nullptr;
            if (cudaMalloc(&at, piece) != cudaSuccess) {
                (void)cudaGetLastError();
                piece /= 2;
                continue;
            }
            pieces_.push_back(at);
        }
        CHECK(cudaMemGetInfo(&free, &all));
        std::printf("crowded: %.1f of %.1f GiB of the device's memory are left\n\n",
                    static_cast<double>(free) / gib, static_cast<double>(all) / gib);
    }
    ~Ballast() {
        for (void* piece : pieces_) cudaFree(piece);
    }
    Ballast(const Ballast&) = delete;
    Ballast& operator=(const Ballast&) = delete;

private:
    std::vector<void*> pieces_;
};

/// In a process of its own: from before the first CUDA call to the sum, by the tree. Prints it.
int first_use(long long n) {
    std::vector<double> host(static_cast<std::size_t>(n));
    fill(host.data(), n);
    Times times;
    copied(host.data(), n, {Kernel::tree}, 1, times);
    std::printf("%.3f\n", times.begin()->second.front());
    return 0;
}
double first_use_in_new_process(int power) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "'" + program + "' --first-use " + std::to_string(power);
    FILE* out = ::popen(command.c_str(), "r");
    double us = 0;
    const bool read = out != nullptr && std::fscanf(out, "%lf", &us) == 1;
    if (out == nullptr || ::pclose(out) != 0 || !read) {
        std::fprintf(stderr, "%s failed\n", command.c_str());
        std::exit(2);
    }
    return us;
}

struct Published {
    int power;
    double cpu, naive, tree;
};
constexpr Published published[] = {
    {1, 177, 3.808, 546.5},         {10, 201, 5.344, 574.7},         {16, 670, 136.8, 1204},
    {20, 8061, 2096, 4855},         {24, 114992, 33440, 68730},      {28, 1622500, 428300, 775600},
    {29, 3320700, 856700, 1597300}, {30, 6096300, 6011000, 3703900},
};

}  // namespace

int main(int argc, char** argv) {
    int most = 30;
    double card = 8;
    bool oversubscribe = false;
    for (int i = 1; i < argc; ++i) {
        if (i + 1 < argc && std::strcmp(argv[i], "--most") == 0)
            most = std::atoi(argv[++i]);
        else if (i + 1 < argc && std::strcmp(argv[i], "--card") == 0)
            card = std::atof(argv[++i]);
        else if (i + 1 < argc && std::strcmp(argv[i], "--first-use") == 0)
            return first_use(1LL << std::atoi(argv[++i]));
        else if (std::strcmp(argv[i], "--oversubscribe") == 0)
            oversubscribe = true;
        else {
            std::fprintf(
                stderr,
                "usage: published_report [--most POWER] [--card GIB] [--oversubscribe]\n"
                "  sizes up to 2^POWER (30); a card with GIB of memory (8) in `crowded`, where\n"
                "  only what fits is measured without --oversubscribe, which may hang the GPU\n");
            return 1;
        }
    }
    // Before this process has a context: it would take memory from the others'.
    std::map<int, Times> table;
    for (const Published& p : published)
        if (p.power <= most && p.power <= 24)
            add(table[p.power], "first use, tree", first_use_in_new_process(p.power));

    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("%s, blocks of %d threads, microseconds, medians\n", device.name, block);
    int migrates = 0;
    CHECK(cudaDeviceGetAttribute(&migrates, cudaDevAttrConcurrentManagedAccess, 0));
    if (migrates == 0)
        std::printf("managed memory is not moved page by page here: `managed` says nothing\n");

    const auto repeats_of = [](int power) { return power <= 20 ? 9 : power <= 24 ? 5 : 1; };
    for (const Published& p : published) {
        if (p.power > most) continue;
        const long long n = 1LL << p.power;
        const int repeats = repeats_of(p.power);
        Times& times = table[p.power];
        std::fprintf(stderr, "2^%d\n", p.power);
        {
            std::vector<double> host(static_cast<std::size_t>(n));
            fill(host.data(), n);
            for (int i = 0; i < repeats; ++i) {
                double sum = 0;
                add(times, "CPU -O0", wall_us([&] { sum = cpu_sum_O0(host.data(), n); }));
                expect(sum, n, "CPU -O0");
                add(times, "CPU -O2", wall_us([&] { sum = cpu_sum_O2(host.data(), n); }));
                expect(sum, n, "CPU -O2");
            }
            on_the_device(host.data(), n, repeats, times);
            copied(host.data(), n, both, repeats, times);
        }
        managed("managed", Kernel::tree, n, repeats, times);
        managed("naive first", Kernel::naive, n, repeats, times);
    }
    if (most >= 28) {
        const double left = (card - taken_gib) * gib;
        const Ballast ballast(left);
        const auto fits = [&](int power) { return std::ldexp(sizeof(double), power) < left; };
        for (const Published& p : published)
            if (p.power >= 28 && p.power <= most && (oversubscribe || fits(p.power)))
                managed("crowded", Kernel::tree, 1LL << p.power, 1, table[p.power]);
    }

    const auto line = [&](const std::string& row,
                          const std::function<double(const Published&)>& us) {
        std::printf("| %-22s |", row.c_str());
        for (const Published& p : published) {
            if (p.power > most) continue;
            const double value = us(p);
            if (value < 0)
                std::printf(" %9s |", "");
            else
                std::printf(" %9.*f |", value < 100 ? 1 : 0, value);
        }
        std::printf("\n");
    };
    const auto measured = [&](const std::string& row) {
        line(row, [&](const Published& p) {
            const auto found = table[p.power].find(row);
            return found == table[p.power].end() ? -1 : median(found->second);
        });
    };
    std::printf("\n| %-22s |", "");
    for (const Published& p : published)
        if (p.power <= most) std::printf("      2^%-2d |", p.power);
    std::printf("\n|---|");
    for (const Published& p : published)
        if (p.power <= most) std::printf("---|");
    std::printf("\n");
    line("published, CPU", [](const Published& p) { return p.cpu; });
    line("published, naive", [](const Published& p) { return p.naive; });
    line("published, tree", [](const Published& p) { return p.tree; });
    for (const char* row :
         {"CPU -O0", "CPU -O2", "device, naive", "device, tree", "copied, naive", "copied, tree",
          "first use, tree", "managed, tree", "managed, naive", "managed, CPU -O0",
          "naive first, naive", "naive first, tree", "naive first, CPU -O0", "crowded, tree",
          "crowded, naive", "crowded, CPU -O0"})
        if (most >= 28 || std::strncmp(row, "crowded", 7) != 0) measured(row);
    return 0;
}
