#include "timing/too_slow.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/verdict.hpp"
#include "emulator/model/what_if.hpp"
#include "judging/case.hpp"
#include "judging/edit_rules.hpp"
#include "judging/source_places.hpp"
#include "timing/loaded_indices.hpp"

namespace cugrade {
namespace {

using model::Ideal;
using model::WhatIf;

constexpr std::size_t most_causes = 3;

/// "12", "3.4", "0.019": three digits, and no exponent where a person would write none.
std::string short_number(double n) {
    return n >= 1000 ? fmt::format("{:.0f}", n) : fmt::format("{:.3g}", n);
}

/// The first line in which the host calls one of these functions, from the task's function on or
/// else in all of the source.
SourceLocation call_of(std::initializer_list<std::string_view> functions, const TaskSpec& task,
                       std::span<const SourceFile> source) {
    const SourceLocation from = definition_of(task.function, source);
    SourceLocation before;
    for (const SourceFile& file : source) {
        int line = 1;
        for (std::size_t begin = 0; begin < file.text.size(); ++line) {
            const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
            const auto text = std::string_view(file.text).substr(begin, end - begin);
            begin = end + 1;
            const auto code = text.substr(0, text.find("//"));
            for (const std::string_view function : functions) {
                const std::size_t at = code.find(function);
                if (at == std::string_view::npos) continue;
                const SourceLocation here{file.name, line, static_cast<int>(at) + 1};
                if (file.name == from.file && line >= from.line) return here;
                if (before.line == 0) before = here;
            }
        }
    }
    return before;
}

/// A kernel whose launch is not in plain sight is named by its definition.
SourceLocation place_of_launch(const std::string& kernel, std::span<const SourceFile> source) {
    const SourceLocation launch = launch_of(kernel_name(kernel), source);
    return launch.line > 0 ? launch : definition_of(kernel_name(kernel), source);
}

/// Where to edit: the first of its lines that the student wrote, or the launch.
SourceLocation place_of(const WhatIf& one, const TaskSpec& task,
                        std::span<const SourceFile> source) {
    if (one.ideal == Ideal::no_allocations)
        return call_of({"cudaMalloc", "cudaFree"}, task, source);
    if (one.ideal == Ideal::no_transfers) return call_of({"cudaMemcpy"}, task, source);
    for (const emulator::Line& line : one.lines)
        if (!text_of(line.file, source).empty()) {
            const SourceLocation first{line.file, line.number, 0};
            return one.ideal == Ideal::coalesced ? index_of_access(first, source) : first;
        }
    return place_of_launch(one.kernel, source);
}

struct Told {
    std::string sentence;  ///< without the part of the time
    std::string advice;
    std::string condition;  ///< "if line 9's accesses were coalesced"
};

/// "Line 9", "Lines 9 and 12".
std::string lines_of(const WhatIf& one, std::span<const SourceFile> source) {
    std::vector<int> numbers;
    for (const emulator::Line& line : one.lines)
        if (!text_of(line.file, source).empty()) numbers.push_back(line.number);
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    if (numbers.empty()) return fmt::format("`{}`", kernel_name(one.kernel));
    if (numbers.size() == 1) return fmt::format("line {}", numbers.front());
    const int last = numbers.back();
    numbers.pop_back();
    return fmt::format("lines {} and {}", fmt::join(numbers, ", "), last);
}

std::string capital(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string count_of(double n, std::string_view what) {
    return fmt::format("{} {}{}", short_number(std::round(n)), what, std::round(n) == 1 ? "" : "s");
}

Told told_grid(const model::Device& device, const WhatIf& one) {
    const std::string kernel = kernel_name(one.kernel);
    Told out;
    const std::string blocks =
        fmt::format("{} of {}", count_of(one.is, "block"), count_of(one.threads, "thread"));
    if (one.is < device.multiprocessors)
        out.sentence = fmt::format("`{}` runs as {}, and the device has {} multiprocessors", kernel,
                                   blocks, short_number(device.multiprocessors));
    else if (one.is < one.could_be)
        out.sentence = fmt::format("`{}` runs as {}, and the device holds {} at a time", kernel,
                                   blocks, short_number(one.could_be));
    else if (one.threads < 128)
        out.sentence = fmt::format("`{}` runs as {}, and so small blocks leave room for warps unused",
                                   kernel, blocks);
    else
        out.sentence = fmt::format("`{}` runs as {}, which come and go without much to do", kernel,
                                   blocks);
    out.advice =
        "Launch 8 blocks of 256 threads for each multiprocessor, whose number "
        "cudaDeviceGetAttribute tells, and let each thread take every element that is gridDim.x * "
        "blockDim.x further on.";
    out.condition = fmt::format("if the grid of `{}` filled the device", kernel);
    return out;
}

Told told(const model::Device& device, const WhatIf& one, std::span<const SourceFile> source) {
    const std::string kernel = kernel_name(one.kernel), lines = lines_of(one, source);
    const bool several = lines.starts_with("lines ");
    switch (one.ideal) {
        case Ideal::coalesced:
            return {fmt::format("{} touch{} {} sectors of memory for each request of a warp, where "
                                "{} would do",
                                capital(lines), several ? "" : "es", short_number(one.is),
                                short_number(one.could_be)),
                    "Let neighbouring threads use neighbouring elements: a thread's first index is "
                    "its number, and the step of its loop is the number of all threads.",
                    fmt::format("if {} used neighbouring elements", lines)};
        case Ideal::no_conflicts:
            return {fmt::format("{} need{} {} passes over the banks of shared memory for each "
                                "request of a warp, where {} would do",
                                capital(lines), several ? "" : "s", short_number(one.is),
                                short_number(one.could_be)),
                    "Let the lanes of a warp use neighbouring words, or make each row of the array "
                    "one element longer. Atomics on one word take turns: use several copies.",
                    fmt::format("if {} had no bank conflicts", lines)};
        case Ideal::no_divergence:
            return {fmt::format("Only {} of {} lanes are at work in `{}` on average, because the "
                                "condition in {} parts the lanes of warps",
                                short_number(one.is), short_number(one.could_be), kernel, lines),
                    "Let whole warps take one side of a condition: compare the thread's number with "
                    "a limit, and let the threads below it do the work.",
                    fmt::format("if the warps of `{}` did not diverge", kernel)};
        case Ideal::combined_atomics:
            return {fmt::format("{} does {} on global memory for each block of `{}`, and those on "
                                "the same places take turns",
                                capital(lines), count_of(one.is, "atomic"), kernel),
                    "First add up within the thread and the block, in shared memory, then do one "
                    "atomic for each block and result.",
                    fmt::format("if each block combined the atomics of {}", lines)};
        case Ideal::full_device: return told_grid(device, one);
        case Ideal::one_launch:
            return {fmt::format("`{}` is launched {} times, and each launch reads again from global "
                                "memory what the last one has stored",
                                kernel, short_number(std::round(one.is))),
                    "Do several steps in one launch: let each block keep its part in shared "
                    "memory, with __syncthreads() between the steps.",
                    fmt::format("if one launch did the work of all launches of `{}`", kernel)};
        case Ideal::read_once:
            return {fmt::format("{} loads what `{}` reads {} times from global memory",
                                capital(lines), kernel, short_number(one.is)),
                    "Let each block load what its threads share into shared memory once, and "
                    "compute from there.",
                    fmt::format("if `{}` read each byte once from global memory", kernel)};
        case Ideal::linear_work:
            return {fmt::format("The work of {} grows faster than the data", lines),
                    "Use what other threads have computed already: there are ways whose work is in "
                    "proportion to the data.",
                    fmt::format("if the work of `{}` grew with the data", kernel)};
        case Ideal::divided_work:
            return {fmt::format("In {} each element is read by {} threads of `{}`, which all look "
                                "at the same data",
                                lines, short_number(std::round(one.is)), kernel),
                    "Let each thread read a part of the data of its own, and bring the results "
                    "together: in shared memory within a block, then by atomics.",
                    fmt::format("if the threads of `{}` divided the data among them", kernel)};
        case Ideal::no_allocations:
            return {"Each call allocates memory of the device, and frees it",
                    "Allocate once: keep the pointer in a `static` variable, and allocate again "
                    "only where more is needed.",
                    "if memory were kept from call to call"};
        case Ideal::no_transfers:
            return {"Each call copies between host and device",
                    "Give small values to the kernel as its arguments, let kernels do the last step "
                    "as well, and leave the data on the device.",
                    "if nothing was copied between host and device"};
    }
    return {};
}

/// "which is tier 2 of 3"
std::string tier_of(double speedup, std::span<const Tier> tiers) {
    const auto reached =
        std::ranges::count_if(tiers, [&](const Tier& tier) { return speedup >= tier.speedup; });
    if (reached == 0) return fmt::format("below the first of {} tiers", tiers.size());
    return fmt::format("tier {} of {}", reached, tiers.size());
}

/// The time of a call and what it means for the marks.
struct Speeds {
    double now_us, least_us;
    const TimingOutcome& timing;
    std::span<const Tier> tiers;
    [[nodiscard]] bool are_modelled() const {
        return timing.basis == TimingOutcome::Basis::modelled;
    }
    [[nodiscard]] double us(const WhatIf& one) const { return std::max(one.us, least_us); }
    /// "3.1x faster, 120x instead of 39x the baseline's speed, tier 2 of 3"
    [[nodiscard]] std::string told(const WhatIf& one) const {
        const double speedup = timing.baseline_us / us(one);
        return fmt::format("{}x faster, {}x instead of {}x the baseline's speed, {}",
                           short_number(now_us / us(one)), short_number(speedup),
                           short_number(timing.speedup), tier_of(speedup, tiers));
    }
};

Cause cause_of(const model::Device& device, const TaskSpec& task, const WhatIf& one,
               const Speeds& speeds, std::span<const SourceFile> source) {
    const Told text = told(device, one, source);
    Cause cause{.id = "too_slow", .location = place_of(one, task, source)};
    const double gained = 100 * (1 - speeds.us(one) / speeds.now_us);
    cause.sentence = gained >= 1
                         ? fmt::format("{}: {:.0f} % of the modelled time.", text.sentence, gained)
                         : text.sentence + ".";
    cause.advice = text.advice;
    cause.evidence = speeds.are_modelled()
                         ? fmt::format("{} the model says {}", text.condition, speeds.told(one))
                         : "the time model says so of counts from the emulated GPU, and this GPU "
                           "was not asked";
    if (one.next.empty()) return cause;
    const Told next = told(device, one.next.front(), source);
    cause.advice += fmt::format(" Then: {}.", next.sentence);
    if (speeds.are_modelled())
        cause.evidence += fmt::format("; and {}, {}", next.condition, speeds.told(one.next.front()));
    return cause;
}

/// The line with most machine instructions, and its part of those of the kernel.
std::pair<emulator::Line, double> costliest_line(const emulator::KernelCounts& kernel) {
    std::pair<emulator::Line, double> out;
    double all = 0, most = 0;
    for (const auto& [line, timing] : kernel.line_timing) {
        const double slots = emulator::number(timing.issue_slots);
        all += slots;
        if (slots <= most || line.number <= 0) continue;
        most = slots;
        out.first = line;
    }
    out.second = all > 0 ? most / all : 0;
    return out;
}

/// Nothing of that gains a tenth: the unit of the GPU that most of the time goes into, and no
/// promise.
std::vector<Cause> without_what_if(const ModelCounts& counted, const model::Prediction& now,
                                   std::span<const SourceFile> source) {
    const auto longest = std::ranges::max_element(now.kernels, {}, &model::KernelTime::us);
    if (longest == now.kernels.end()) return {};
    const std::string kernel = kernel_name(longest->kernel);
    const double share = 100 * longest->us / std::max(now.us, 1e-9);
    Cause cause{.id = "too_slow", .location = place_of_launch(longest->kernel, source)};
    cause.sentence = fmt::format("`{}` takes {:.0f} % of the modelled time, limited by {}.", kernel,
                                 share, longest->bound());
    cause.advice =
        "Nothing in how it runs is wasted: look for a way that does less of what limits it.";
    const auto& kernels = counted.samples[1].counts.kernels;
    const auto counts = std::ranges::find(kernels, longest->kernel, &emulator::KernelCounts::kernel);
    if (longest->bound() == "instructions" && counts != kernels.end()) {
        const auto [line, part] = costliest_line(*counts);
        if (!text_of(line.file, source).empty()) {
            cause.location = {line.file, line.number, 0};
            cause.sentence = fmt::format(
                "`{}` takes {:.0f} % of the modelled time, limited by instructions, and line {} "
                "has {:.0f} % of these.",
                kernel, share, line.number, 100 * part);
            cause.advice =
                "Do less for each element: test for the border outside of the loop, avoid division "
                "and 64-bit indices, and keep what is used again in registers.";
        }
    }
    return {std::move(cause)};
}

}  // namespace

std::vector<Cause> too_slow_for_large(const TaskSpec& task, const TaskOutcome& outcome) {
    Cause cause{.id = "too_slow"};
    std::uint64_t right = 0, slow = ~std::uint64_t{0};
    const CaseOutcome* first = nullptr;
    for (const CaseOutcome& one : outcome.cases) {
        const auto spec = std::ranges::find(task.cases, one.id, &CaseSpec::id);
        if (spec == task.cases.end() || !is_judged(one.verdict)) continue;
        const std::uint64_t elements = largest_argument(task, *spec);
        if (one.verdict == Verdict::accepted) right = std::max(right, elements);
        if (one.verdict != Verdict::time_limit) continue;
        // A deadlock that shows with many elements only, as the emulated GPU has seen.
        if (one.message.find("waits for something that never happens") != std::string::npos)
            return {};
        slow = std::min(slow, elements);
        cause.cases.push_back(one.id);
        if (first == nullptr && one.location && one.visibility != Visibility::hidden) first = &one;
    }
    // A loop that does not end often ends for no size.
    if (first == nullptr || right == 0 || right >= slow) return {};
    cause.location = *first->location;
    cause.location.column = 0;
    cause.explains = {std::string(name(Verdict::time_limit))};
    cause.sentence = fmt::format("The work around line {} is too much for large inputs.",
                                 cause.location.line);
    cause.instance = fmt::format("Case {} ({}) ran into the time limit; the cases up to {} elements "
                                 "are right.",
                                 first->id, first->description, right);
    cause.advice =
        "Look for a way whose work is in proportion to the data, and let many threads share it. If "
        "the work is not too much, a loop there may not end.";
    return {std::move(cause)};
}

std::vector<Cause> too_slow(const model::Device& device, const TaskSpec& task,
                            const ModelCounts& counted, const TaskPolicy& policy,
                            const TimingOutcome& timing, std::span<const SourceFile> source) {
    const auto elements = static_cast<double>(largest_argument(task, *task.timed_case()));
    const auto doubt = doubt_of(device, task, counted);
    const model::Cautious cautious{.between = counted.between};
    const model::Cautious* doubted = doubt ? &cautious : nullptr;
    const model::Prediction now = predict(device, {}, counted.samples, elements, doubted);
    const Speeds speeds{now.us, least_us(device, task), timing, policy.tiers};
    std::vector<Cause> out;
    for (const WhatIf& one : what_ifs(device, {}, counted.samples, elements, doubted,
                                      lines_with_loaded_indices(source))) {
        if (out.size() == most_causes) break;
        out.push_back(cause_of(device, task, one, speeds, source));
    }
    return out.empty() ? without_what_if(counted, now, source) : out;
}

}  // namespace cugrade
