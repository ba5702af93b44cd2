// Runs the cases of one task on one backend and judges each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/grade_options.hpp"
#include "backend/session.hpp"
#include "core/outcome.hpp"
#include "judging/case.hpp"
#include "judging/case_store.hpp"

namespace cugrade {

struct TaskRun {
    const AssignmentSpec* assignment = nullptr;
    const TaskSpec* task = nullptr;
    const Limits* limits = nullptr;
    const GradeOptions* options = nullptr;
    const Backend* backend = nullptr;
    CaseStore* cases = nullptr;  ///< of this task
    SessionOptions session;  ///< of each session: one for the first case and after a failed call
    bool defined = true;     ///< false: the submission is known not to have the task's function
};

/// Cases, by id, for which all work of the CPU before a run is done.
using ReadyCases = std::map<int, std::shared_ptr<MadeCase>>;
/// Prepares all cases, including those that need a GPU.
[[nodiscard]] Result<ReadyCases> ready_cases(const TaskRun&);

/// Every case gets an outcome. Cases that are not `ready` are made one after the other. An Error is
/// the harness's own or a configuration error.
[[nodiscard]] Result<TaskOutcome> run_task(const TaskRun&, ReadyCases ready = {});

/// Bytes of device memory for all arrays of a case.
[[nodiscard]] std::size_t total_bytes(const CaseData&);
/// "n=1025 in=uniform": parameters and generators of a case.
[[nodiscard]] std::string describe(const TaskSpec&, const CaseSpec&);

/// SHA-256 of the arrays of a case.
[[nodiscard]] std::string hash_inputs(const CaseData&);

/// The contents of outputs before a call: noise unlike any right answer. It is the same for each
/// run of a case, so a kernel that adds to its output is wrong in the same way each time.
[[nodiscard]] Result<Outputs> poison_for(const TaskSpec&, const CaseData&);

/// Uploads a case into `session` and makes the request that calls the task's function on it. Output
/// buffers hold `poison`; outputs without poison stay unwritten, so that the checkers see reads of
/// them. Used for timed calls and for correctness.
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
    std::string suggested;  ///< the id of the cause that the pattern suggests
    std::vector<Mismatch> mismatches;
    std::int64_t mismatch_count = 0;
    std::int64_t element_count = 0;
};
/// What is wanted: what wrong elements have in common costs more to find than they cost to find.
enum class Judging { verdict_alone, with_pattern };
/// Compares `outputs`, which held `poison` or, if they are inout, what `data` says. An Error is the
/// oracle's.
[[nodiscard]] Result<Judgement> judge_outputs(const AssignmentSpec&, const CaseData& data,
                                              const std::vector<Expected>&, const Outputs& poison,
                                              const Outputs& outputs,
                                              Judging = Judging::with_pattern);
/// A scalar argument as a runner gets it.
[[nodiscard]] std::uint64_t scalar_bits(DType, double value);
[[nodiscard]] Result<Judgement> judge(Session&, const TaskSpec&, const AssignmentSpec&,
                                      const CaseData&, const std::vector<Expected>&,
                                      const Outputs& poison, const Prepared&, Outputs& outputs,
                                      Judging = Judging::with_pattern);

}  // namespace cugrade
