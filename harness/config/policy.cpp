// grading.yaml -> GradingPolicy, checked against the assignments. A task inherits missing values
// from its assignment, and an assignment from `defaults`; the program has no numbers of its own.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/load.hpp"
#include "config/yaml.hpp"
#include "core/technique.hpp"
#include "core/utc.hpp"
#include "datasets/seeds.hpp"

namespace cugrade::config {
namespace {

namespace fs = std::filesystem;

constexpr double max_points = 1e6;
constexpr double max_seconds = 86400;
constexpr std::int64_t max_count = std::int64_t{1} << 50;

struct LimitRow {
    const char* key;
    void (*read)(const Value&, Limits&);
};

constexpr double min_seconds = 0.001;
constexpr std::array<LimitRow, 10> limit_rows{{
    {"compile_wall",
     [](auto& v, auto& l) { l.compile_wall_s = v.number(min_seconds, max_seconds); }},
    {"wall", [](auto& v, auto& l) { l.wall_s = v.number(min_seconds, max_seconds); }},
    {"cpu", [](auto& v, auto& l) { l.cpu_s = v.number(min_seconds, max_seconds); }},
    {"total", [](auto& v, auto& l) { l.total_s = v.number(min_seconds, max_seconds); }},
    {"memory", [](auto& v, auto& l) { l.memory_bytes = v.bytes(); }},
    {"processes", [](auto& v, auto& l) { l.processes = static_cast<int>(v.integer(1, 1 << 20)); }},
    {"file", [](auto& v, auto& l) { l.file_bytes = v.bytes(); }},
    {"output", [](auto& v, auto& l) { l.output_bytes = v.bytes(); }},
    {"instructions",
     [](auto& v, auto& l) {
         l.warp_instructions = static_cast<std::uint64_t>(v.integer(1, max_count));
     }},
    {"device_memory", [](auto& v, auto& l) { l.device_memory_bytes = v.bytes(); }},
}};

std::vector<std::string> limit_keys() {
    std::vector<std::string> out;
    for (const auto& row : limit_rows) out.emplace_back(row.key);
    return out;
}

/// Sets what the map states; `complete`: every limit must be there.
void read_limits(const Value& value, bool complete, Limits& limits) {
    const auto map = value.map(limit_keys());
    for (const auto& row : limit_rows)
        if (const auto* entry = complete ? &map.at(row.key) : map.find(row.key))
            row.read(*entry, limits);
}

std::vector<Tier> read_tiers(const Value& value) {
    std::vector<Tier> out;
    for (const auto& item : value.list()) {
        const auto map = item.map({"speedup", "credit"});
        const Tier tier{.speedup = map.at("speedup").number(1e-3, 1e6),
                        .credit = map.at("credit").number(0, 1)};
        if (tier.credit == 0)
            map.at("credit").fail("a tier without credit has no effect",
                                  "give a credit above 0 and at most 1, or remove the tier");
        if (!out.empty() && tier.speedup <= out.back().speedup)
            map.at("speedup").fail(
                fmt::format("tiers out of order: the speedup {} does not exceed {}, the one before",
                            tier.speedup, out.back().speedup),
                "list tiers from the lowest speedup to the highest");
        if (!out.empty() && tier.credit <= out.back().credit)
            map.at("credit").fail(
                fmt::format("tiers out of order: the credit {} does not exceed {}, the one before",
                            tier.credit, out.back().credit),
                "give a higher speedup a higher credit");
        out.push_back(tier);
    }
    return out;
}

/// The values that a task inherits.
struct Inherited {
    double hidden_weight = 0;
    std::vector<Tier> tiers;
    Require require = Require::passed;
};

void read_inherited(const Map& map, Inherited& out) {
    if (const auto* weight = map.find("hidden_weight"))
        out.hidden_weight = weight->number(0.001, 1000);
    if (const auto* tiers = map.find("tiers")) out.tiers = read_tiers(*tiers);
    if (const auto* require = map.find("require"))
        out.require = require->choice({"passed", "all"}) == "all" ? Require::all : Require::passed;
}

double read_points(const Value& value) {
    const double points = value.number(0, max_points);
    // Reports give points with two decimals; with more decimals the printed parts would not add up.
    if (std::abs(points * 100 - std::round(points * 100)) > 1e-6)
        value.fail(fmt::format("{} has more than two decimals", points),
                   "round the points to hundredths");
    return points;
}

std::vector<TechniqueLimit> read_technique_limits(const Value& value) {
    std::vector<std::string> known;
    for (const TechniqueMetric& metric : technique_metrics) known.emplace_back(metric.name);
    const auto map = value.map(known);
    std::vector<TechniqueLimit> out;
    for (const std::string& metric : known)
        if (const auto* entry = map.find(metric))
            out.push_back({metric, entry->map({"max"}).at("max").number(0, 1e9)});
    if (out.empty())
        value.fail("no counter is limited",
                   fmt::format("limit at least one of {}", fmt::join(known, ", ")));
    return out;
}

/// "atomicAdd(double*, double)" without its parameters: names joined by ::, the last may be *.
bool is_call(std::string_view text) {
    if (const std::size_t open = text.find('('); open != std::string_view::npos) {
        if (!text.ends_with(')') || text.find_first_of("()", open + 1) != text.size() - 1)
            return false;
        text = text.substr(0, open);
    }
    bool first = true;
    while (true) {
        const std::size_t end = text.find("::");
        const std::string_view name = text.substr(0, end);
        if (end == std::string_view::npos) return is_identifier(name) || (name == "*" && !first);
        if (!is_identifier(name)) return false;
        text.remove_prefix(end + 2);
        first = false;
    }
}

SourceRule read_rule(const Value& value, const std::string& task) {
    const auto map = value.map({"includes", "calls", "message"});
    SourceRule out{.includes = {}, .calls = {}, .message = {}, .task = task};
    if (const auto* includes = map.find("includes"))
        for (const auto& item : includes->list()) {
            out.includes.push_back(item.text());
            const std::string& name = out.includes.back();
            if (name.empty() || name.front() == '/' || name.find_first_of("<>\"\\") != name.npos)
                item.fail(fmt::format("`{}` is not the name of a header", name),
                          "write it as after #include, without <> or quotes: cub/*, "
                          "cooperative_groups/reduce.h");
        }
    if (const auto* calls = map.find("calls"))
        for (const auto& item : calls->list()) {
            out.calls.push_back(item.text());
            if (!is_call(out.calls.back()))
                item.fail(fmt::format("`{}` is not the name of a function", out.calls.back()),
                          "write cub::*, cooperative_groups::reduce, atomicAdd, or with all its "
                          "parameters \"atomicAdd(double*, double)\"");
        }
    if (const auto* message = map.find("message")) out.message = message->text();
    if (out.includes.empty() && out.calls.empty())
        value.fail("nothing is forbidden", "list `includes`, `calls` or both, or remove the key");
    return out;
}

/// `forbid: {...}`, or a list of such maps, each with a message of its own.
void read_forbid(const Map& map, const std::string& task, std::vector<SourceRule>& out) {
    const auto* forbid = map.find("forbid");
    if (forbid == nullptr) return;
    if (!forbid->is_list()) return out.push_back(read_rule(*forbid, task));
    for (const auto& item : forbid->list()) out.push_back(read_rule(item, task));
}

TaskPolicy read_task(const Value& value, const TaskSpec& task, Inherited inherited,
                     std::vector<SourceRule>& rules) {
    const auto map = value.map(
        {"correctness", "performance", "technique", "hidden_weight", "tiers", "require", "forbid"});
    read_forbid(map, task.name, rules);
    read_inherited(map, inherited);
    TaskPolicy out{.correctness = read_points(map.at("correctness")),
                   .performance = 0,
                   .technique = 0,
                   .require = inherited.require,
                   .hidden_weight = inherited.hidden_weight,
                   .tiers = inherited.tiers,
                   .limits = {}};
    if (const auto* performance = map.find("performance")) {
        out.performance = read_points(*performance);
        if (out.performance > 0 && out.tiers.empty())
            performance->fail(
                "points for performance need tiers",
                "add `tiers: [{speedup: 4, credit: 1}]` here, to the assignment or to "
                "the defaults");
        if (out.performance > 0 && task.timed_case() == nullptr)
            performance->fail(
                fmt::format("{} has no timed case, so these points cannot be earned", task.name),
                "add a case with `needs: gpu, timed: true` to assignment.yaml, or remove the "
                "points");
    }
    if (const auto* technique = map.find("technique")) {
        const auto parts = technique->map({"points", "limits"});
        out.technique = read_points(parts.at("points"));
        out.limits = read_technique_limits(parts.at("limits"));
        if (std::ranges::none_of(task.cases, [](const CaseSpec& c) {
                return !c.needs_gpu && c.visibility == Visibility::open;
            }))
            technique->fail(fmt::format("{} has no public case to count on", task.name),
                            "add a public case that needs no GPU to assignment.yaml, or remove the "
                            "points");
    }
    if (out.points() == 0) value.fail("this task has no points", "give it some");
    return out;
}

template <class Specs, class Name>
std::vector<std::string> names(const Specs& specs, Name name) {
    std::vector<std::string> out;
    for (const auto& spec : specs) out.push_back(spec.*name);
    return out;
}

LatePolicy read_late(const Value& value) {
    const auto map = value.map({"per_day", "days", "grace"});
    LatePolicy out{.per_day = map.at("per_day").number(0, 1),
                   .days = static_cast<int>(map.at("days").integer(0, 1000))};
    if (const auto* grace = map.find("grace")) out.grace_s = grace->integer(0, 86400);
    return out;
}

Attempts read_attempts(const Value& value) {
    const std::string word = value.choice({"best", "last", "final"});
    return word == "best"   ? Attempts::best
           : word == "last" ? Attempts::last
                            : Attempts::last_in_time;
}

Hints read_hints(const Value& value) {
    const std::string word = value.choice({"verdict", "facts", "cause", "proof"});
    return word == "verdict" ? Hints::verdict
           : word == "facts" ? Hints::facts
           : word == "cause" ? Hints::cause
                             : Hints::proof;
}

/// What `defaults` and assignments state alike about hand-ins, their marks and their reports.
void read_common(const Map& map, AssignmentPolicy& out) {
    if (const auto* late = map.find("late")) out.late = read_late(*late);
    if (const auto* attempts = map.find("attempts")) out.attempts = read_attempts(*attempts);
    if (const auto* points = map.find("points")) out.points = read_points(*points);
    if (const auto* hints = map.find("hints")) out.hints = read_hints(*hints);
}

/// Points that do not add up are mostly a slip in one task, and every mark of the class has it.
void check_sum(const Map& map, const AssignmentPolicy& policy) {
    double sum = 0;
    for (const auto& [name, task] : policy.tasks) sum += task.points();
    if (!policy.points || std::abs(sum - *policy.points) < 0.005) return;
    const auto* own = map.find("points");
    (own != nullptr ? *own : map.at("tasks"))
        .fail(fmt::format("the tasks have {:.12g} points together, and `points` says {:.12g}",
                          std::round(sum * 100) / 100, *policy.points),
              "correct the points of a task, or `points`");
}

std::int64_t read_deadline(const Value& value) {
    const auto time = unix_time(value.text());
    if (!time)
        value.fail(fmt::format("`{}` is no time", value.text()),
                   "write it with its zone: 2026-11-30T23:59:00+01:00");
    return *time;
}

AssignmentPolicy read_assignment(const Value& value, const AssignmentSpec& spec,
                                 Inherited inherited, const AssignmentPolicy& defaults) {
    const auto map = value.map({"limits", "hidden_weight", "tiers", "require", "forbid", "tasks",
                                "deadline", "late", "attempts", "points", "hints"});
    AssignmentPolicy out = defaults;
    if (const auto* deadline = map.find("deadline")) out.deadline = read_deadline(*deadline);
    read_common(map, out);
    if (out.deadline && !out.late)
        map.at("deadline")
            .fail("a deadline needs a rule for what comes later",
                  "add `late: {per_day: 0.1, days: 3}` here or to the defaults");
    if (const auto* own = map.find("limits")) read_limits(*own, false, out.limits);
    read_inherited(map, inherited);
    read_forbid(map, "", out.forbidden);
    const auto tasks = map.at("tasks").map(names(spec.tasks, &TaskSpec::name));
    for (const auto& task : spec.tasks)
        if (const auto* entry = tasks.find(task.name))
            out.tasks[task.name] = read_task(*entry, task, inherited, out.forbidden);
    if (out.tasks.empty())
        tasks.value().fail(fmt::format("no task of `{}` has points", spec.id),
                           fmt::format("add `{}: {{correctness: 70, performance: 30}}` here, or "
                                       "remove the assignment from the policy",
                                       spec.tasks.front().name));
    check_sum(map, out);
    return out;
}

/// What to write for an assignment that the file does not mention.
std::string example(const AssignmentSpec& spec) {
    std::string tasks;
    for (const auto& task : spec.tasks)
        tasks += fmt::format("{}{}: {{correctness: 70, performance: 30}}",
                             tasks.empty() ? "" : ", ", task.name);
    return fmt::format(
        "add under `assignments`: `{}: {{tasks: {{{}}}}}`, with points to your taste", spec.id,
        tasks);
}

/// "reduction/sum". What is said of a broken assignment, which was left out, is not checked.
LeaderboardPolicy::Task read_ranked_task(const Value& value,
                                         const std::vector<AssignmentSpec>& specs,
                                         const std::vector<LeftOut>& left_out) {
    const std::string text = value.text();
    const std::size_t slash = std::min(text.find('/'), text.size());
    LeaderboardPolicy::Task out{.assignment = text.substr(0, slash),
                                .task = text.substr(std::min(slash + 1, text.size()))};
    if (std::ranges::find(left_out, out.assignment, &LeftOut::id) != left_out.end()) return out;
    const auto spec = std::ranges::find(specs, out.assignment, &AssignmentSpec::id);
    const bool is_there =
        spec != specs.end() &&
        std::ranges::find(spec->tasks, out.task, &TaskSpec::name) != spec->tasks.end();
    if (!is_there)
        value.fail(fmt::format("there is no task `{}`", text),
                   "write assignment and task: reduction/sum");
    if (std::ranges::find(spec->tasks, out.task, &TaskSpec::name)->timed_case() == nullptr)
        value.fail(fmt::format("{} has no timed case, so it has no speedups", text),
                   "remove it from the list");
    return out;
}

LeaderboardPolicy read_leaderboard(const Value& value, const fs::path& file,
                                   const std::vector<AssignmentSpec>& specs,
                                   const std::vector<LeftOut>& left_out) {
    const auto map = value.map({"names", "anonymous", "tasks"});
    LeaderboardPolicy out{.names = (file.parent_path() / map.at("names").text()).string()};
    if (const auto* anonymous = map.find("anonymous")) out.anonymous = anonymous->boolean();
    if (const auto* tasks = map.find("tasks"))
        for (const auto& item : tasks->list()) {
            out.tasks.push_back(read_ranked_task(item, specs, left_out));
            if (std::ranges::count(out.tasks, out.tasks.back()) > 1)
                item.fail("this task is in the list already", "remove it");
        }
    return out;
}

GradingPolicy read_policy(const fs::path& file, const std::vector<AssignmentSpec>& specs,
                          const std::vector<LeftOut>& left_out) {
    std::string bytes;
    const auto whole = read_yaml(file, &bytes);
    const auto map = whole.map({"schema_version", "defaults", "assignments", "leaderboard"});
    check_schema_version(map);
    GradingPolicy out{.assignments = {},
                      .modelled_on = {},
                      .sha256 = datasets::sha256(bytes),
                      .file = file.string()};

    const auto defaults = map.at("defaults")
                              .map({"hidden_weight", "limits", "tiers", "require", "modelled_on",
                                    "forbid", "late", "attempts", "points", "hints"});
    if (const auto* device = defaults.find("modelled_on")) out.modelled_on = device->identifier();
    Inherited inherited;
    (void)defaults.at("hidden_weight");
    read_inherited(defaults, inherited);
    AssignmentPolicy common;
    read_limits(defaults.at("limits"), true, common.limits);
    read_forbid(defaults, "", common.forbidden);
    read_common(defaults, common);

    auto known = names(specs, &AssignmentSpec::id);
    for (const LeftOut& one : left_out) known.push_back(one.id);
    const auto assignments = map.at("assignments").map(known);
    for (const auto& spec : specs)
        if (const auto* entry = assignments.find(spec.id))
            out.assignments[spec.id] = read_assignment(*entry, spec, inherited, common);
    if (assignments.entries().empty())
        assignments.value().fail("no assignment is graded", example(specs.front()));
    if (const auto* leaderboard = map.find("leaderboard"))
        out.leaderboard = read_leaderboard(*leaderboard, file, specs, left_out);
    return out;
}

}  // namespace

Result<GradingPolicy> load_policy(const fs::path& file, const std::vector<AssignmentSpec>& specs,
                                  const std::vector<LeftOut>& left_out) {
    return guarded([&] { return read_policy(file, specs, left_out); });
}

void leave_out_ungraded(const GradingPolicy& policy, std::vector<AssignmentSpec>& assignments,
                        std::vector<LeftOut>& left_out) {
    std::erase_if(assignments, [&](AssignmentSpec& spec) {
        const auto graded = policy.assignments.find(spec.id);
        if (graded == policy.assignments.end()) {
            left_out.push_back(
                {.id = spec.id,
                 .why = {.kind = ErrorKind::usage,
                         .message = fmt::format("the policy does not grade `{}`", spec.id),
                         .file = policy.file,
                         .remedy = example(spec)}});
            return true;
        }
        std::erase_if(spec.tasks, [&](const TaskSpec& task) {
            if (graded->second.tasks.contains(task.name)) return false;
            spec.ungraded_tasks.push_back(task.name);
            return true;
        });
        return false;
    });
}

}  // namespace cugrade::config
