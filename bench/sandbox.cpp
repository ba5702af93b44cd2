// What the sandbox costs: the same submission graded with it and without, in turns, in one run.
//
// A line at the end of the source differs each time, so each is compiled, as a student's next try
// is; only the baseline's counts are kept. The two of a pair run one after the other, in turns
// which is first, so that what slows the machine for a while slows both. The cost is the
// Hodges-Lehmann estimate of the pairs' differences, which no outlier moves and which errs a fifth
// less than their median; its 95 % interval is that of the signed-rank test. The bar is on the wall
// clock: most of the processor time is spent while nvcc leaves a processor idle.
#include "bench/sandbox.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
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

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

struct Estimate {
    double value = 0, low = 0, high = 0;  ///< with the 95 % interval
};

/// The centre of differences that are spread symmetrically about it: the median of the means of all
/// pairs of them, each with itself too (Hodges and Lehmann 1963).
Estimate centre_of(const std::vector<double>& differences) {
    std::vector<double> means;
    for (std::size_t i = 0; i < differences.size(); ++i)
        for (std::size_t j = i; j < differences.size(); ++j)
            means.push_back((differences[i] + differences[j]) / 2);
    std::ranges::sort(means);
    // The normal approximation of the signed-rank statistic, whose mean is half the number of means.
    const auto n = static_cast<double>(differences.size());
    const double half = 1.96 * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
    const double middle = static_cast<double>(means.size() - 1) / 2;
    const auto at = [&](double rank) {
        return means[static_cast<std::size_t>(
            std::clamp(rank, 0.0, static_cast<double>(means.size() - 1)))];
    };
    return {at(middle), at(std::floor(middle - half)), at(std::ceil(middle + half))};
}

/// Of all pairs: what the sandbox costs by one of the two measures.
Estimate row(const char* name, const std::vector<Cost>& with, const std::vector<Cost>& without,
             double Cost::*part) {
    std::vector<double> one, other, difference;
    for (std::size_t i = 0; i < with.size(); ++i) {
        one.push_back(with[i].*part);
        other.push_back(without[i].*part);
        difference.push_back(one.back() - other.back());
    }
    const Estimate cost = centre_of(difference);
    fmt::print("{:<24} {:>7.1f} ms {:>7.1f} ms {:>7.1f} ms  [{:.1f}, {:.1f}]", name,
               median_of(one), median_of(other), cost.value, cost.low, cost.high);
    return cost;
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
        if (i % 2 == 0) with.push_back(try_once("on"));
        without.push_back(try_once("off"));
        if (i % 2 != 0) with.push_back(try_once("on"));
    }
    fmt::print("{:<24} {:>10} {:>10} {:>10}  of {} pairs\n", "one grading, median", "with",
               "without", "cost", times);
    const bool well = row("wall clock", with, without, &Cost::wall_ms).value <= bar_ms;
    fmt::print("   bar {:g} ms {}\n", bar_ms, well ? "ok" : "MISSED");
    (void)row("processor time", with, without, &Cost::cpu_ms);
    fmt::print("\n");
    return well ? 0 : 1;
}
