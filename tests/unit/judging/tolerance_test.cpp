// Proves that no case of any assignment accepts a wrong output: every case that the emulated GPU
// can run is made, its right answer is computed, and outputs that are wrong in typical ways are
// compared with it. A mutation that changes nothing (zeros where zeros are right) is none; but each
// kind must have had an effect in at least one case of the task, or the cases could not tell it.
//
// A single wrong element is off by 2^-10, which is what half precision would do, relative to itself
// or, where it is smaller than most, to the median: after a cancellation no computation in float
// has ten bits of the rest.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "catch.hpp"
#include "config/load.hpp"
#include "datasets/generators.hpp"
#include "datasets/random.hpp"
#include "judging/case.hpp"
#include "judging/compare.hpp"
#include "oracles.hpp"

using namespace cugrade;

namespace {

using Outputs = std::map<std::string, Array, std::less<>>;

// To IEEE 754 binary16 and back: 11 significant bits, from 2^-24 to 65504, to nearest or even.
double rounded_to_half(double value) {
    if (!std::isfinite(value) || value == 0) return value;
    const int exponent = std::max(std::ilogb(value), -14);
    const double unit = std::ldexp(1.0, exponent - 10);
    const double rounded = std::nearbyint(value / unit) * unit;
    return std::abs(rounded) >= 65520
               ? std::copysign(std::numeric_limits<double>::infinity(), value)
               : rounded;
}

double element(const Array& array, std::size_t i) { return array.number(i); }

void set(Array& array, std::size_t i, double value) {
    if (array.dtype == DType::f32)
        array.as<float>()[i] = static_cast<float>(value);
    else
        array.as<double>()[i] = value;
}

double rounded_to_single(double value) { return static_cast<double>(static_cast<float>(value)); }

using Rounding = double (*)(double);

Array rounded(Array array, Rounding rounding) {
    if (is_float(array.dtype))
        for (std::size_t i = 0; i < array.size(); ++i) set(array, i, rounding(element(array, i)));
    return array;
}

Array noise(const Array& like, std::uint64_t seed) {
    Array out(like.dtype, like.shape);
    for (std::size_t i = 0; i < out.bytes.size(); ++i)
        out.bytes[i] = static_cast<std::byte>(datasets::random(seed, i));
    return out;
}

bool same_element(const Array& a, const Array& b, std::size_t i) {
    if (!is_float(a.dtype)) {
        const std::size_t width = size_of(a.dtype);
        return std::memcmp(a.bytes.data() + i * width, b.bytes.data() + i * width, width) == 0;
    }
    const double x = element(a, i), y = element(b, i);
    return x == y || (std::isnan(x) && std::isnan(y));
}

bool same(const Array& a, const Array& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same_element(a, b, i)) return false;
    return true;
}

/// All indices of small outputs; of large ones the ends, places around multiples of block sizes,
/// and 200 at random.
std::vector<std::size_t> sampled(std::size_t n, std::uint64_t seed) {
    std::set<std::size_t> out;
    if (n <= 4096) {
        for (std::size_t i = 0; i < n; ++i) out.insert(i);
    } else {
        for (const std::size_t block : {32, 256, 1024})
            for (const std::size_t k : {std::size_t{1}, std::size_t{2}, n / block / 2, n / block})
                for (const std::size_t i : {k * block - 1, k * block, k * block + 1})
                    if (i < n) out.insert(i);
        out.insert({0, n - 1});
        for (std::uint64_t k = 0; k < 200; ++k)
            out.insert(datasets::scale(datasets::random(seed, k), n));
    }
    return {out.begin(), out.end()};
}

/// The answer and a poison for some elements only: a comparison looks at each by itself.
Expected slice(const Expected& all, std::size_t first, std::size_t count) {
    const std::size_t width = size_of(all.value.dtype);
    Expected out{.argument = all.argument,
                 .value = Array(all.value.dtype, {static_cast<std::int64_t>(count)}),
                 .bound = all.bound.size() > 1
                              ? std::vector<double>(
                                    all.bound.begin() + static_cast<std::ptrdiff_t>(first),
                                    all.bound.begin() + static_cast<std::ptrdiff_t>(first + count))
                              : all.bound};
    std::memcpy(out.value.bytes.data(), all.value.bytes.data() + first * width, count * width);
    return out;
}

const TaskOracle& oracle_of(const AssignmentSpec& assignment, const TaskSpec& task) {
    for (const AssignmentOracle& oracle : reference::oracles())
        if (oracle.assignment == assignment.id)
            for (const TaskOracle& entry : oracle.tasks)
                if (entry.task == task.name) return entry;
    FAIL("no oracle for " << assignment.id << "/" << task.name);
    throw;
}

/// All mutations of the outputs of one task, over its cases.
class Trial {
public:
    Trial(const AssignmentSpec& assignment, const TaskSpec& task, const TaskOracle& oracle)
        : assignment_(assignment), task_(task), oracle_(oracle) {}

    void run(const CaseSpec& spec) {
        place_ = fmt::format("{}/{} case {}", assignment_.id, task_.name, spec.id);
        auto data = make_case(assignment_, task_, spec, {});
        if (!data) FAIL(data.error().text());
        const auto expected = oracle_.expected(*data);
        for (const Expected& answer : expected) {
            const Array poison = noise(answer.value, data->seed);
            if (compare(answer, answer.value, poison).verdict != Verdict::accepted)
                report(answer, "the right answer itself", false);
            whole(*data, answer, poison);
            single(answer, poison, data->seed);
        }
        verified(*data, expected);
    }

    /// What was accepted and should not have been, and kinds that no case of the task can tell.
    [[nodiscard]] std::vector<std::string> failures() const {
        auto out = failures_;
        for (const auto& [kind, effective] : effective_)
            if (!effective)
                out.push_back(
                    fmt::format("{}/{}: no case tells {}", assignment_.id, task_.name, kind));
        if (effective_.empty())
            out.push_back(fmt::format("{}/{} has no case", assignment_.id, task_.name));
        return out;
    }

private:
    void report(const Expected& answer, std::string_view what, bool accepted) {
        failures_.push_back(fmt::format("{}, `{}`: {} is {}", place_, answer.argument, what,
                                        accepted ? "accepted" : "rejected"));
    }

    void try_whole(const Expected& answer, const Array& mutant, const Array& poison,
                   const char* kind) {
        bool& effective = effective_[kind];
        if (same(mutant, answer.value)) return;
        effective = true;
        if (compare(answer, mutant, poison).verdict == Verdict::accepted)
            report(answer, kind, true);
    }

    void whole(const CaseData& data, const Expected& answer, const Array& poison) {
        const Array& right = answer.value;
        try_whole(answer, Array(right.dtype, right.shape), poison, "an output of zeros");
        try_whole(answer, poison, poison, "an output never written");
        for (const ArgumentSpec& argument : task_.arguments) {
            if (argument.role != Role::input && argument.role != Role::inout) continue;
            const Array& input = data[argument.name];
            if (input.bytes.size() < right.bytes.size()) continue;
            Array copy(right.dtype, right.shape);
            std::copy_n(input.bytes.begin(), copy.bytes.size(), copy.bytes.begin());
            try_whole(answer, copy, poison, "the input copied to the output");
        }
        if (!is_float(right.dtype)) return;
        const Array nans = [&] {
            Array out(right.dtype, right.shape);
            for (std::size_t i = 0; i < out.size(); ++i) set(out, i, NAN);
            return out;
        }();
        try_whole(answer, nans, poison, "an output of NaN");
        // Two units of the type that should have been used are allowed to look alike.
        try_rounding(data, answer, poison, rounded_to_half, 0x1p-22, "a result in half precision");
        if (right.dtype == DType::f64)
            try_rounding(data, answer, poison, rounded_to_single, 0x1p-51,
                         "a result in single precision");
    }

    /// The answer rounded at the end, and as the oracle computes it from rounded inputs.
    void try_rounding(const CaseData& data, const Expected& answer, const Array& poison,
                      Rounding rounding, double alike, const char* kind) {
        CaseData coarse = data;
        for (auto& [name, array] : coarse.buffers) array = rounded(std::move(array), rounding);
        const auto attempt = [&](const Array& value) {
            const Array mutant = rounded(value, rounding);
            bool& effective = effective_[kind];
            bool differs = false;
            for (std::size_t i = 0; i < mutant.size() && !differs; ++i) {
                const double want = element(answer.value, i), got = element(mutant, i);
                differs = std::isfinite(want) && !(std::abs(got - want) <= std::abs(want) * alike);
            }
            if (!differs) return;
            effective = true;
            if (compare(answer, mutant, poison).verdict == Verdict::accepted)
                report(answer, kind, true);
        };
        attempt(answer.value);
        for (const Expected& other : oracle_.expected(coarse))
            if (other.argument == answer.argument) attempt(other.value);
    }

    /// One wrong element at a time.
    void single(const Expected& answer, const Array& poison, std::uint64_t seed) {
        const Array& right = answer.value;
        const std::size_t n = right.size();
        if (n == 0) return;
        double median = 0;
        if (is_float(right.dtype)) {
            std::vector<double> sizes;
            for (std::size_t i = 0; i < n; ++i)
                if (std::isfinite(element(right, i))) sizes.push_back(std::abs(element(right, i)));
            if (!sizes.empty()) {
                std::ranges::nth_element(
                    sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
                median = sizes[sizes.size() / 2];
            }
        }
        int full = 0;
        for (const std::size_t i : sampled(n, seed)) {
            const std::size_t first = i < 8 ? 0 : i - 8,
                              count = std::min<std::size_t>(17, n - first);
            const Expected part = slice(answer, first, count);
            const Expected held =
                slice({.argument = {}, .value = poison, .bound = {}}, first, count);
            const std::size_t at = i - first, width = size_of(right.dtype);
            const auto attempt = [&](const Array& mutant, const char* kind) {
                effective_[kind] = true;
                if (compare(part, mutant, held.value).wrong ==
                    std::vector{static_cast<std::int64_t>(at)})
                    return;
                report(answer,
                       fmt::format("{} at index {}, {} for {},", kind, i, mutant.text(at),
                                   right.text(i)),
                       true);
            };
            Array mutant = part.value;
            if (!is_float(right.dtype)) {
                for (const auto flip : {std::size_t{0}, width - 1}) {  // +-1, and the highest bit
                    mutant = part.value;
                    mutant.bytes[at * width + flip] ^= flip == 0 ? std::byte{1} : std::byte{0x80};
                    attempt(mutant, "one wrong element");
                }
            } else if (const double want = element(right, i); std::isfinite(want)) {
                const double least = 0x1p-10 * std::max(std::abs(want), median);
                if (least > 0) {
                    for (const double sign : {1.0, -1.0}) {
                        set(mutant, at, want + sign * least * (1 + 0x1p-10));
                        attempt(mutant, "one wrong element");
                    }
                }
                mutant = part.value;
                set(mutant, at, NAN);
                attempt(mutant, "one NaN");
                const double neighbour = element(right, i + 1 < n ? i + 1 : 0);
                if (std::abs(neighbour - want) > least) {
                    set(mutant, at, neighbour);
                    attempt(mutant, "a neighbour's value");
                }
            }
            // The whole output, with this one element wrong, for some of them.
            if (n > 1 && full < 8 && (i == 0 || i + 1 == n || i % 997 == 0)) {
                ++full;
                Array all = right;
                all.bytes[(i + 1) * width - 1] ^= std::byte{0x40};
                if (!same_element(all, right, i) &&
                    compare(answer, all, poison).wrong != std::vector{static_cast<std::int64_t>(i)})
                    report(answer, fmt::format("a flipped bit at index {}", i), true);
            }
        }
    }

    /// Outputs with many right answers: those that a kernel leaves that does nothing for them. In
    /// some cases that is right (every old value is 0 where nothing collides), but not in all.
    void verified(const CaseData& data, const std::vector<Expected>& expected) {
        if (oracle_.verify == nullptr) return;
        Outputs zeros, unwritten;
        bool is_any = false;
        for (const ArgumentSpec& argument : task_.arguments) {
            if (argument.role != Role::output && argument.role != Role::inout) continue;
            const auto answer = std::ranges::find(expected, argument.name, &Expected::argument);
            const Array& like = answer != expected.end() ? answer->value : data[argument.name];
            const bool fixed = answer != expected.end();
            zeros[argument.name] = fixed ? like : Array(like.dtype, like.shape);
            unwritten[argument.name] = fixed ? like : noise(like, data.seed + 1);
            is_any |= !fixed && like.size() > 1;
        }
        if (!is_any) return;  // one element, or none, has one order
        for (const auto& [kind, outputs] : {std::pair{"a free output of zeros", &zeros},
                                            std::pair{"a free output never written", &unwritten}}) {
            effective_[kind] |= oracle_.verify(data, *outputs).has_value();
        }
    }

    const AssignmentSpec& assignment_;
    const TaskSpec& task_;
    const TaskOracle oracle_;
    std::string place_;
    std::map<std::string, bool> effective_;
    std::vector<std::string> failures_;
};

}  // namespace

TEST_CASE("rounding to half precision is IEEE 754's") {
    CHECK(rounded_to_half(1 + 0x1p-11) == 1);               // a tie, to even
    CHECK(rounded_to_half(1 + 3 * 0x1p-11) == 1 + 0x1p-9);  // a tie, to even
    CHECK(rounded_to_half(0.1) == 0.0999755859375);
    CHECK(rounded_to_half(65519) == 65504);
    CHECK(std::isinf(rounded_to_half(-65520)));
    CHECK(rounded_to_half(0x1p-24) == 0x1p-24);
    CHECK(rounded_to_half(0x1p-26) == 0);
}

TEST_CASE("a tolerance that is too wide is found") {
    const AssignmentSpec assignment{
        .id = "synthetic", .title = {}, .folder = {}, .tasks = {}, .forbidden = {}};
    const auto failures = [&](ExpectedFn oracle, double n) {
        TaskSpec task{
            .name = "double_it", .title = {}, .function = {}, .arguments = {}, .cases = {}};
        task.arguments = {
            {.name = "in", .dtype = DType::f32, .role = Role::input, .shape = {"n"}},
            {.name = "out", .dtype = DType::f32, .role = Role::output, .shape = {"n"}}};
        CaseSpec spec{.id = 1, .visibility = Visibility::open, .params = {{"n", n}}, .data = {}};
        spec.data["in"] = {
            .generator = "uniform", .numbers = {{"low", 1}, {"high", 2}}, .file = {}};
        Trial trial(assignment, task, {.task = "double_it", .expected = oracle});
        trial.run(spec);
        std::string all;
        for (const std::string& failure : trial.failures()) all += failure + "\n";
        return all;
    };
    struct Twice {
        static std::vector<Expected> with(const CaseData& data, std::vector<double> bound) {
            Expected out{.argument = "out", .value = data["in"], .bound = std::move(bound)};
            for (float& v : out.value.as<float>()) v *= 2;
            return {out};
        }
    };
    using Catch::Matchers::ContainsSubstring;
    CHECK(failures([](const CaseData& d) { return Twice::with(d, {}); }, 100) == "");
    CHECK(failures([](const CaseData& d) { return Twice::with(d, {0x1p-20}); }, 10000) == "");
    const auto wide = failures([](const CaseData& d) { return Twice::with(d, {0.01}); }, 100);
    CHECK_THAT(wide, ContainsSubstring("half precision is accepted"));
    CHECK_THAT(wide, ContainsSubstring("one wrong element at index 99"));
    CHECK_THAT(wide, !ContainsSubstring("zeros"));
    const auto wider = failures([](const CaseData& d) { return Twice::with(d, {5.0}); }, 5000);
    CHECK_THAT(wider, ContainsSubstring("zeros is accepted"));
    CHECK_THAT(wider, ContainsSubstring("the input copied to the output is accepted"));
    CHECK_THAT(wider, ContainsSubstring("a neighbour's value at index 1024"));
    CHECK_THAT(wider, !ContainsSubstring("NaN"));
    // A bound for one element only, wrong by its place.
    const auto one = failures(
        [](const CaseData& d) {
            std::vector<double> bound(100, 0x1p-20);
            bound[37] = 1;
            return Twice::with(d, bound);
        },
        100);
    CHECK_THAT(
        one, ContainsSubstring("one wrong element at index 37") && !ContainsSubstring("index 36"));
    // Data on which nothing can be told.
    CHECK_THAT(failures([](const CaseData& d) { return Twice::with(d, {}); }, 0),
               ContainsSubstring("no case tells"));
}

void check_all_assignments(bool gpu_sizes) {
    const auto assignments = config::load_assignments(CUGRADE_SOURCE_DIR "/assignments");
    if (!assignments) FAIL(assignments.error().text());
    REQUIRE_FALSE(assignments->empty());
    for (const AssignmentSpec& assignment : *assignments) {
        for (const TaskSpec& task : assignment.tasks) {
            Trial trial(assignment, task, oracle_of(assignment, task));
            for (const CaseSpec& spec : task.cases)
                if (spec.needs_gpu == gpu_sizes) trial.run(spec);
            const auto failures = trial.failures();
            for (std::size_t i = 0; i < std::min<std::size_t>(failures.size(), 20); ++i)
                UNSCOPED_INFO(failures[i]);
            CHECK(failures.size() == 0);
        }
    }
}

TEST_CASE("every case of every assignment rejects what is wrong", "[slow]") { check_all_assignments(false); }

// Takes minutes and gigabytes; runs where it is named: test_judging "[.large]".
TEST_CASE("every case that needs a GPU rejects what is wrong", "[.large]") {
    check_all_assignments(true);
}
