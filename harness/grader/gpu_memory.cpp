#include "grader/gpu_memory.hpp"

#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace cugrade {

Error cuda_failure(const char* what, cudaError_t error) {
    return Error{.message = fmt::format("{}: {} ({})", what, cudaGetErrorName(error),
                                        cudaGetErrorString(error)),
                 .remedy = "check the GPU with nvidia-smi, or grade with --backend emulator"};
}

Result<std::unique_ptr<ExportedPool>> ExportedPool::create(int device) {
    std::unique_ptr<ExportedPool> self(new ExportedPool);
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
    CUGRADE_TRY(cudaMemPoolCreate(&self->pool_, &properties));
    CUGRADE_TRY(cudaMemPoolExportToShareableHandle(&self->fd_, self->pool_,
                                                   cudaMemHandleTypePosixFileDescriptor, 0));
    return self;
}

ExportedPool::~ExportedPool() {
    for (void* allocation : allocations_) cudaFreeAsync(allocation, nullptr);
    cudaDeviceSynchronize();
    if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
    if (fd_ >= 0) close(fd_);
}

Result<void*> ExportedPool::allocate(std::size_t bytes) {
    void* out = nullptr;
    CUGRADE_TRY(cudaMallocFromPoolAsync(&out, bytes, pool_, nullptr));
    allocations_.push_back(out);
    CUGRADE_TRY(cudaStreamSynchronize(nullptr));
    return out;
}

Status ExportedPool::clear() {
    for (void* allocation : allocations_) CUGRADE_TRY(cudaFreeAsync(allocation, nullptr));
    allocations_.clear();
    CUGRADE_TRY(cudaStreamSynchronize(nullptr));
    return Done{};
}

Result<Attachment> attach(RunnerConnection& runner, std::span<const ExportedBuffer> buffers,
                          double wall_s) {
    std::vector<protocol::Attach::Buffer> exported;
    for (const auto& buffer : buffers) {
        cudaMemPoolPtrExportData data;
        CUGRADE_TRY(cudaMemPoolExportPointer(&data, buffer.address));
        protocol::Attach::Buffer wire;
        static_assert(sizeof data == sizeof wire.export_data);
        std::memcpy(wire.export_data, &data, sizeof data);
        wire.pool = buffer.pool;
        exported.push_back(wire);
    }
    auto answer = runner.attach(exported, wall_s);
    if (!answer) return answer.error();
    Attachment out;
    if (!answer->replied) {
        out.outcome = answer->ended;
    } else if (answer->reply.status != protocol::CallStatus::ok) {
        return Error{.message = fmt::format("the runner cannot import the grader's memory: {}",
                                            answer->reply.text),
                     .remedy =
                         "this GPU or driver does not export device memory; grade with --backend "
                         "emulator"};
    } else if (answer->values.size() != buffers.size()) {
        out.outcome.verdict = Verdict::tampering;
        out.outcome.message = "the runner did not import every buffer";
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
