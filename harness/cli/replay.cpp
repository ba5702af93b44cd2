#include "cli/replay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/replay_command.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "grading/pipeline.hpp"
#include "report/format.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> find_source(const fs::path& report_file, const fs::path& given,
                             const ReplayCommand& command) {
    if (!given.empty()) return given;
    const fs::path name = fs::path(command.source).filename();
    std::error_code error;
    for (const fs::path& candidate : {report_file.parent_path() / name, fs::path(".") / name})
        if (fs::exists(candidate, error)) return candidate;
    return Error{.kind = ErrorKind::usage,
                 .message = fmt::format("the submission {} is neither beside the report nor here",
                                        name.string()),
                 .file = report_file.string(),
                 .remedy = fmt::format("name it: cugrade check --replay {} SUBMISSION",
                                       report_file.string())};
}

/// Options of this call and of the report's command.
Result<GradeOptions> options_of(const GradingChoices& choices, const ReplayCommand& command) {
    auto options = choices.options();
    if (!options) return options;
    const bool had_secret = !command.secret_file.empty();
    if (had_secret && options->secret.empty())
        return Error{.kind = ErrorKind::usage,
                     .message = "the report's hidden cases come from a course secret",
                     .key = "replay",
                     .remedy = "give it: --secret-file FILE"};
    if (!had_secret) options->secret.clear();
    options->backend = command.backend;
    const std::vector<std::string> known = backend_names();
    if (std::ranges::find(known, command.backend) == known.end())
        return unknown("backend", command.backend, known);
    if (std::ranges::find(emulated_archs, command.ptx_arch) == emulated_archs.end())
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("there is no --ptx {}", command.ptx_arch),
                     .key = "replay"};
    options->ptx_arch = command.ptx_arch;
    options->tasks = command.tasks;
    options->student = command.student;
    options->explore = command.explore;
    options->check_bytes = command.check_bytes;
    options->timing = !command.no_timing;
    return options;
}

/// How the report's command asks for less than a grading does. Whoever has a report chooses its
/// command, and its score with it.
std::vector<std::string> weaker_than_grading(const ReplayCommand& command,
                                             const GradingChoices& choices) {
    std::vector<std::string> out;
    if (const GradeOptions usual; command.check_bytes < usual.check_bytes)
        out.push_back(fmt::format("the report was made with --check-bytes {}, and grading checks {}",
                                  command.check_bytes, usual.check_bytes));
    const auto options = choices.options();
    if (options && !options->secret.empty() && command.secret_file.empty())
        out.emplace_back("the report's hidden cases come from no secret, and one was given");
    return out;
}

/// Compares named facts; each difference is a sentence.
class Comparison {
public:
    explicit Comparison(std::vector<std::string>& out) : out_(out) {}
    void fact(const std::string& name, const std::string& then, const std::string& now) {
        if (then != now)
            out_.push_back(fmt::format("{}: the report says {}, and now it is {}", name,
                                       then.empty() ? "nothing" : then,
                                       now.empty() ? "nothing" : now));
    }
    void score(const std::string& name, const Score& then, const Score& now) {
        fact(name, text_of(then), text_of(now));
    }

private:
    static std::string text_of(const Score& s) {
        return fmt::format("{} of {} judged, {} possible", report::points_text(s.earned),
                           report::points_text(s.judged), report::points_text(s.possible));
    }
    std::vector<std::string>& out_;
};

std::string verdict_of(Verdict verdict) { return std::string(name(verdict)); }

void compare_cases(Comparison& compare, const std::string& task,
                   const std::vector<CaseOutcome>& then, const std::vector<CaseOutcome>& now) {
    for (const CaseOutcome& one : then) {
        const std::string where = fmt::format("case {} of {}", one.id, task);
        const auto other = std::ranges::find(now, one.id, &CaseOutcome::id);
        if (other == now.end()) {
            compare.fact(where, verdict_of(one.verdict), "");
            continue;
        }
        compare.fact(where, verdict_of(one.verdict), verdict_of(other->verdict));
        compare.fact("the data of " + where, one.data_sha256, other->data_sha256);
        compare.fact("the seed of " + where, fmt::format("{:#x}", one.seed),
                     fmt::format("{:#x}", other->seed));
    }
    for (const CaseOutcome& one : now)
        if (std::ranges::find(then, one.id, &CaseOutcome::id) == then.end())
            compare.fact(fmt::format("case {} of {}", one.id, task), "", verdict_of(one.verdict));
}

}  // namespace

Replayed compare_reports(const Report& then, const Report& now) {
    Replayed out;
    Comparison compare(out.differences);
    compare.fact("SHA-256 of the submission", then.submission_sha256, now.submission_sha256);
    compare.fact("SHA-256 of the policy", then.policy_sha256, now.policy_sha256);
    compare.fact("back end", then.provenance.backend, now.provenance.backend);
    compare.fact("verdict", verdict_of(then.verdict), verdict_of(now.verdict));
    compare.score("score", then.score, now.score);
    for (const TaskReport& task : then.tasks) {
        const auto other = std::ranges::find(now.tasks, task.name, &TaskReport::name);
        if (other == now.tasks.end()) {
            compare.fact("task " + task.name, verdict_of(task.verdict), "");
            continue;
        }
        compare.score("score of " + task.name, task.score, other->score);
        compare_cases(compare, task.name, task.outcome.cases, other->outcome.cases);
    }
    for (const TaskReport& task : now.tasks)
        if (std::ranges::find(then.tasks, task.name, &TaskReport::name) == then.tasks.end())
            compare.fact("task " + task.name, "", verdict_of(task.verdict));
    Comparison machine(out.notes);
    machine.fact("version of cugrade", then.provenance.cugrade_version,
                 now.provenance.cugrade_version);
    machine.fact("toolkit", then.provenance.toolkit, now.provenance.toolkit);
    machine.fact("device", then.provenance.device, now.provenance.device);
    machine.fact("driver", then.provenance.driver, now.provenance.driver);
    return out;
}

Result<Replayed> replay(const fs::path& file, const fs::path& source, const GradingChoices& choices,
                        const std::function<void(const std::string&)>& progress) {
    const auto located = [&](Error error) {
        if (error.file.empty()) error.file = file.string();
        return error;
    };
    const auto text = read_file(file);
    if (!text) {
        Error error = text.error();
        error.kind = ErrorKind::usage;
        return error;
    }
    const auto then = report::read_report(*text);
    if (!then) return located(then.error());
    const auto command = replay_command(*then);
    if (!command) return located(command.error());
    const auto submission = find_source(file, source, *command);
    if (!submission) return submission.error();
    auto options = options_of(choices, *command);
    if (!options) return located(options.error());
    options->progress = progress;
    auto home = Home::find();
    if (!home) return home.error();
    const auto course = Course::load(*std::move(home), choices.policy);
    if (!course) return course.error();
    const auto assignment =
        find_assignment(course->assignments, command->assignment, course->left_out);
    if (!assignment) return located(assignment.error());
    for (const std::string& task : command->tasks)
        if (const auto found = find_task(**assignment, task); !found) return located(found.error());
    const auto sealer = choices.sealer();
    if (!sealer) return sealer.error();

    auto now = grade(*course, **assignment, *submission, *options);
    if (!now) return now.error();
    if (now->verdict == Verdict::harness_error)
        return Error{.message = "it could not be graded again: a part of it could not be judged",
                     .file = submission->string(),
                     .remedy = "`cugrade check` with the report's command says why"};
    Replayed out = compare_reports(*then, report::sealed(*std::move(now), *sealer));
    const auto changed =
        report::what_was_changed(*text, {.key = sealer->key, .course = std::nullopt});
    if (!changed) return located(changed.error());
    // Another machine's key is no reason for doubt; nobody here can tell.
    const bool is_ours = !then->seal || then->seal->key_id == sealer->key.id();
    for (const std::string& change : *changed)
        (is_ours ? out.differences : out.notes).push_back("the report is not intact: " + change);
    for (std::string& way : weaker_than_grading(*command, choices))
        out.differences.push_back(std::move(way));
    return out;
}

}  // namespace cugrade::cli
