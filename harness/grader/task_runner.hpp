// Runs the cases of one task on one backend and judges each.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/outcome.hpp"
#include "grader/pipeline.hpp"
#include "grader/session.hpp"

namespace cugrade {

/// Opens a new session on the backend: for the first case, and after every failed call.
using OpenSession = std::function<Result<std::unique_ptr<Session>>()>;

struct TaskRun {
    const AssignmentSpec* assignment = nullptr;
    const TaskSpec* task = nullptr;
    const Limits* limits = nullptr;
    const GradeOptions* options = nullptr;
    bool on_gpu = false;
    bool defined = true;  ///< false: the submission is known not to have the task's function
    OpenSession open;
};

using Outputs = std::map<std::string, Array, std::less<>>;  ///< by argument

/// What a case takes of the CPU before a device is needed.
struct ReadyCase {
    AnsweredCase answered;
    Outputs poison;
    std::string data_sha256;
};
using ReadyCases = std::map<int, ReadyCase>;  ///< by id
/// All cases, those that need a GPU as well.
[[nodiscard]] Result<ReadyCases> ready_cases(const TaskRun&);

/// Every case gets an outcome. Cases that are not `ready` are made one after the other. An Error is
/// the harness's own or a configuration error.
[[nodiscard]] Result<TaskOutcome> run_task(const TaskRun&, ReadyCases ready = {});

/// Of all arrays of a case, what they take in device memory.
[[nodiscard]] std::size_t total_bytes(const CaseData&);
/// "n=1025 in=uniform": parameters and generators of a case.
[[nodiscard]] std::string describe(const TaskSpec&, const CaseSpec&);

/// SHA-256 of the arrays of a case.
[[nodiscard]] std::string hash_inputs(const CaseData&);

/// What outputs hold before a call: noise that no right answer looks like, and the same for each
/// run of a case, so that a kernel which adds to what it finds is wrong in the same way each time.
[[nodiscard]] Result<Outputs> poison_for(const TaskSpec&, const CaseData&);

/// Uploads a case into `session` and makes the request that calls the task's function on it. Output
/// buffers hold `poison`; those that it does not name, what nobody has written, for the checkers to
/// see. For timed calls and correctness alike.
struct Prepared {
    CallRequest request;
    std::map<std::string, BufferId, std::less<>> buffers;  ///< by argument
};
[[nodiscard]] Result<Prepared> prepare(Session&, const TaskSpec&, const CaseData&, const Limits&,
                                       const Outputs& poison);

/// Reads outputs back and compares; also finds inputs that changed. `outputs` receives what was
/// read.
struct Judgement {
    Verdict verdict = Verdict::accepted;
    std::string message;
    std::string hidden_message;  ///< the same without any data, for hidden cases
    std::string pattern;
    std::vector<Mismatch> mismatches;
    std::int64_t mismatch_count = 0;
    std::int64_t element_count = 0;
};
/// Compares `outputs`, which held `poison` or, if they are inout, what `data` says.
[[nodiscard]] Judgement judge_outputs(const TaskSpec&, const AssignmentSpec&, const CaseData& data,
                                      const std::vector<Expected>&, const Outputs& poison,
                                      const Outputs& outputs);
/// A scalar argument as a runner gets it.
[[nodiscard]] std::uint64_t scalar_bits(DType, double value);
[[nodiscard]] Result<Judgement> judge(Session&, const TaskSpec&, const AssignmentSpec&,
                                      const CaseData&, const std::vector<Expected>&,
                                      const Outputs& poison, const Prepared&, Outputs& outputs);

}  // namespace cugrade
