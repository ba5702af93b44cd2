#include "grader/modelling.hpp"

#include <algorithm>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>

#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "emulator/counts/json.hpp"
#include "grader/task_runner.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// Few, so that a grid that is as large as the device is so at small sizes, too.
constexpr std::array<std::uint32_t, 3> multiprocessors{2, 2, 4};

const CaseSpec& case_of(const TaskSpec& task, std::size_t sample) {
    return task.model[sample == 0 ? 0 : 1];
}

/// Everything but the counts, which follow from the cases.
model::Sample sample_of(const TaskSpec& task, std::size_t n, emulator::DeviceCounts counts) {
    return {.elements = static_cast<double>(largest_argument(task, case_of(task, n))),
            .multiprocessors = static_cast<double>(multiprocessors[n]),
            .counts = std::move(counts)};
}

/// What decides the counts of a program that the course brings: its build, whose folder in the
/// cache is named by its contents, the data, and the emulated GPU.
fs::path cached_counts(const SessionOptions& session, const CaseData& data,
                       std::uint32_t processors) {
    std::string key = session.executable.parent_path().filename().string() + data.task->name +
                      describe(*data.task, *data.spec) + hash_inputs(data) +
                      std::to_string(processors);
    std::error_code error;
    std::vector<std::string> parts;
    for (fs::directory_iterator it(session.home->libexec, error), end; !error && it != end;
         it.increment(error))
        parts.push_back(fmt::format(
            "{} {} {}", it->path().filename().string(), fs::file_size(it->path(), error),
            fs::last_write_time(it->path(), error).time_since_epoch().count()));
    std::ranges::sort(parts);
    for (const std::string& part : parts) key += part;
    return cache_folder() / "counts" / (datasets::sha256({key}) + ".json");
}

std::optional<emulator::DeviceCounts> read_counts(const fs::path& file) {
    const auto text = read_file(file);
    if (!text) return std::nullopt;
    auto counts = emulator::counts_from_json(*text);
    if (!counts) return std::nullopt;
    return std::move(*counts);
}

/// Whole or not at all; without a cache the next grading counts again.
void keep_counts(const fs::path& file, const emulator::DeviceCounts& counts) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const fs::path staging = file.string() + fmt::format(".{}", ::getpid());
    std::ofstream out(staging);
    out << emulator::to_json(counts);
    out.close();
    if (out)
        fs::rename(staging, file, error);
    else
        fs::remove(staging, error);
}

struct Counted {
    emulator::DeviceCounts counts;
    Verdict verdict = Verdict::accepted;
    std::string message;
};

Result<Counted> count(const SessionOptions& session, const AssignmentSpec& assignment,
                      const CaseData& data, std::uint32_t processors, Cached cached) {
    fs::path file;
    if (cached == Cached::yes) {
        file = cached_counts(session, data, processors);
        if (auto counts = read_counts(file))
            return Counted{std::move(*counts), Verdict::accepted, {}};
    }
    SessionOptions on = session;
    on.multiprocessors = processors;
    auto profiled = profile_case(on, assignment, *data.task, data, Session::Counting::for_timing);
    if (!profiled) return profiled.error();
    if (!*profiled) return Counted{{}, Verdict::compile_error, "the function is not defined"};
    const TaskProfile& p = **profiled;
    if (p.call.verdict != Verdict::accepted)
        return Counted{{}, p.call.verdict, p.call.message + p.call.said};
    if (p.judgement.verdict != Verdict::accepted)
        return Counted{{}, p.judgement.verdict, p.judgement.message};
    Counted out{{p.kernels, p.host}, Verdict::accepted, {}};
    if (cached == Cached::yes) keep_counts(file, out.counts);
    return out;
}

}  // namespace

Result<ModelCounts> count_for_model(const SessionOptions& session, const AssignmentSpec& assignment,
                                    const TaskSpec& task, const GradeOptions& options,
                                    Cached cached) {
    ModelCounts out;
    std::optional<CaseData> data;
    for (std::size_t n = 0; n < out.samples.size(); ++n) {
        const CaseSpec& spec = case_of(task, n);
        if (!data || data->spec != &spec) {  // two samples are of one case
            auto made = make_case(assignment, task, spec, options);
            if (!made) return made.error();
            data = std::move(*made);
        }
        auto counted = count(session, assignment, *data, multiprocessors[n], cached);
        if (!counted) return counted.error();
        if (counted->verdict != Verdict::accepted) {
            out.verdict = counted->verdict;
            out.message = fmt::format("with {}: {}", describe(task, spec), counted->message);
            return out;
        }
        out.samples[n] = sample_of(task, n, std::move(counted->counts));
    }
    return out;
}

Result<ModelCounts> count_one(const SessionOptions& session, const AssignmentSpec& assignment,
                              const CaseData& data, std::uint32_t processors, Cached cached) {
    auto counted = count(session, assignment, data, processors, cached);
    if (!counted) return counted.error();
    ModelCounts out{
        .samples = {}, .verdict = counted->verdict, .message = std::move(counted->message)};
    out.samples.fill({.elements = static_cast<double>(largest_argument(*data.task, *data.spec)),
                      .multiprocessors = static_cast<double>(processors),
                      .counts = std::move(counted->counts)});
    return out;
}

Result<model::Samples> count_baseline(const SessionOptions& session,
                                      const AssignmentSpec& assignment, const TaskSpec& task,
                                      const GradeOptions& options) {
    auto counts = count_for_model(session, assignment, task, options, Cached::yes);
    if (!counts) return counts.error();
    if (counts->verdict != Verdict::accepted)
        return Error{.message = fmt::format("the baseline of {}/{} ends with {}: {}", assignment.id,
                                            task.name, name(counts->verdict), counts->message)};
    return std::move(counts->samples);
}

TimingOutcome modelled_speedup(const model::Device& device, const TaskSpec& task,
                               const model::Samples& baseline, const model::Samples& submission) {
    const auto elements = static_cast<double>(largest_argument(task, *task.timed_case()));
    const model::Prediction base = predict(device, {}, baseline, elements);
    const model::Prediction mine = predict(device, {}, submission, elements);
    TimingOutcome out{.basis = TimingOutcome::Basis::modelled};
    out.baseline_us = base.us;
    out.submission_us = mine.us;
    out.speedup = out.low = out.high = mine.us > 0 ? base.us / mine.us : 0;
    out.modelled_on = device.name;
    out.limited_by = mine.limited_by();
    return out;
}

}  // namespace cugrade
