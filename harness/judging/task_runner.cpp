// The heart of grading: case by case, inputs go to the device, the student's function is called,
// and what it left in memory is compared here, where its code never runs.
//
// On the emulated GPU a case of up to second_schedule_bytes, and each wrong one whose call came
// back, runs under two schedules: blocks and warps in order, then interleaved pseudo-randomly (with
// other garbage in shared memory); under more, if more are to be explored. A submission whose wrong
// result depends on the schedule is `nondeterministic`; one that is wrong in the same way each time
// is `wrong_answer`. Between the two comes the next case's first run, because static device memory
// would still hold the case's own right values: who reads them before they are written, or counts
// on without a reset, would not be seen. On a GPU a wrong case is run once more, at once.
//
// A failed call ends the session, as a sticky error ends a CUDA context; the next case gets a new
// one. After a call that ran into a limit twice, the rest of the task is given the same verdict
// without being run: sixty cases that hang would take half an hour and teach nothing more.
//
// If the emulated GPU lacks an instruction or a function, the whole task is not judged: nobody
// could tell how much of the task the cases that do not need it are worth.
//
// Where speed is measured, the timed case's call is timed here, too, and a slow one made once more,
// for a while: if no tier is in reach of either, the timing (timing.cpp) makes none of its own.
#include "judging/task_runner.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/generators.hpp"
#include "datasets/seeds.hpp"
#include "judging/compare.hpp"
#include "judging/missing_function.hpp"

namespace cugrade {
namespace {

/// Cases up to this many bytes run under a second schedule; larger ones only if they fail.
constexpr std::size_t second_schedule_bytes = std::size_t{1} << 20;
constexpr int limit_failures_before_giving_up = 2;
/// A timed case's call that took this long is repeated, with a limit that is a share of its time
/// but longer than a machine pauses. If the repetition hits the limit, the first call was not slow
/// by accident.
constexpr double slow_call_s = 1;
constexpr double again_share = 0.125;
constexpr double again_least_s = 0.5;

}  // namespace

std::uint64_t scalar_bits(DType type, double value) {
    std::uint64_t bits = 0;
    with_type(type, [&]<class T>() {
        const T typed = static_cast<T>(value);
        std::memcpy(&bits, &typed, sizeof typed);
    });
    return bits;
}

std::size_t total_bytes(const CaseData& data) {
    std::size_t sum = 0;
    for (const auto& [key, array] : data.buffers) sum += array.bytes.size();
    return sum;
}

std::string describe(const TaskSpec& task, const CaseSpec& spec) {
    std::string out;
    const auto add = [&](const std::string& text) {
        if (!out.empty()) out += ' ';
        out += text;
    };
    for (const auto& [key, value] : spec.params) add(fmt::format("{}={}", key, value));
    for (const auto& argument : task.arguments) {
        const auto data = spec.data.find(argument.name);
        if (data == spec.data.end()) continue;
        add(fmt::format(
            "{}={}", argument.name,
            data->second.generator == "file" ? data->second.file : data->second.generator));
    }
    return out;
}

std::string hash_inputs(const CaseData& data) {
    std::string all;
    for (const auto& [key, array] : data.buffers) {
        all += key;
        all += datasets::sha256(
            {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()});
    }
    return datasets::sha256(all);
}

namespace {

std::string summary(const Expected& expected, const Array& got, const Comparison& found) {
    if (found.first.empty())
        return fmt::format("{} of {} elements of `{}` are wrong", found.mismatch_count,
                           found.element_count, expected.argument);
    const Mismatch& first = found.first.front();
    if (got.size() == 1)
        return fmt::format("`{}` is {}, expected {}", expected.argument, first.got, first.expected);
    return fmt::format(
        "{} of {} elements of `{}` are wrong; the first is at index {}{}: expected {}, got {}",
        found.mismatch_count, found.element_count, expected.argument, first.index,
        first.coordinates.size() > 1
            ? fmt::format(" (row, column = {})", fmt::join(first.coordinates, ", "))
            : "",
        first.expected, first.got);
}

/// Of one output. Floats get magnitudes between 2^20 and 2^60: random bits would often be so small
/// that a kernel which adds to what it found would still be right.
Result<Array> noise_like(const Array& like, std::uint64_t case_seed) {
    const DataSpec noise =
        is_float(like.dtype)
            ? DataSpec{.generator = "mixed_magnitudes",
                       .numbers = {{"low_exponent", 20}, {"high_exponent", 60}},
                       .file = {}}
            : DataSpec{.generator = "uniform", .numbers = {{"low", 0}, {"high", 255}}, .file = {}};
    const DType dtype = is_float(like.dtype) ? like.dtype : DType::u8;
    const auto count = static_cast<std::int64_t>(like.bytes.size() / size_of(dtype));
    auto made = datasets::generate(noise, dtype, {count}, case_seed ^ 0x9e3779b97f4a7c15U, {});
    if (!made) return made.error();
    Array out(like.dtype, like.shape);
    out.bytes = std::move(made->bytes);
    return out;
}

Result<std::shared_ptr<MadeCase>> ready_case(const TaskRun& run, const CaseSpec& spec) {
    auto made = run.cases->find(spec);
    if (!made) return made.error();
    if (auto status = (*made)->complete(); !status) return status.error();
    return made;
}

/// Whether a buffer holds these bytes. Piece by piece: allocating memory for all of a large one
/// takes longer than copying and comparing, and the GPU is held meanwhile.
Result<bool> holds(Session& session, BufferId buffer, std::span<const std::byte> bytes) {
    constexpr std::size_t piece_bytes = 4 << 20;
    std::vector<std::byte> now(std::min(piece_bytes, bytes.size()));
    for (std::size_t offset = 0; offset < bytes.size(); offset += piece_bytes) {
        const auto wanted = bytes.subspan(offset, std::min(piece_bytes, bytes.size() - offset));
        const auto piece = std::span(now).first(wanted.size());
        if (auto status = session.read(buffer, offset, piece); !status) return status.error();
        if (std::memcmp(piece.data(), wanted.data(), wanted.size()) != 0) return false;
    }
    return true;
}

/// One call of one case, judged.
struct Attempt {
    CallOutcome call;
    Judgement judgement;
    Outputs outputs;
    double at_least_s = 0;  ///< CaseOutcome::at_least_s
    [[nodiscard]] Verdict verdict() const {
        return call.verdict != Verdict::accepted ? call.verdict : judgement.verdict;
    }
    [[nodiscard]] bool failed_call() const { return call.verdict != Verdict::accepted; }
};

class TaskRunner {
public:
    TaskRunner(const TaskRun& run, ReadyCases ready) : run_(run), ready_(std::move(ready)) {}

    Result<TaskOutcome> all_cases() {
        TaskOutcome outcome{.name = run_.task->name, .cases = {}, .timing = {}, .untimed = {}};
        std::optional<Begun> waiting;
        outcome.cases.resize(run_.task->cases.size());
        for (std::size_t n = 0; n < run_.task->cases.size(); ++n) {
            const CaseSpec& spec = run_.task->cases[n];
            if (run_.options->progress)
                run_.options->progress(fmt::format("{}/{} case {} of {}", run_.assignment->id,
                                                   run_.task->name, spec.id,
                                                   run_.task->cases.size()));
            CaseOutcome& result = outcome.cases[n];
            result = {.id = spec.id, .visibility = spec.visibility};
            result.description = describe(*run_.task, spec);
            std::optional<Begun> begun;
            if (spec.needs_gpu && !run_.backend->runs_large_cases()) {
                result.not_judged.why = NotJudged::Why::needs_gpu;
            } else if (gave_up_) {
                result.verdict = gave_up_->verdict;
                result.message = fmt::format("not run, because case {} ended with {}", gave_up_->id,
                                             name(gave_up_->verdict));
            } else if (!run_.defined) {
                result.verdict = Verdict::function_missing;
                result.message =
                    missing_function(*run_.assignment, *run_.task, run_.session.executable);
                note(result);
            } else {
                auto first = begin(spec, result);
                if (!first) return first.error();
                begun = std::move(*first);
            }
            // The case before has its second run now, or if this one was the last, both have.
            if (auto status = finish(std::exchange(waiting, {})); !status) return status.error();
            if (begun && begun->comes_later && n + 1 < run_.task->cases.size())
                waiting = std::move(begun);
            else if (auto status = finish(std::move(begun)); !status)
                return status.error();
            if (lacking_) return not_judged(*lacking_);
        }
        return outcome;
    }

private:
    /// Gives every case the outcome of the one that showed what the emulated GPU lacks.
    [[nodiscard]] TaskOutcome not_judged(const CaseOutcome& shown) const {
        const std::string where =
            shown.location ? fmt::format("{}:{}: ", shown.location->file, shown.location->line)
                           : "";
        TaskOutcome outcome{.name = run_.task->name, .cases = {}, .timing = {}, .untimed = {}};
        outcome.untimed = {NotJudged::Why::other, where + shown.message};
        for (const CaseSpec& spec : run_.task->cases) {
            CaseOutcome result{.id = spec.id, .visibility = spec.visibility};
            result.description = describe(*run_.task, spec);
            result.not_judged = outcome.untimed;
            result.location = shown.location;
            outcome.cases.push_back(std::move(result));
        }
        return outcome;
    }

    /// A case after its first run.
    struct Begun {
        const CaseSpec* spec = nullptr;
        CaseOutcome* result = nullptr;
        std::shared_ptr<MadeCase> made;
        Attempt first;
        int repetitions = 0;
        bool comes_later = false;  ///< its repetitions come after the next case's first run
    };

    Result<Begun> begin(const CaseSpec& spec, CaseOutcome& result) {
        auto node = ready_.extract(spec.id);
        auto ready = node.empty() ? ready_case(run_, spec)
                                  : Result<std::shared_ptr<MadeCase>>(std::move(node.mapped()));
        if (!ready) return ready.error();
        Begun out{.spec = &spec, .result = &result, .made = std::move(*ready), .first = {}};
        const CaseData& data = out.made->data();
        result.seed = data.seed;
        result.data_sha256 = out.made->sha256();
        auto first = attempt(*out.made, 0);
        if (!first) return first.error();
        out.first = std::move(*first);
        result.seconds = out.first.call.wall_s;
        result.work = out.first.call.work;
        result.host = out.first.call.host;
        if (!out.first.call.event_us.empty()) result.event_us = out.first.call.event_us.front();
        result.at_least_s = out.first.at_least_s;
        const bool schedules = run_.backend->repeats_exactly();
        const int explore = schedules ? run_.options->explore : 0;
        const bool is_small = total_bytes(data) <= second_schedule_bytes;
        const bool worth_it =
            out.first.verdict() != Verdict::accepted || (schedules && (explore > 0 || is_small));
        if (worth_it && !out.first.failed_call()) out.repetitions = std::max(explore, 1);
        out.comes_later = out.repetitions != 0 && schedules && is_small;
        return out;
    }

    /// The case's other runs, and what follows from all of them.
    Status finish(std::optional<Begun> begun) {
        if (!begun) return Done{};
        const auto answered = begun->made->answered();
        if (!answered) return answered.error();
        const std::vector<Expected>& expected = (*answered)->expected;
        CaseOutcome& result = *begun->result;
        Attempt& decisive = begun->first;
        const bool wrong = decisive.verdict() != Verdict::accepted;
        const bool schedules = run_.backend->repeats_exactly();
        const bool explores = schedules && run_.options->explore > 0;
        std::string both;
        for (int k = 1; !decisive.failed_call() && k <= begun->repetitions; ++k) {
            // The seed in a report is not the seed of the data for a hidden case, which is secret.
            const std::uint64_t seed =
                explores ? static_cast<std::uint64_t>(k) : begun->made->data().seed | 1;
            auto attempted = attempt(*begun->made, seed);
            if (!attempted) return attempted.error();
            Attempt& second = *attempted;
            result.seconds += second.call.wall_s;
            const bool again = second.verdict() != Verdict::accepted;
            if (second.failed_call()) {
                if (explores) both = fmt::format("under the schedule of seed {}: ", seed);
                decisive = std::move(second);
            } else if (wrong != again ||  // verified outputs may differ although both are right
                       (wrong && !same_outputs(decisive.outputs, second.outputs, expected))) {
                both = !schedules ? "two runs on the same data gave different results; "
                       : explores ? fmt::format(
                                        "the schedules of warps of seeds 0 and {} gave "
                                        "different results; ",
                                        seed)
                                  : "two schedules of warps gave different results; ";
                if (!wrong) {
                    if (auto status = tell_old_values(*begun, seed, both); !status) return status;
                    decisive = std::move(second);
                }
                decisive.judgement.verdict = Verdict::nondeterministic;
                break;
            }
        }
        fill(*begun->spec, decisive, both, result);
        note(result);
        return Done{};
    }

    /// Wrong after other data, and then right after the same data: it reads what a call has left.
    Status tell_old_values(const Begun& begun, std::uint64_t seed, std::string& both) {
        if (!begun.comes_later) return Done{};
        const auto third = attempt(*begun.made, seed);
        if (!third) return third.error();
        if (third->verdict() == Verdict::accepted)
            both =
                "right at first, and wrong when called again after a call with other data: it "
                "reads "
                "what an earlier call left in memory, which is not reset, or is read before this "
                "call has written it; ";
        return Done{};
    }

    /// Gives up where others would end at the same limit.
    void note(const CaseOutcome& result) {
        const Verdict v = result.verdict;
        if (v == Verdict::skipped && !lacking_) lacking_ = result;
        if (v == Verdict::time_limit || v == Verdict::deadlock || v == Verdict::memory_limit)
            ++limit_failures_;
        // A missing function is missing in every case.
        if (limit_failures_ >= limit_failures_before_giving_up || v == Verdict::function_missing)
            if (!gave_up_) gave_up_ = result;
    }

    /// Up to the rounding that the oracle allows: sums by atomics differ from run to run by nature.
    static bool same_outputs(const Outputs& a, const Outputs& b,
                             const std::vector<Expected>& expected) {
        return std::ranges::all_of(expected, [&](const Expected& answer) {
            const Array& one = a.find(answer.argument)->second;
            const Array& other = b.find(answer.argument)->second;
            const Expected same{.argument = answer.argument, .value = one, .bound = answer.bound};
            return compare(same, other, one).verdict == Verdict::accepted;
        });
    }

    Result<Attempt> attempt(MadeCase& made, std::uint64_t schedule_seed) {
        const auto answered = made.answered();
        if (!answered) return answered.error();
        const auto poison = made.poison();
        if (!poison) return poison.error();
        const CaseData& data = made.data();
        const std::vector<Expected>& expected = (*answered)->expected;
        Attempt out;
        if (!session_) {
            auto opened = run_.backend->open(run_.session);
            if (!opened) return opened.error();
            session_ = std::move(*opened);
        }
        auto defined = session_->has_function(*run_.task);
        if (!defined) return defined.error();
        if (!*defined) {
            out.call.verdict = Verdict::function_missing;
            out.call.message =
                missing_function(*run_.assignment, *run_.task, run_.session.executable);
            return out;
        }
        auto prepared = prepare(*session_, *run_.task, data, *run_.limits, **poison);
        if (!prepared) return prepared.error();
        prepared->request.schedule_seed = schedule_seed;
        prepared->request.timed =
            run_.backend->measures_time() && run_.options->timing && data.spec->timed;
        auto call = session_->call(prepared->request);
        if (!call) return call.error();
        out.call = std::move(*call);
        if (out.failed_call()) {
            session_.reset();
            return out;
        }
        auto judged = judge(*session_, *run_.task, *run_.assignment, data, expected, **poison,
                            *prepared, out.outputs);
        if (!judged) return judged.error();
        out.judgement = std::move(*judged);
        if (prepared->request.timed && out.verdict() == Verdict::accepted &&
            out.call.wall_s >= slow_call_s) {
            if (auto status = call_again(data, *prepared, out); !status) return status.error();
            session_.reset();
            return out;
        }
        if (auto status = session_->clear(); !status) return status.error();
        return out;
    }

    /// Repeats the call on the same data, with a limit. Its result is not judged here: the timed
    /// calls are.
    Status call_again(const CaseData& data, Prepared& prepared, Attempt& out) {
        for (const ArgumentSpec& argument : run_.task->arguments) {
            if (argument.role != Role::inout) continue;
            const BufferId buffer = prepared.buffers.find(argument.name)->second;
            if (auto status = session_->write(buffer, data[argument.name].bytes); !status)
                return status;
        }
        CallRequest& request = prepared.request;
        request.wall_s = std::max(again_share * out.call.wall_s, again_least_s);
        const auto again = session_->call(request);
        if (!again) return again.error();
        if (again->verdict == Verdict::time_limit) out.at_least_s = request.wall_s;
        return Done{};
    }

    /// For a hidden case: the verdict and the pattern, never data.
    static void fill(const CaseSpec& spec, const Attempt& from, const std::string& both,
                     CaseOutcome& result) {
        const bool hidden = spec.visibility == Visibility::hidden;
        result.verdict = from.verdict();
        result.mismatch_count = from.judgement.mismatch_count;
        result.element_count = from.judgement.element_count;
        result.pattern = from.judgement.pattern;
        result.suggested_cause = from.judgement.suggested;
        result.location = hidden ? from.call.location_without_data() : from.call.location;
        if (from.failed_call()) {
            result.message = both + (hidden ? from.call.message_without_data()
                                            : from.call.message + from.call.said);
        } else if (result.verdict != Verdict::accepted) {
            result.message =
                both + (hidden ? from.judgement.hidden_message : from.judgement.message);
            if (!hidden) result.mismatches = from.judgement.mismatches;
        }
    }

    const TaskRun& run_;
    ReadyCases ready_;
    std::optional<CaseOutcome> gave_up_;
    std::optional<CaseOutcome> lacking_;  ///< shows what the emulated GPU lacks
    int limit_failures_ = 0;
    std::unique_ptr<Session> session_;
};

}  // namespace

Result<Outputs> poison_for(const TaskSpec& task, const CaseData& data) {
    Outputs out;
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role != Role::output) continue;
        auto noise = noise_like(data[argument.name], data.seed);
        if (!noise) return noise.error();
        out.emplace(argument.name, std::move(*noise));
    }
    return out;
}

Result<Prepared> prepare(Session& session, const TaskSpec& task, const CaseData& data,
                         const Limits& limits, const Outputs& poison) {
    Prepared out;
    out.request.task = task.name;
    out.request.wall_s = limits.wall_s;
    std::vector<CallRequest::Argument> arguments;
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) {
            arguments.push_back(
                {.buffer = {}, .scalar = scalar_bits(argument.dtype, data.param(argument.name))});
            continue;
        }
        const Array& array = data[argument.name];
        auto id = session.allocate(argument.name, array.bytes.size());
        if (!id) return id.error();
        const Array* contents = &array;
        if (argument.role == Role::output) {
            const auto fill = poison.find(argument.name);
            contents = fill == poison.end() ? nullptr : &fill->second;
        }
        if (contents != nullptr)
            if (auto status = session.write(*id, contents->bytes); !status) return status.error();
        out.buffers[argument.name] = *id;
        arguments.push_back({.buffer = *id, .scalar = 0});
    }
    out.request.sets.push_back(std::move(arguments));
    return out;
}

Result<Judgement> judge_outputs(const AssignmentSpec& assignment, const CaseData& data,
                                const std::vector<Expected>& expected, const Outputs& poison,
                                const Outputs& outputs, Judging judging) {
    Judgement out;
    // Used for a hint only, so an oracle without an answer for other parameters is no error.
    const auto ask = [&](const CaseData& other) {
        auto answer = expected_answer(assignment, other);
        return answer ? std::move(*answer) : std::vector<Expected>();
    };
    for (const Expected& answer : expected) {
        const Array& got = outputs.find(answer.argument)->second;
        const auto found_poison = poison.find(answer.argument);
        const Comparison found =
            compare(answer, got,
                    found_poison != poison.end() ? found_poison->second : data[answer.argument]);
        out.element_count += found.element_count;
        out.mismatch_count += found.mismatch_count;
        if (found.verdict == Verdict::accepted) continue;
        if (out.verdict == Verdict::accepted) {
            out.message = summary(answer, got, found);
            out.mismatches = found.first;
            if (judging == Judging::with_pattern) {
                const Diagnosis diagnosis = diagnose(data, answer, got, found, ask);
                out.pattern = diagnosis.text;
                out.suggested = diagnosis.cause;
            }
        }
        out.verdict = worst(out.verdict, found.verdict);
    }
    if (out.mismatch_count > 0)
        out.hidden_message =
            fmt::format("{} of {} elements are wrong", out.mismatch_count, out.element_count);
    if (out.verdict != Verdict::accepted) return out;
    const auto wrong = verify_outputs(assignment, data, outputs);
    if (!wrong) return wrong.error();
    if (*wrong) {
        out.verdict = Verdict::wrong_answer;
        out.message = **wrong;
        out.hidden_message = "the outputs contradict each other or the inputs";
    }
    return out;
}

Result<Judgement> judge(Session& session, const TaskSpec& task, const AssignmentSpec& assignment,
                        const CaseData& data, const std::vector<Expected>& expected,
                        const Outputs& poison, const Prepared& prepared, Outputs& outputs,
                        Judging judging) {
    Judgement out;
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) continue;
        const Array& original = data[argument.name];
        const BufferId buffer = prepared.buffers.find(argument.name)->second;
        if (argument.role != Role::input) {
            Array now(original.dtype, original.shape);
            if (auto status = session.read(buffer, 0, now.bytes); !status) return status.error();
            outputs[argument.name] = std::move(now);
            continue;
        }
        const auto same = holds(session, buffer, original.bytes);
        if (!same) return same.error();
        if (!*same) {
            out.verdict = Verdict::wrong_answer;
            out.message = fmt::format("the input `{}` was changed; it is const", argument.name);
            out.hidden_message = out.message;
        }
    }
    auto of_outputs = judge_outputs(assignment, data, expected, poison, outputs, judging);
    if (!of_outputs || out.verdict == Verdict::accepted) return of_outputs;
    out.verdict = worst(out.verdict, of_outputs->verdict);
    out.element_count = of_outputs->element_count;
    out.mismatch_count = of_outputs->mismatch_count;
    return out;
}

Result<ReadyCases> ready_cases(const TaskRun& run) {
    ReadyCases out;
    for (const CaseSpec& spec : run.task->cases) {
        auto ready = ready_case(run, spec);
        if (!ready) return ready.error();
        out.emplace(spec.id, std::move(*ready));
    }
    return out;
}

Result<TaskOutcome> run_task(const TaskRun& run, ReadyCases ready) {
    return TaskRunner(run, std::move(ready)).all_cases();
}

}  // namespace cugrade
