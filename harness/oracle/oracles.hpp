// The grader's side of the process in which the course's oracles run.
//
// Oracles are trusted, but they are other people's code and see data that a student may have
// influenced: one that crashes, throws, hangs or takes all memory gives an Error with what
// happened, of the kind `configuration`, and the grader goes on. A process is kept for as many
// requests as it survives; there are as many as threads that ask at once.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/case_data.hpp"
#include "core/error.hpp"

namespace cugrade::oracle {

struct Limits {
    /// Time limit of one answer: a constant and an amount per MiB of the case. Chosen: some hundred
    /// times what the oracles of the course take on one slow core.
    double wall_s = 60, wall_s_per_mib = 0.5;
    /// Memory besides the process itself. Chosen: twice and more what the checks of free orders
    /// take.
    std::uint64_t memory_bytes = std::uint64_t{4} << 30, memory_per_byte = 32;
};

class Oracles {
public:
    /// `program`: libexec/cugrade/oracles.
    explicit Oracles(std::filesystem::path program, Limits limits = {});
    ~Oracles();
    Oracles(const Oracles&) = delete;
    /// Those of this installation.
    [[nodiscard]] static Result<Oracles*> here();

    /// Whether the task's oracle also judges outputs that have many right values; nothing: there is
    /// no oracle.
    [[nodiscard]] Result<std::optional<bool>> verifies(std::string_view assignment,
                                                       std::string_view task);
    /// The right answer: outputs of the case, of their type and shape, with bounds that make sense.
    /// The message of an Error goes on from "the oracle of x/y".
    [[nodiscard]] Result<std::vector<Expected>> expected(std::string_view assignment,
                                                         const CaseData&);
    /// What is wrong with the outputs, if something is. Precondition: the oracle verifies.
    [[nodiscard]] Result<std::optional<std::string>> verify(
        std::string_view assignment, const CaseData&,
        const std::map<std::string, Array, std::less<>>& outputs);

private:
    class Worker;
    using WorkerPtr = std::unique_ptr<Worker>;
    Result<WorkerPtr> idle_or_new();

    std::filesystem::path program_;
    Limits limits_;
    std::mutex mutex_;  ///< of what follows
    std::vector<WorkerPtr> idle_;
};

}  // namespace cugrade::oracle
