// cugrade-bench: measures cugrade's own machinery. Not a test: times depend on the machine.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "bench/sandbox.hpp"
#include "bench/wake.hpp"

namespace {

/// The instruction sets that the emulator is built for and this CPU has; the best first.
const char* best_isa() {
    for (const char* isa : {CUGRADE_BENCH_ISAS}) {
        if (std::strcmp(isa, "native") == 0) return isa;
#if defined(__x86_64__)
        if (std::strcmp(isa, "x86-64-v4") == 0) {
            if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl"))
                return isa;
        } else if (std::strcmp(isa, "x86-64-v3") == 0) {
            if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                __builtin_cpu_supports("fma"))
                return isa;
        } else if (std::strcmp(isa, "x86-64") == 0) {
            return isa;
        }
#endif
    }
    return nullptr;
}

int usage() {
    fmt::print(
        "usage: cugrade-bench emulator [ELEMENTS] [--isa ISA]\n"
        "       cugrade-bench load [--isa ISA]\n"
        "       cugrade-bench wake\n"
        "       cugrade-bench sandbox FILE ASSIGNMENT [TIMES]\n"
        "       cugrade-bench references [--scale N] [--repeats N] [--only ASSIGNMENT]\n"
        "       cugrade-bench published [--most POWER] [--card GIB] [--oversubscribe]\n\n"
        "  emulator  thread-instructions per second and milliseconds of kernels on the emulated\n"
        "            GPU, without observers and with all checkers and counters, each result\n"
        "            checked; 16777216 elements unless given\n"
        "  load      milliseconds to parse and decode the PTX of programs that use CUB\n"
        "  wake      how long a process that was stopped takes until it runs, and how much that\n"
        "            varies: as in each timed round on a GPU\n"
        "  sandbox   what the sandbox costs the grading of one submission on the emulated GPU: the\n"
        "            medians of so many gradings with it and without, in turns; 20 unless given\n"
        "  references  on a GPU: the model answers beside CUB and beside a copy of the same "
        "bytes,\n"
        "            each checked, with the bars that they are held to on an H200\n"
        "  published  on a GPU: the kernels of a published course report, which found one atomic\n"
        "            per element faster than a tree, under the hypotheses of why that was so\n\n"
        "  example: cugrade-bench emulator\n");
    return 1;
}

/// A program that is only made by request.
int start(const char* program, const char* target, char** argv) {
    if (::access(program, X_OK) == 0) execv(program, argv + 1);
    fmt::print(stderr,
               "cugrade-bench: cannot start {}: {}\n  on a machine with a GPU it is made by `cmake "
               "--build --preset release --target {}`\n",
               program, std::strerror(errno), target);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return usage();
    if (std::strcmp(argv[1], "references") == 0)
        return start(CUGRADE_BENCH_LIBEXEC "/bench-references", "cugrade_bench_references", argv);
    if (std::strcmp(argv[1], "published") == 0)
        return start(CUGRADE_BENCH_LIBEXEC "/bench-published-report",
                     "cugrade_bench_published_report", argv);
    if (std::strcmp(argv[1], "wake") == 0)
        return bench_wake(argc, argv, CUGRADE_BENCH_LIBEXEC "/supervisor");
    if (std::strcmp(argv[1], "sandbox") == 0)
        return bench_sandbox(argc, argv, CUGRADE_BENCH_PROGRAM);
    const bool load = std::strcmp(argv[1], "load") == 0;
    if (!load && std::strcmp(argv[1], "emulator") != 0) return usage();
    std::string elements = "16777216", isa;
    for (int n = 2; n < argc; ++n) {
        if (std::strcmp(argv[n], "--isa") == 0 && n + 1 < argc)
            isa = argv[++n];
        else if (!load && argv[n][0] >= '0' && argv[n][0] <= '9')
            elements = argv[n];
        else
            return usage();
    }
    if (isa.empty()) {
        const char* best = best_isa();
        if (best == nullptr) {
            fmt::print(stderr, "cugrade-bench: the emulator is not built for this CPU ({})\n",
                       "set CUGRADE_EMULATOR_ISAS=x86-64 and build again");
            return 2;
        }
        isa = best;
    }
    const std::string program = std::string(CUGRADE_BENCH_LIBEXEC "/bench-emulator-") + isa;
    if (load)
        for (const char* ptx : {CUGRADE_BENCH_CUB})
            if (::access(ptx, R_OK) != 0) {
                fmt::print(stderr,
                           "cugrade-bench: no {}\n  it is made by `cmake --build --preset release "
                           "--target cugrade_bench_cub`\n",
                           ptx);
                return 2;
            }
    fmt::print("instruction set {}{}\n", isa, load ? "" : ", " + elements + " elements");
    std::fflush(stdout);
    if (load)
        execl(program.c_str(), program.c_str(), "--load", CUGRADE_BENCH_CUB, nullptr);
    else
        execl(program.c_str(), program.c_str(), CUGRADE_BENCH_KERNELS, elements.c_str(), nullptr);
    fmt::print(stderr, "cugrade-bench: cannot start {}: {}\n", program, std::strerror(errno));
    return 2;
}
