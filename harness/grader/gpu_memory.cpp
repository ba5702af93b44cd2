#include "grader/gpu_memory.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

namespace cugrade {

Error cuda_failure(const char* what, cudaError_t error) {
    return Error{.message = fmt::format("{}: {} ({})", what, cudaGetErrorName(error),
                                        cudaGetErrorString(error)),
                 .remedy = "check the GPU with nvidia-smi, or grade with --backend emulator"};
}

Result<DeviceMemory> DeviceMemory::of(std::size_t bytes) {
    DeviceMemory out;
    CUGRADE_TRY(cudaMalloc(&out.at_, std::max<std::size_t>(bytes, 1)));
    return out;
}
DeviceMemory::~DeviceMemory() {
    if (at_ != nullptr) cudaFree(at_);
}

EventPair::~EventPair() {
    if (from_ != nullptr) cudaEventDestroy(from_);
    if (to_ != nullptr) cudaEventDestroy(to_);
}
Status EventPair::begin() {
    if (from_ == nullptr) CUGRADE_TRY(cudaEventCreate(&from_));
    if (to_ == nullptr) CUGRADE_TRY(cudaEventCreate(&to_));
    CUGRADE_TRY(cudaEventRecord(from_));
    return Done{};
}
Result<double> EventPair::end_us() {
    CUGRADE_TRY(cudaEventRecord(to_));
    CUGRADE_TRY(cudaEventSynchronize(to_));
    float ms = 0;
    CUGRADE_TRY(cudaEventElapsedTime(&ms, from_, to_));
    return 1e3 * static_cast<double>(ms);
}

Result<ExportedMemory> ExportedMemory::of(std::size_t bytes, int device) {
    ExportedMemory self;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = protocol::on_device(device);
    std::size_t granularity = 0;
    CUGRADE_TRY(CUGRADE_DRIVER(cuMemGetAllocationGranularity, &granularity, &properties,
                               CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    protocol::MappedMemory memory{.bytes = (std::max<std::size_t>(bytes, 1) + granularity - 1) /
                                           granularity * granularity};
    CUGRADE_TRY(CUGRADE_DRIVER(cuMemCreate, &memory.handle, memory.bytes, &properties,
                               static_cast<unsigned long long>(0)));
    CUGRADE_TRY(protocol::map_memory(memory, device));
    self.memory_ = memory;
    CUGRADE_TRY(CUGRADE_DRIVER(cuMemExportToShareableHandle, static_cast<void*>(&self.fd_),
                               memory.handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                               static_cast<unsigned long long>(0)));
    return self;
}

ExportedMemory::~ExportedMemory() {
    if (memory_.handle != 0) {
        cudaDeviceSynchronize();
        protocol::unmap_memory(memory_);
    }
    if (fd_ >= 0) close(fd_);
}

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
