#include "record/facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "datasets/seeds.hpp"
#include "scoring/score.hpp"

namespace cugrade::record {
namespace {

using Json = nlohmann::ordered_json;

Json exact(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double exact(const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

Json facts_of(const TaskReport& task, const TaskSpec& spec, const TaskPolicy& policy) {
    Json out = Json::object();
    out["name"] = task.name;
    // Only where this holds was there an attempt to count and to time.
    out["credited"] = credited_share(spec, policy, task.outcome.cases) > 0;
    Json& counters = out["counters"] = Json::array();
    for (const Counter& counter : task.outcome.counters) {
        Json one{{"metric", counter.metric}, {"value", exact(counter.value)}};
        if (counter.location) {
            one["file"] = counter.location->file;
            one["line"] = counter.location->line;
        }
        counters.push_back(std::move(one));
    }
    if (task.outcome.timing) {
        out["speedup"] = exact(task.outcome.timing->speedup);
        out["high"] = exact(task.outcome.timing->high);
    }
    out["host_work"] = task.outcome.host_work.has_value();
    return out;
}

/// Returns whether there was an attempt to count and to time. Throws the library's exceptions, and
/// JsonRefused, for facts that are none.
bool add_facts(const Json& facts, TaskReport& task) {
    for (const Json& one : facts.at("counters")) {
        Counter counter{.metric = one.at("metric").get<std::string>(),
                        .value = exact(one.at("value")),
                        .location = {}};
        if (one.contains("file"))
            counter.location =
                SourceLocation{one.at("file").get<std::string>(), one.at("line").get<int>(), 0};
        task.outcome.counters.push_back(std::move(counter));
    }
    if (task.outcome.timing) {
        task.outcome.timing->speedup = exact(facts.at("speedup"));
        task.outcome.timing->high = exact(facts.at("high"));
    }
    if (facts.at("host_work").get<bool>()) task.outcome.host_work.emplace();
    return facts.at("credited").get<bool>();
}

Error to_grade(const std::string& task, const char* why) {
    return {.kind = ErrorKind::usage, .message = fmt::format("{}: {}", task, why)};
}

/// Why the outcome says too little for this policy; empty: it is enough.
const char* what_is_missing(const TaskSpec& spec, const TaskPolicy& policy, const TaskReport& then,
                            bool was_credited) {
    const TaskOutcome& outcome = then.outcome;
    if (credited_share(spec, policy, outcome.cases) <= 0) return nullptr;
    if (policy.performance > 0 && !outcome.timing && !outcome.untimed &&
        (!was_credited || then.performance.possible <= 0))
        return "its speed was not measured";
    if (policy.technique > 0 && outcome.counters.empty() && (!was_credited || !then.technique))
        return "nothing was counted for its technique";
    return nullptr;
}

}  // namespace

std::string facts_of(const Report& report, const AssignmentSpec& assignment,
                     const AssignmentPolicy& policy) {
    Json tasks = Json::array();
    for (const TaskReport& task : report.tasks)
        tasks.push_back(facts_of(task,
                                 *std::ranges::find(assignment.tasks, task.name, &TaskSpec::name),
                                 policy.tasks.at(task.name)));
    return Json{{"tasks", std::move(tasks)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Report> rescored(Report report, std::string_view facts, const AssignmentSpec& assignment,
                        const GradingPolicy& policy) {
    const auto of_assignment = policy.assignments.find(assignment.id);
    if (of_assignment == policy.assignments.end())
        return to_grade(assignment.id, "the policy does not grade it");
    std::vector<TaskReport> then = std::move(report.tasks);
    std::vector<bool> was_credited(then.size(), false);
    report.tasks.clear();
    const Error unknown =
        to_grade(assignment.id, "the record says too little of how it was graded");
    try {
        const auto all = parse_json<Json>(facts, {.depth = 8, .keys = 64});
        for (std::size_t t = 0; t < then.size(); ++t)
            for (const Json& one : all.at("tasks"))
                if (one.at("name") == then[t].name) was_credited[t] = add_facts(one, then[t]);
    } catch (const Json::exception&) {
        return unknown;
    } catch (const JsonRefused&) {
        return unknown;
    }
    for (std::size_t t = 0; t < then.size(); ++t) {
        TaskReport& task = then[t];
        const auto spec = std::ranges::find(assignment.tasks, task.name, &TaskSpec::name);
        const auto worth = of_assignment->second.tasks.find(task.name);
        if (spec == assignment.tasks.end() || worth == of_assignment->second.tasks.end())
            continue;  // it is not graded any more
        if (const char* missing = what_is_missing(*spec, worth->second, task, was_credited[t]))
            return to_grade(task.name, missing);
        report.tasks.push_back(score_task(*spec, worth->second, std::move(task.outcome)));
    }
    report.policy_sha256 = policy.sha256;
    report.score = total(report.tasks);
    report.verdict = Verdict::accepted;
    for (const TaskReport& task : report.tasks)
        report.verdict = worst(report.verdict, task.verdict);
    report.seal.reset();
    return report;
}

std::string run_rules(const GradingPolicy& policy, const AssignmentSpec& assignment) {
    const AssignmentPolicy& own = policy.assignments.at(assignment.id);
    const Limits& l = own.limits;
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {}\nmodelled on {}\n", l.compile_wall_s, l.wall_s,
                    l.cpu_s, l.total_s, l.memory_bytes, l.processes, l.file_bytes, l.output_bytes,
                    l.warp_instructions, l.device_memory_bytes, policy.modelled_on);
    for (const SourceRule& rule : own.forbidden)
        text += fmt::format("rule {}\n{}\n{}\n{}\n", rule.task, fmt::join(rule.includes, "\n"),
                            fmt::join(rule.calls, "\n"), rule.message);
    return datasets::sha256(text);
}

}  // namespace cugrade::record
