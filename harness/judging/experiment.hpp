// Experiments: the failing cases of a task again, on the emulated GPU, with one thing different.
//
// Theory of operation. The emulated GPU can change how a program executes without a change of its
// source (emulator/interventions). A change *mends* a task if every failing case that the emulated GPU runs
// is right with it, under its schedules and under the checkers, and those that were right still
// are. That proves what no reading of wrong elements can: what was missing.
//
// Most changes mend nothing, so the smallest failing case is tried first, and the first wrong
// result ends an experiment. What all experiments of a task may cost is counted in instructions and
// starts of processes, not in seconds: the same submission gets the same causes on every machine.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/session.hpp"
#include "core/error.hpp"
#include "core/outcome.hpp"
#include "judging/task_runner.hpp"

namespace cugrade {

/// What is different. Empty: nothing.
struct Change {
    std::vector<emulator::Intervention> interventions;
    bool zeroed_outputs = false;  ///< outputs begin as zeros, not as garbage
    bool apart = false;           ///< each call is the first of its process
    /// The edit of the source would change nothing in the cases that were right: to round a number of
    /// blocks up adds none where it was whole. They are not run.
    bool spares_right = false;
};

class Experiments {
public:
    /// `options`: of sessions on the emulated GPU. All must outlive this.
    Experiments(const TaskRun&, const SessionOptions& options, const TaskOutcome&);
    ~Experiments();

    /// Whether there is a case to experiment with: one that fails on the emulated GPU again.
    [[nodiscard]] Result<bool> can_begin();
    /// What can be changed, as the smallest failing case shows.
    [[nodiscard]] const std::vector<emulator::Intervention>& possible() const;
    /// What the checkers saw in the smallest failing case, if cases came to no end: who waits for
    /// which lock.
    [[nodiscard]] const std::vector<emulator::Finding>& seen() const;
    /// Whether the change mends the task. False as well when the budget is spent.
    [[nodiscard]] Result<bool> mends(const Change&);
    [[nodiscard]] bool is_over() const;
    /// Of the last change that mended: how many failing cases were right with it, and how many of
    /// the others were run and still were.
    [[nodiscard]] int mended() const;
    [[nodiscard]] int kept() const;

private:
    class Bench;
    std::unique_ptr<Bench> bench_;
};

}  // namespace cugrade
