#include "timing/modelling.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/sized_cases.hpp"
#include "emulator/model/growth.hpp"
#include "judging/case.hpp"
#include "judging/host_work.hpp"
#include "judging/task_profile.hpp"
#include "judging/task_runner.hpp"
#include "timing/counts_cache.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// Few, so that even a small case fills the device if the grid is made to fit it.
constexpr std::array<std::uint32_t, 3> multiprocessors{2, 2, 4};

const CaseSpec& case_of(const TaskSpec& task, std::size_t sample) {
    return task.model[sample == 0 ? 0 : 1];
}

/// A sample for the model: all but the counts follows from the case.
model::Sample sample_of(const TaskSpec& task, std::size_t n, emulator::DeviceCounts counts) {
    return {.elements = static_cast<double>(largest_argument(task, case_of(task, n))),
            .multiprocessors = static_cast<double>(multiprocessors[n]),
            .counts = std::move(counts)};
}

/// What decides the counts of a program that the course brings: its build, whose folder in the
/// cache is named by its contents, the data, and the emulated GPU.
std::string key_of_counts(const SessionOptions& session, MadeCase& made, std::uint32_t processors) {
    const CaseData& data = made.data();
    std::string key =
        fmt::format("build {}\ntask {}\ncase {}\ndata {}\nmultiprocessors {}\n",
                    session.executable.parent_path().filename().string(), data.task->name,
                    describe(*data.task, *data.spec), made.sha256(), processors);
    std::error_code error;
    std::vector<std::string> parts;
    for (fs::directory_iterator it(session.home->libexec, error), end; !error && it != end;
         it.increment(error))
        parts.push_back(fmt::format(
            "{} {} {}\n", it->path().filename().string(), fs::file_size(it->path(), error),
            fs::last_write_time(it->path(), error).time_since_epoch().count()));
    std::ranges::sort(parts);
    for (const std::string& part : parts) key += part;
    return key;
}

struct Counted {
    emulator::DeviceCounts counts;
    Verdict verdict = Verdict::accepted;
    std::string message;
};

Result<Counted> count(const SessionOptions& session, const AssignmentSpec& assignment,
                      MadeCase& made, std::uint32_t processors, Cached cached) {
    const auto grader = seal::grader_key();
    if (!grader) return grader.error();
    const CountsCache cache(cache_folder() / "counts", *grader);
    std::string key;
    if (cached == Cached::yes) {
        key = key_of_counts(session, made, processors);
        if (auto counts = cache.find(key))
            return Counted{std::move(*counts), Verdict::accepted, {}};
    }
    SessionOptions on = session;
    on.multiprocessors = processors;
    auto profiled = profile_case(on, assignment, made, Session::Counting::for_timing);
    if (!profiled) return profiled.error();
    if (!*profiled) return Counted{{}, Verdict::function_missing, "the function is not defined"};
    const TaskProfile& p = **profiled;
    if (p.call.verdict != Verdict::accepted)
        return Counted{{}, p.call.verdict, p.call.message_without_data()};
    if (p.judgement.verdict != Verdict::accepted)
        return Counted{{}, p.judgement.verdict, p.judgement.hidden_message};
    Counted out{p.counts, Verdict::accepted, {}};
    if (cached == Cached::yes) cache.keep(key, out.counts);
    return out;
}

/// A case between those of the model. The middle half of their distance is left, so that a program
/// cannot tell a case of the model by a size near to it.
std::optional<CaseSpec> case_between(const CaseStore& of_task) {
    const TaskSpec& task = of_task.task();
    const auto sized = SizedCases::of(of_task.assignment(), task);
    if (!sized) return std::nullopt;
    const std::uint64_t small = largest_argument(task, task.model[0]);
    const std::uint64_t distance = largest_argument(task, task.model[1]) - small;
    const std::uint64_t more =
        secret_number(of_task.assignment(), task, of_task.options(), distance / 2 + 1);
    CaseSpec out = sized->with(small + distance / 4 + more);
    out.id = task.model[1].id + 1;
    out.needs_gpu = out.timed = false;
    out.for_model = true;
    return out;
}

/// Counts a submission at the size between. One that fails there and nowhere else fails the model.
Status count_between(const SessionOptions& session, CaseStore& of_task, ModelCounts& out) {
    const TaskSpec& task = of_task.task();
    const auto spec = case_between(of_task);
    if (!spec) return Done{};
    auto data = make_case(of_task.assignment(), task, *spec, of_task.options());
    if (!data) return data.error();
    MadeCase made(of_task.assignment(), std::move(*data));
    auto counted = count(session, of_task.assignment(), made, multiprocessors[1], Cached::no);
    if (!counted) return counted.error();
    if (counted->verdict != Verdict::accepted) {
        out.verdict = counted->verdict;
        out.message = "with a size between those of the model: " + counted->message;
        return Done{};
    }
    if (!out.host_work) out.host_work = host_work_of(task, *spec, counted->counts);
    out.between = model::Sample{.elements = static_cast<double>(largest_argument(task, *spec)),
                                .multiprocessors = static_cast<double>(multiprocessors[1]),
                                .counts = std::move(counted->counts)};
    return Done{};
}

}  // namespace

Result<ModelCounts> count_for_model(const SessionOptions& session, CaseStore& of_task,
                                    Cached cached) {
    const TaskSpec& task = of_task.task();
    ModelCounts out;
    std::shared_ptr<MadeCase> made;
    for (std::size_t n = 0; n < out.samples.size(); ++n) {
        const CaseSpec& spec = case_of(task, n);
        if (!made || made->data().spec != &spec) {  // two samples are of one case
            auto found = of_task.find(spec);
            if (!found) return found.error();
            made = std::move(*found);
        }
        auto counted = count(session, of_task.assignment(), *made, multiprocessors[n], cached);
        if (!counted) return counted.error();
        if (counted->verdict != Verdict::accepted) {
            out.verdict = counted->verdict;
            out.message = fmt::format("with {}: {}", describe(task, spec), counted->message);
            return out;
        }
        if (!out.host_work) out.host_work = host_work_of(task, spec, counted->counts);
        out.samples[n] = sample_of(task, n, std::move(counted->counts));
    }
    if (cached == Cached::yes) return out;  // the course's own programs need no control
    if (auto status = count_between(session, of_task, out); !status) return status.error();
    return out;
}

Result<ModelCounts> count_one(const SessionOptions& session, const AssignmentSpec& assignment,
                              MadeCase& made, std::uint32_t processors, Cached cached) {
    const CaseData& data = made.data();
    auto counted = count(session, assignment, made, processors, cached);
    if (!counted) return counted.error();
    ModelCounts out{.samples = {},
                    .verdict = counted->verdict,
                    .message = std::move(counted->message),
                    .between = {},
                    .host_work = {}};
    out.samples.fill({.elements = static_cast<double>(largest_argument(*data.task, *data.spec)),
                      .multiprocessors = static_cast<double>(processors),
                      .counts = std::move(counted->counts)});
    return out;
}

Result<model::Samples> count_baseline(const SessionOptions& session, CaseStore& of_task) {
    auto counts = count_for_model(session, of_task, Cached::yes);
    if (!counts) return counts.error();
    if (counts->verdict != Verdict::accepted)
        return Error{.message = fmt::format("the baseline of {}/{} ends with {}: {}",
                                            of_task.assignment().id, of_task.task().name,
                                            name(counts->verdict), counts->message)};
    return std::move(counts->samples);
}

namespace {

double bytes_to_move(const TaskSpec& task, const CaseSpec& spec) {
    double bytes = 0;
    for (const ArgumentSpec& argument : task.arguments)
        if (std::ranges::count(task.moves, argument.name) > 0)
            bytes += elements_of(argument, spec) * static_cast<double>(size_of(argument.dtype));
    return bytes;
}

}  // namespace

std::optional<std::string> doubt_of(const model::Device& device, const TaskSpec& task,
                                    const ModelCounts& submission) {
    auto doubt = model::why_not_continued(submission.samples, submission.between);
    const auto elements = static_cast<double>(largest_argument(task, *task.timed_case()));
    if (!doubt)
        doubt = model::why_launches_are_not_continued(device, {}, submission.samples, elements);
    return doubt;
}

double least_us(const model::Device& device, const TaskSpec& task) {
    return model::least_us(device, {}, bytes_to_move(task, *task.timed_case()));
}

TimingOutcome modelled_speedup(const model::Device& device, const TaskSpec& task,
                               const model::Samples& baseline, const ModelCounts& submission) {
    const CaseSpec& timed = *task.timed_case();
    const auto elements = static_cast<double>(largest_argument(task, timed));
    const auto doubt = doubt_of(device, task, submission);
    const model::Cautious cautious{.between = submission.between};
    const model::Prediction base = predict(device, {}, baseline, elements);
    const model::Prediction mine =
        predict(device, {}, submission.samples, elements, doubt ? &cautious : nullptr);
    TimingOutcome out{.basis = TimingOutcome::Basis::modelled};
    out.baseline_us = base.us;
    out.submission_us = std::max(mine.us, least_us(device, task));
    out.speedup = out.low = out.high = base.us / out.submission_us;
    out.modelled_on = device.name;
    out.limited_by = mine.limited_by();
    out.doubt = doubt.value_or("");
    return out;
}

}  // namespace cugrade
