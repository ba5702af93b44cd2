// The policy of grading.yaml: points, tiers, limits. Defaults are in the file itself, not here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cugrade {

/// At `speedup` or more over the baseline, this share of the performance points.
struct Tier {
    double speedup = 1;
    double credit = 0;  ///< 0 to 1
};

/// What a counter of core/technique.hpp may be at most.
struct TechniqueLimit {
    std::string metric;
    double max = 0;
};

/// Which cases have to be right for technique and speed to count.
enum class Require {
    passed,  ///< technique and speed count in proportion to the cases accepted
    all,     ///< one wrong case loses technique and speed
};

/// What a submission must not use: headers and functions, as the compiler sees them.
struct SourceRule {
    /// Of files that the submission's own files have read, directly or not: "cub/*".
    std::vector<std::string> includes;
    /// "cub::*", "cooperative_groups::reduce", "atomicAdd(double*, double)".
    std::vector<std::string> calls;
    std::string message;  ///< told to the student; may be empty
    std::string task;     ///< whose points it is about; empty: the assignment's
};

struct TaskPolicy {
    double correctness = 0;  ///< points for right results: times the share of cases accepted
    double performance = 0;  ///< points for speed
    double technique = 0;    ///< points for limits that are kept
    Require require = Require::passed;   ///< for both of these
    double hidden_weight = 1;            ///< weight of a hidden case against a public one
    std::vector<Tier> tiers;             ///< ascending in speedup and in credit
    std::vector<TechniqueLimit> limits;  ///< each is worth the same share of `technique`
    [[nodiscard]] double points() const { return correctness + performance + technique; }
};

/// Limits on the processes of one submission.
struct Limits {
    double compile_wall_s = 0;
    double wall_s = 0;  ///< of one call of the student's function
    double cpu_s = 0;
    /// Of the wall time of all of a submission's calls together: cases, schedules, checks, counts,
    /// timed rounds. 0: no budget.
    double total_s = 0;
    std::uint64_t memory_bytes = 0;  ///< resident, over the whole process tree
    int processes = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t output_bytes = 0;         ///< stdout and stderr together
    std::uint64_t warp_instructions = 0;    ///< of one launch on the emulated GPU
    std::uint64_t device_memory_bytes = 0;  ///< on the emulated GPU
};

/// What a hand-in after the deadline costs.
struct LatePolicy {
    double per_day = 0;        ///< share of the points, for each day that has begun
    int days = 0;              ///< a hand-in that is later earns nothing
    std::int64_t grace_s = 0;  ///< seconds after the deadline that cost nothing
};

/// Which of a student's hand-ins counts: record/attempts.hpp has the rules.
enum class Attempts {
    best,          ///< that with the highest mark
    last,          ///< the newest that was graded
    last_in_time,  ///< the same, but none that earns nothing by its lateness
};

/// Until when hand-ins cost nothing, and which of them counts.
struct HandInPolicy {
    std::optional<std::int64_t> deadline;  ///< seconds since 1970
    std::optional<LatePolicy> late;        ///< given if there is a deadline
    Attempts attempts = Attempts::last;
};

/// How much the report of a student tells of what is wrong. Each has what those before it have.
enum class Hints {
    verdict,  ///< verdicts and points
    facts,    ///< messages, wrong values, findings
    cause,    ///< causes
    proof,    ///< how sure a cause is, and why
};

struct AssignmentPolicy : HandInPolicy {
    std::map<std::string, TaskPolicy> tasks;
    std::optional<double> points;  ///< what those of its tasks have to add up to
    Limits limits;
    Hints hints = Hints::proof;
    std::vector<SourceRule> forbidden;  ///< of all files, and of single tasks
};

/// Whose speedups students may see.
struct LeaderboardPolicy {
    std::string names;       ///< a table of students and the names that they have chosen
    bool anonymous = false;  ///< students without such a name are shown, too, without any
    struct Task {
        std::string assignment, task;
        bool operator==(const Task&) const = default;
    };
    std::vector<Task> tasks = {};  ///< empty: all that are timed
};

struct GradingPolicy {
    std::map<std::string, AssignmentPolicy> assignments;
    std::optional<LeaderboardPolicy> leaderboard = {};  ///< nothing: there is none
    /// The device profile that speed is modelled on where there is no GPU; empty: it is not judged.
    std::string modelled_on;
    std::string sha256;  ///< of the file, for reports
    std::string file;
};

}  // namespace cugrade
