// The cases of one task in one grading: each is made once, by the phase that asks first, and kept
// for those after it. The same case is run, checked, counted and timed.
//
// Data follow from seeds, so a case that is not kept is made again, which costs only time. The
// store keeps cases that another phase may ask for. All gradings of the process together keep at
// most a share of the machine's memory: one of the largest cases takes a gigabyte.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "judging/case.hpp"

namespace cugrade {

/// A case with what follows from its data. Each part is made when it is first asked for; by one
/// thread at a time.
class MadeCase {
public:
    MadeCase(const AssignmentSpec& assignment, CaseData data)
        : assignment_(&assignment), case_{.data = std::move(data), .expected = {}} {}

    [[nodiscard]] const CaseData& data() const { return case_.data; }
    /// The oracle's answer; errors as of expected_answer().
    [[nodiscard]] Result<const AnsweredCase*> answered();
    /// What outputs hold before a call: poison_for().
    [[nodiscard]] Result<const Outputs*> poison();
    /// SHA-256 of the arrays: hash_inputs().
    [[nodiscard]] const std::string& sha256();
    /// Makes all of it now.
    [[nodiscard]] Status complete();

private:
    const AssignmentSpec* assignment_;
    AnsweredCase case_;
    bool answered_ = false;
    std::optional<Outputs> poison_;
    std::string sha256_;
};

/// The bytes that all stores of a process may keep, and the bytes that they keep now.
class CaseMemory {
public:
    explicit CaseMemory(std::uint64_t most_bytes) : free_(static_cast<std::int64_t>(most_bytes)) {}
    [[nodiscard]] bool take(std::uint64_t bytes);
    void give_back(std::uint64_t bytes) { free_ += static_cast<std::int64_t>(bytes); }
    /// The process's own: an eighth of the machine's memory, and 1 GiB at most (chosen).
    [[nodiscard]] static CaseMemory& of_process();

private:
    std::atomic<std::int64_t> free_;
};

/// Not for several threads at once. The assignment, with its tasks and cases, and the options
/// outlive it.
class CaseStore {
public:
    CaseStore(const AssignmentSpec&, const TaskSpec&, const GradeOptions&,
              CaseMemory& = CaseMemory::of_process());
    ~CaseStore();
    CaseStore(const CaseStore&) = delete;
    CaseStore& operator=(const CaseStore&) = delete;

    [[nodiscard]] const AssignmentSpec& assignment() const { return assignment_; }
    [[nodiscard]] const TaskSpec& task() const { return task_; }
    [[nodiscard]] const GradeOptions& options() const { return options_; }
    /// Precondition: one of the task's cases, or of those that its speed is modelled on. Errors as
    /// of make_case().
    [[nodiscard]] Result<std::shared_ptr<MadeCase>> find(const CaseSpec&);
    /// Makes a case with all that follows from it, to be kept for when it is asked for. False, and
    /// nothing is made: there is no memory to keep it, or nobody asks for it again. What fails is
    /// the error of the phase that asks.
    [[nodiscard]] bool prepare(const CaseSpec&);
    /// Bytes of the arrays of a case that was made before, whether it is kept or not.
    [[nodiscard]] std::optional<std::size_t> bytes_of(const CaseSpec&) const;

private:
    struct Entry {
        std::shared_ptr<MadeCase> kept;  ///< none: it is made anew each time
        std::size_t bytes = 0;           ///< of its arrays
        std::uint64_t taken = 0;         ///< of the memory
    };
    [[nodiscard]] bool is_asked_again(const CaseSpec&) const;

    const AssignmentSpec& assignment_;
    const TaskSpec& task_;
    const GradeOptions& options_;
    CaseMemory& memory_;
    std::map<const CaseSpec*, Entry> entries_;
};

}  // namespace cugrade
