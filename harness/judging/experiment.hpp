// Experiments: the failing cases of a task again, on the emulated GPU, with one thing different.
//
// Theory of operation. The emulated GPU can change how a program executes without a change of its
// source (emulator/interventions). A change *mends* a task if every failing case that the emulated
// GPU runs is right with it, under its schedules and under the checkers, and those that were right
// still are. That proves what no reading of wrong elements can: what was missing.
//
// Most changes mend nothing, so the smallest failing case is tried first, and the first wrong
// result ends an experiment. What all experiments of a task may cost is counted in instructions and
// starts of processes, not in seconds: the same submission gets the same causes on every machine.
// To start a process takes longer than a small case does. Where the smallest failing case does the
// same in a process that has done other work before (its device variables are set back), changes
// are tried there, one after the other, and only what mends it is tried in processes of its own.
// A change that mends the smallest cases may cost as much again. If that is spent before all cases
// are tried, those that were tried count, and the report says how many they are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/session.hpp"
#include "core/error.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// An input whose elements the function gets in another order.
struct Reordered {
    std::string argument;     ///< empty: none
    bool transposed = false;  ///< columns for rows; else the last element first
    bool operator==(const Reordered&) const = default;
};

/// What is different. Empty: nothing.
struct Change {
    std::vector<emulator::Intervention> interventions;
    bool zeroed_outputs = false;  ///< outputs begin as zeros, not as garbage
    bool apart = false;           ///< each call is the first of its process
    bool behind_others = false;   ///< each call comes behind one like it and one of another case
    /// The edit of the source would change nothing in the cases that were right: to round a number
    /// of blocks up adds none where it was whole. They are not run.
    bool spares_right = false;
    Reordered reordered;
};

class Experiments {
public:
    /// Of a task, in warp instructions; each process and each change costs some, too. Chosen: about
    /// 1 s of one core.
    static constexpr std::uint64_t as_graded = 50'000'000;
    /// Of the same program as it is written, if the other has left that much: to compile it takes
    /// most of a second.
    static constexpr std::uint64_t as_written = 15'000'000, least_as_written = 5'000'000;
    static constexpr std::uint64_t of_both = as_graded + least_as_written;

    /// `options`: of sessions on the emulated GPU. `budget`: what may be spent on it. All must
    /// outlive this.
    Experiments(const TaskRun&, const SessionOptions& options, const TaskOutcome&,
                std::uint64_t budget);
    ~Experiments();

    /// Whether there is a case to experiment with: one that fails on the emulated GPU again.
    [[nodiscard]] Result<bool> can_begin();
    /// What the checkers see in the smallest failing case, if they have not watched it yet: one
    /// that crashed or hung. Where can_begin() has found none, the smallest of the large cases that
    /// hung. Else nothing.
    [[nodiscard]] Result<std::vector<CheckerFinding>> watch();
    /// The same of watch() as the emulated GPU tells it: who waits for which lock.
    [[nodiscard]] const std::vector<emulator::Finding>& seen() const;
    /// The id of that case.
    [[nodiscard]] int smallest() const;
    /// After can_begin(): how many failing cases are right if each is the first call of its
    /// process, where none of those that were tried fails so, and all were the emulated GPU's; else
    /// 0.
    [[nodiscard]] int right_alone() const;
    /// Whether some of these are wrong again behind other calls. Then changes can be tried on them
    /// there, although can_begin() is false.
    [[nodiscard]] bool fails_later() const;
    /// What can be changed, as the smallest failing case shows.
    [[nodiscard]] const std::vector<emulator::Intervention>& possible() const;
    /// Whether the change mends the task. False as well when the budget is spent before some
    /// failing cases are right.
    [[nodiscard]] Result<bool> mends(const Change&);
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] std::uint64_t spent() const;  ///< of the budget, or more
    /// Whether a probe ends a launch in each of the first failing cases, and in none of those that
    /// were right: what it asks for tells them apart. There has to be one of each.
    [[nodiscard]] Result<bool> tells_apart(const Change& probe);
    /// Of the last change that mended, or that told them apart: how many failing cases were right
    /// with it, or ended, and how many of the others were run and still right.
    [[nodiscard]] int mended() const;
    [[nodiscard]] int kept() const;
    /// How many failing cases there are that can be tried.
    [[nodiscard]] int failing() const;

private:
    class Bench;
    std::unique_ptr<Bench> bench_;
};

}  // namespace cugrade
