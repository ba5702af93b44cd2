// What the sandbox costs: the same submission graded with it and without, in turns, in one run.
//
// A line at the end of the source differs each time, so each is compiled, as a student's next try is;
// only the baseline's counts are kept. Wall-clock and processor time of the whole tree of processes
// are compared by their least values, which other work on the machine disturbs least; the medians are
// printed beside them. The bar is on the wall clock: most of the processor time is spent while nvcc
// leaves a processor idle.
#include "bench/sandbox.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/files.hpp"
#include "process/process.hpp"

namespace {

using namespace cugrade;

constexpr double bar_ms = 30;

struct Cost {
    double wall_ms = 0;
    double cpu_ms = 0;
};

double cpu_of_children_ms() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto ms = [](const timeval& t) {
        return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

Cost grade(const char* cugrade, const char* source, const char* assignment, const char* sandbox) {
    const auto start = std::chrono::steady_clock::now();
    const double before = cpu_of_children_ms();
    process::Failure why;
    auto child = process::start({.path = cugrade,
                                 .arguments = {cugrade, "check", source, "-a", assignment,
                                               "--backend", "emulator", "--sandbox", sandbox},
                                 .environment = process::own_environment(),
                                 .output = process::null_device},
                                why);
    const bool graded = child && child->wait().succeeded();
    if (!graded) {
        fmt::print(stderr, "cugrade-bench: {} could not be graded with --sandbox {}: {}\n", source,
                   sandbox, child ? "see above" : why.text());
        std::exit(2);
    }
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
    return {wall.count(), cpu_of_children_ms() - before};
}

std::vector<double> sorted(const std::vector<Cost>& costs, double Cost::*part) {
    std::vector<double> values;
    for (const Cost& cost : costs) values.push_back(cost.*part);
    std::ranges::sort(values);
    return values;
}

}  // namespace

int bench_sandbox(int argc, char** argv, const char* cugrade) {
    if (argc < 4) {
        fmt::print(stderr, "usage: cugrade-bench sandbox FILE ASSIGNMENT [TIMES]\n");
        return 1;
    }
    const int times = argc > 4 ? std::max(std::atoi(argv[4]), 1) : 20;
    std::vector<Cost> with, without;
    const auto text = read_file(argv[2]);
    const auto folder = TemporaryFolder::make("bench");
    if (!text || !folder) {
        fmt::print(stderr, "cugrade-bench: {}\n", (text ? folder.error() : text.error()).text());
        return 2;
    }
    const auto try_once = [&](const char* sandbox) {
        const auto source = folder->path() / "submission.cu";
        const auto now = std::chrono::system_clock::now().time_since_epoch().count();
        if (auto s = write_atomically(source, fmt::format("{}\n// {}\n", *text, now)); !s) {
            fmt::print(stderr, "cugrade-bench: {}\n", s.error().text());
            std::exit(2);
        }
        return grade(cugrade, source.c_str(), argv[3], sandbox);
    };
    for (const char* sandbox : {"on", "off"}) (void)try_once(sandbox);
    for (int i = 0; i < times; ++i) {
        with.push_back(try_once("on"));
        without.push_back(try_once("off"));
    }
    fmt::print("{:<24} {:>10} {:>10} {:>10}\n", "one grading", "with", "without", "cost");
    const auto row = [&](const char* name, double one, double other) {
        fmt::print("{:<24} {:>7.1f} ms {:>7.1f} ms {:>7.1f} ms", name, one, other, one - other);
        return one - other;
    };
    const auto wall = std::pair(sorted(with, &Cost::wall_ms), sorted(without, &Cost::wall_ms));
    const auto cpu = std::pair(sorted(with, &Cost::cpu_ms), sorted(without, &Cost::cpu_ms));
    const std::size_t middle = wall.first.size() / 2;
    const bool well = row("wall clock, least", wall.first.front(), wall.second.front()) <= bar_ms;
    fmt::print("   bar {:g} ms {}\n", bar_ms, well ? "ok" : "MISSED");
    for (const auto& [name, one, other] :
         {std::tuple{"wall clock, median", wall.first[middle], wall.second[middle]},
          std::tuple{"processor time, least", cpu.first.front(), cpu.second.front()},
          std::tuple{"processor time, median", cpu.first[middle], cpu.second[middle]}}) {
        (void)row(name, one, other);
        fmt::print("\n");
    }
    return well ? 0 : 1;
}
