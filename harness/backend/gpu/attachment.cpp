#include "backend/gpu/attachment.hpp"

#include <fmt/format.h>

namespace cugrade {

Result<Attachment> attach(RunnerConnection& runner, std::span<const ExportedMemory* const> memories,
                          bool others_can) {
    std::vector<RunnerConnection::Exported> exported;
    for (const ExportedMemory* memory : memories)
        exported.push_back({.fd = memory->fd(), .bytes = memory->bytes()});
    auto answer = runner.attach(exported);
    if (!answer) return answer.error();
    Attachment out;
    if (!answer->replied) {
        out.outcome = answer->ended;
    } else if (answer->reply.status != protocol::CallStatus::ok && others_can) {
        out.outcome.verdict = Verdict::launch_error;
        out.outcome.message = "its process cannot map the arguments of its calls";
        out.outcome.said = fmt::format(": {}", answer->reply.text);
    } else if (answer->reply.status != protocol::CallStatus::ok) {
        return Error{.message = fmt::format("the runner cannot map the grader's memory: {}",
                                            answer->reply.text),
                     .remedy =
                         "this GPU or driver does not export device memory; grade with --backend "
                         "emulator"};
    } else if (answer->values.size() != memories.size()) {
        out.outcome.verdict = Verdict::tampering;
        out.outcome.message = "the runner did not map every buffer";
    } else {
        out.addresses = std::move(answer->values);
    }
    return out;
}

Status answers_after(const CallOutcome& outcome, const Home& home, const GpuInfo& gpu) {
    if (outcome.verdict != Verdict::time_limit && outcome.verdict != Verdict::harness_error)
        return Done{};
    return probe_gpu(home, gpu);
}

CallOutcome outcome_of(const RunnerConnection::Answer& answer) {
    if (!answer.replied) return answer.ended;
    CallOutcome outcome;
    outcome.wall_s = answer.wall_s;
    switch (answer.reply.status) {
        case protocol::CallStatus::ok: break;
        case protocol::CallStatus::cuda_error:
            outcome.verdict = answer.reply.cuda_error == cudaErrorIllegalAddress
                                  ? Verdict::out_of_bounds
                                  : Verdict::launch_error;
            outcome.message = "a CUDA call failed";
            outcome.said = fmt::format(": {}", answer.reply.text);
            break;
        case protocol::CallStatus::exception:
            outcome.verdict = Verdict::crash;
            outcome.message = "an exception left the function";
            outcome.said = fmt::format(": {}", answer.reply.text);
            break;
        case protocol::CallStatus::bad_request:
            outcome.verdict = Verdict::tampering;
            outcome.message =
                "the submission answered for the runner: no call of the grader's is misunderstood";
            break;
    }
    return outcome;
}

}  // namespace cugrade
