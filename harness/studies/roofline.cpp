#include "studies/roofline.hpp"

#include <algorithm>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/backend.hpp"
#include "gpu/gpu_memory.hpp"
#include "gpu/memory_roof.hpp"
#include "timing/event_timing.hpp"
#include "timing/modelling.hpp"
#include "timing/sampling.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

using emulator::Counts;
using emulator::InstructionClass;
using emulator::KernelCounts;
using emulator::number;

/// Of every GPU since Volta: four schedulers of a multiprocessor each issue an instruction for a
/// warp in a clock (CUDA C++ Programming Guide, "Hardware Implementation").
constexpr double issued_per_clock = 4 * 32;

/// Lanes of single precision of a multiprocessor (the same guide, "Arithmetic Instructions").
double fp32_lanes(int arch) { return arch < 86 ? 64 : 128; }

/// The counts of a call.
struct Work {
    double operations = 0, doubles = 0, bytes = 0;
};

/// Classes are counted by warps; the active lanes are those of all instructions of the same line.
Work work_of(const Counts& counts) {
    Work out;
    if (counts.warp_instructions == 0) return out;
    const double lanes = number(counts.thread_instructions) / number(counts.warp_instructions);
    const auto of = [&](InstructionClass kind) {
        return lanes * number(counts.by_class[static_cast<std::size_t>(kind)]);
    };
    out.doubles = of(InstructionClass::fp64);
    out.operations = out.doubles + of(InstructionClass::integer) + of(InstructionClass::fp16) +
                     of(InstructionClass::fp32) + of(InstructionClass::special) +
                     of(InstructionClass::conversion);
    return out;
}

Work work_of(const model::Sample& sample) {
    Work out;
    for (const KernelCounts& kernel : sample.counts.kernels) {
        const auto add = [&](const Counts& counts) {
            const Work work = work_of(counts);
            out.operations += work.operations;
            out.doubles += work.doubles;
        };
        if (kernel.lines.empty()) add(kernel.total);
        for (const auto& [line, counts] : kernel.lines) add(counts);
        out.bytes += number(kernel.distinct_global_bytes);
    }
    return out;
}

/// Extrapolates to the elements of the timed case and to all multiprocessors, as the time model
/// does.
Work work_at(const model::Samples& samples, double elements, double processors) {
    const Work small = work_of(samples[0]), larger = work_of(samples[1]),
               wide = work_of(samples[2]);
    const double more = (processors - samples[1].multiprocessors) /
                        (samples[2].multiprocessors - samples[1].multiprocessors);
    const auto at = [&](double Work::*part) {
        return std::max(0.0, model::extrapolated(small.*part, larger.*part, samples[0].elements,
                                                 samples[1].elements, elements) +
                                 (wide.*part - larger.*part) * more);
    };
    return {at(&Work::operations), at(&Work::doubles), at(&Work::bytes)};
}

Roofs roofs_of(const model::Device& device) {
    MemoryRoof memory = modelled_memory_roof(device);
    const double clocks_per_us = 1e3 * device.clock_ghz * device.multiprocessors;
    return {.bytes_per_us = memory.bytes_per_us,
            .operations_per_us = issued_per_clock * clocks_per_us,
            .doubles_per_us = device.fp64_lanes * clocks_per_us,
            .bandwidth_source = std::move(memory.source),
            .operations_source =
                fmt::format("devices/{}.yaml: {:g} multiprocessors, {:g} GHz, {:g} operations a "
                            "clock each, {:g} on doubles",
                            device.id, device.multiprocessors, device.clock_ghz, issued_per_clock,
                            device.fp64_lanes)};
}

Result<Roofs> roofs_of(const GpuInfo& gpu) {
    auto memory = measure_memory_roof(gpu);
    if (!memory) return memory.error();
    int khz = 0, ratio = 0;
    if (auto status = CUGRADE_CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, gpu.index));
        !status)
        return status.error();
    if (auto status = CUGRADE_CUDA(
            cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, gpu.index));
        !status)
        return status.error();
    const double fp64 = fp32_lanes(gpu.arch) / std::max(ratio, 1);
    const double clocks_per_us = 1e-3 * khz * gpu.multiprocessors;
    return Roofs{
        .bytes_per_us = memory->bytes_per_us,
        .operations_per_us = issued_per_clock * clocks_per_us,
        .doubles_per_us = fp64 * clocks_per_us,
        .bandwidth_source = std::move(memory->source),
        .operations_source = fmt::format(
            "CUDA: {} multiprocessors, {:g} GHz at most, {:g} operations a clock each, {:g} on "
            "doubles",
            gpu.multiprocessors, 1e-6 * khz, issued_per_clock, fp64)};
}

void no_point(RooflineTask& task, Verdict verdict, std::string message) {
    task.verdict = verdict;
    task.message = std::move(message);
}

/// By the runner's events.
Status measure(const Backend& backend, const SessionOptions& options,
               const AssignmentSpec& assignment, const TaskSpec& task, const CaseSpec& timed,
               const GradeOptions& grading, RooflineTask& out) {
    auto answered = answered_case(assignment, task, timed, grading);
    if (!answered) return answered.error();
    auto session = backend.open(options);
    if (!session) return session.error();
    auto times = time_by_events(**session, assignment, task, answered->data, answered->expected,
                                options.limits);
    if (!times) return times.error();
    if (!times->accepted()) {
        no_point(out, times->call.verdict, times->call.message + times->call.said);
        return Done{};
    }
    const MedianInterval us = median_interval(times->call.event_us);
    out.median_us = us.median;
    out.low_us = us.low;
    out.high_us = us.high;
    out.samples = static_cast<int>(times->call.event_us.size());
    return Done{};
}

}  // namespace

Result<Roofline> roofline(const Course& course, const AssignmentSpec& assignment,
                          const fs::path& source, const GradeOptions& options) {
    const auto chosen = choose_backend(options);
    if (!chosen) return chosen.error();
    const Backend& backend = **chosen;
    auto hash = submission_sha256(source);
    if (!hash) return hash.error();
    if (!backend.measures_time() && !course.modelled_on)
        return Error{.kind = ErrorKind::configuration,
                     .message = "there is no GPU here, and none whose times could be modelled",
                     .file = course.policy.file,
                     .key = "defaults.modelled_on",
                     .remedy = "name a device profile, as in docs/modelled-time.md"};
    Roofline out;
    out.assignment = assignment.id;
    out.submission_file = source.filename().string();
    out.submission_sha256 = *hash;
    out.provenance = provenance(course, backend);
    if (!backend.measures_time()) out.provenance.device = course.modelled_on->name;

    const Limits& limits = course.policy.assignments.at(assignment.id).limits;
    const auto built_for = [&](const BuildTarget& build_target) -> Result<Build> {
        auto built = build(course.home, course.toolchain,
                           {.source = source,
                            .assignment = &assignment,
                            .target = build_target,
                            .limits = limits,
                            .keeper = options.keeper,
                            .forbidden = course.policy.assignments.at(assignment.id).forbidden});
        if (!built) return built.error();
        if (built->failure)
            return Error{.kind = ErrorKind::usage,
                         .message = built->failure->message,
                         .file = source.string(),
                         .remedy = "`cugrade check` says more"};
        return std::move(*built->build);
    };
    auto emulated = built_for({});
    if (!emulated) return emulated.error();
    const SessionOptions counting = session_options(course, *emulated, limits, options,
                                                    threads_of_each(options.emulator_threads, 1));
    std::optional<SessionOptions> timing;
    if (backend.measures_time()) {
        auto built = built_for(backend.target());
        if (!built) return built.error();
        timing = session_options(course, *built, limits, options);
    } else {
        out.roofs = roofs_of(*course.modelled_on);
    }

    const auto look_at = [&](const TaskSpec& task, const CaseSpec& timed,
                             double processors) -> Status {
        RooflineTask point;
        point.name = task.name;
        point.description = describe(task, timed);
        if (options.progress) options.progress(fmt::format("{}: counting", task.name));
        CaseStore cases(assignment, task, options);
        auto counts = count_for_model(counting, cases);
        if (!counts) return counts.error();
        if (counts->verdict == Verdict::function_missing) return Done{};
        const auto elements = static_cast<double>(largest_argument(task, timed));
        if (counts->verdict != Verdict::accepted) {
            no_point(point, counts->verdict, counts->message);
        } else {
            const Work work = work_at(counts->samples, elements, processors);
            point.operations = work.operations;
            point.doubles = work.doubles;
            point.bytes = work.bytes;
            if (course.modelled_on) {
                const model::Prediction predicted =
                    predict(*course.modelled_on, {}, counts->samples, elements);
                point.limited_by = predicted.limited_by();
                point.median_us = point.low_us = point.high_us = predicted.us;
                point.samples = 1;
            }
            if (timing) {
                if (options.progress) options.progress(fmt::format("{}: timing", task.name));
                if (auto status =
                        measure(backend, *timing, assignment, task, timed, options, point);
                    !status)
                    return status;
            }
            if (point.has_point() && (point.operations <= 0 || point.bytes <= 0))
                no_point(point, Verdict::skipped, "its kernels compute nothing, or read nothing");
        }
        out.tasks.push_back(std::move(point));
        return Done{};
    };
    const auto look_at_all = [&](double processors) -> Status {
        for (const TaskSpec& task : assignment.tasks) {
            if (!options.tasks.empty() &&
                std::ranges::find(options.tasks, task.name) == options.tasks.end())
                continue;
            const CaseSpec* timed = task.timed_case();
            if (timed == nullptr || task.model.empty()) {
                RooflineTask point;
                point.name = task.name;
                no_point(point, Verdict::skipped,
                         "the task has no `model` in assignment.yaml to count it on");
                out.tasks.push_back(std::move(point));
                continue;
            }
            if (auto status = look_at(task, *timed, processors); !status) return status.error();
        }
        return Done{};
    };
    if (backend.measures_time()) {
        auto done = backend.with_device(course.home, [&](const GpuInfo& gpu) -> Status {
            auto roofs = roofs_of(gpu);
            if (!roofs) return roofs.error();
            out.roofs = std::move(*roofs);
            timing->device = gpu;
            return look_at_all(gpu.multiprocessors);
        });
        if (!done) return done.error();
    } else if (auto done = look_at_all(course.modelled_on->multiprocessors); !done) {
        return done.error();
    }
    if (out.tasks.empty())
        return Error{.kind = ErrorKind::usage,
                     .message = "the submission defines none of the functions",
                     .file = source.string(),
                     .remedy = fmt::format("`cugrade list {}` shows the tasks", assignment.id)};
    return out;
}

}  // namespace cugrade
