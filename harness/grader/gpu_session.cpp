// A session on a real GPU.
//
// The grader allocates every buffer from a memory pool that is exported as a POSIX file descriptor;
// the runner imports the pool and the pointers, so both processes see the same memory and the
// grader reads results that the submission cannot touch up on the host. A GPU does not check bounds
// within a pool, so each buffer lies between two guard bands, which are compared after each call.
// Which GPU, the options say; it is the only one that the runner sees. Calls take turns with those
// of all other grading processes on the GPU; data is made and compared meanwhile.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include "grader/gpu_turn.hpp"
#include "grader/runner_connection.hpp"
#include "grader/session.hpp"

namespace cugrade {
namespace {

constexpr std::size_t guard_bytes = 4096;
constexpr int guard_value = 0xA5;
/// Longer than any sane limit of a call times those who may stand before us in a queue.
constexpr double turn_patience_s = 1800;

Error cuda_failure(const char* what, cudaError_t error) {
    return Error{.message = fmt::format("{}: {} ({})", what, cudaGetErrorName(error),
                                        cudaGetErrorString(error)),
                 .remedy = "check the GPU with nvidia-smi, or grade with --backend emulator"};
}

#define CUGRADE_TRY(call)                                                      \
    do {                                                                       \
        const cudaError_t try_error_ = (call);                                 \
        if (try_error_ != cudaSuccess) return cuda_failure(#call, try_error_); \
    } while (false)

class GpuSession final : public Session {
public:
    explicit GpuSession(const SessionOptions& options)
        : limits_(options.limits), home_(options.home), gpu_(options.device) {}

    ~GpuSession() override {
        runner_.reset();    // the importer goes before the exporter
        if (lost_) return;  // what is asked of it would not return
        for (const auto& buffer : buffers_) cudaFreeAsync(buffer.base, nullptr);
        cudaDeviceSynchronize();
        if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
    }

    Status open(const SessionOptions& options) {
        // The current device is the thread's: a session is used and destroyed by the thread that
        // opened it, which has no other session on another GPU meanwhile.
        CUGRADE_TRY(cudaSetDevice(gpu_.index));
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
        properties.location = {.type = cudaMemLocationTypeDevice, .id = gpu_.index};
        CUGRADE_TRY(cudaMemPoolCreate(&pool_, &properties));
        int fd = -1;
        CUGRADE_TRY(cudaMemPoolExportToShareableHandle(&fd, pool_,
                                                       cudaMemHandleTypePosixFileDescriptor, 0));
        // A runner that waits for the GPU spins, so its CPU time says nothing; the wall clock of
        // each call ends a host loop too.
        SessionOptions without_cpu_limit = options;
        without_cpu_limit.limits.cpu_s = 0;
        auto runner =
            RunnerConnection::start(without_cpu_limit, {{protocol::pool_fd_variable, fd}});
        close(fd);
        if (!runner) return runner.error();
        runner_ = std::move(*runner);
        return Done{};
    }

    Result<bool> has_function(const TaskSpec& task) override { return runner_->has_function(task); }

    Result<BufferId> allocate(const std::string& name, std::size_t bytes) override {
        Buffer buffer{.name = name, .bytes = bytes};
        CUGRADE_TRY(cudaMallocFromPoolAsync(&buffer.base, bytes + 2 * guard_bytes, pool_, nullptr));
        buffers_.push_back(buffer);
        attached_ = false;
        CUGRADE_TRY(cudaMemsetAsync(buffer.base, guard_value, guard_bytes, nullptr));
        CUGRADE_TRY(cudaMemsetAsync(buffer.payload() + bytes, guard_value, guard_bytes, nullptr));
        CUGRADE_TRY(cudaStreamSynchronize(nullptr));
        return buffers_.size() - 1;
    }
    Status write(BufferId id, std::span<const std::byte> from) override {
        CUGRADE_TRY(
            cudaMemcpy(buffers_[id].payload(), from.data(), from.size(), cudaMemcpyHostToDevice));
        // A copy from pageable memory returns once it is staged; without this the last of it could
        // land after the runner's kernel has written its result.
        CUGRADE_TRY(cudaStreamSynchronize(nullptr));
        return Done{};
    }
    Status read(BufferId id, std::span<std::byte> to) override {
        CUGRADE_TRY(
            cudaMemcpy(to.data(), buffers_[id].payload(), to.size(), cudaMemcpyDeviceToHost));
        return Done{};
    }
    Status clear() override {
        if (attached_ && !buffers_.empty()) {
            if (auto detached = runner_->attach({}, limits_.wall_s); !detached)
                return detached.error();
        }
        for (const auto& buffer : buffers_) CUGRADE_TRY(cudaFreeAsync(buffer.base, nullptr));
        buffers_.clear();
        attached_ = false;
        CUGRADE_TRY(cudaStreamSynchronize(nullptr));
        return Done{};
    }

    Result<CallOutcome> call(const CallRequest& request) override {
        if (!attached_) {
            auto failure = attach();
            if (!failure) return failure.error();
            if (failure->verdict != Verdict::accepted) return *failure;
        }
        std::vector<std::uint64_t> values;
        for (const auto& set : request.sets)
            for (const auto& argument : set)
                values.push_back(argument.buffer ? buffers_[*argument.buffer].runner_address
                                                 : argument.scalar);
        auto answer = [&]() -> decltype(runner_->call(request, values)) {
            auto turn = GpuTurn::wait(gpu_.id, turn_patience_s);
            if (!turn) return turn.error();
            return runner_->call(request, values);
        }();
        if (!answer) return answer.error();
        if (!answer->replied) return ended(answer->ended);
        CallOutcome outcome;
        outcome.wall_s = answer->wall_s;
        switch (answer->reply.status) {
            case protocol::CallStatus::ok: break;
            case protocol::CallStatus::cuda_error:
                outcome.verdict = answer->reply.cuda_error == cudaErrorIllegalAddress
                                      ? Verdict::out_of_bounds
                                      : Verdict::launch_error;
                outcome.message = "a CUDA call failed";
                outcome.said = fmt::format(": {}", answer->reply.text);
                break;
            case protocol::CallStatus::exception:
                outcome.verdict = Verdict::crash;
                outcome.message = "an exception left the function";
                outcome.said = fmt::format(": {}", answer->reply.text);
                break;
            case protocol::CallStatus::bad_request:
                outcome.verdict = Verdict::tampering;
                outcome.message =
                    "the submission answered for the runner: no call of the grader's is "
                    "misunderstood";
                break;
        }
        if (outcome.verdict != Verdict::accepted) return outcome;
        if (request.timed) {
            if (answer->values.size() != request.repeats) {
                outcome.verdict = Verdict::tampering;
                outcome.message = "the runner did not report one time per call";
                return outcome;
            }
            for (const std::uint64_t bits : answer->values) {
                double microseconds = 0;
                std::memcpy(&microseconds, &bits, sizeof bits);
                outcome.event_us.push_back(microseconds);
            }
        }
        return check_guards(std::move(outcome));
    }

private:
    struct Buffer {
        std::string name;
        std::size_t bytes = 0;
        void* base = nullptr;
        std::uint64_t runner_address = 0;  ///< of the payload
        [[nodiscard]] std::byte* payload() const {
            return static_cast<std::byte*>(base) + guard_bytes;
        }
    };

    /// The runner is gone. Where the wall clock ended it, or nothing can, the GPU may be what hung:
    /// nothing else is asked of it before it has answered a process that may hang with it.
    Result<CallOutcome> ended(const CallOutcome& outcome) {
        if (outcome.verdict != Verdict::time_limit && outcome.verdict != Verdict::harness_error)
            return outcome;
        if (const Status answers = probe_gpu(*home_, gpu_); !answers) {
            lost_ = true;
            return answers.error();
        }
        return outcome;
    }

    /// The outcome is `accepted` when the runner has imported all buffers.
    Result<CallOutcome> attach() {
        std::vector<protocol::Attach::Buffer> exported;
        for (const auto& buffer : buffers_) {
            cudaMemPoolPtrExportData data;
            CUGRADE_TRY(cudaMemPoolExportPointer(&data, buffer.base));
            protocol::Attach::Buffer wire;
            static_assert(sizeof data == sizeof wire);
            std::memcpy(&wire, &data, sizeof data);
            exported.push_back(wire);
        }
        auto answer = runner_->attach(exported, limits_.wall_s);
        if (!answer) return answer.error();
        if (!answer->replied) return ended(answer->ended);
        if (answer->reply.status != protocol::CallStatus::ok)
            return Error{.message = fmt::format("the runner cannot import the grader's memory: {}",
                                                answer->reply.text),
                         .remedy =
                             "this GPU or driver does not export device memory; grade with "
                             "--backend emulator"};
        if (answer->values.size() != buffers_.size())
            return CallOutcome{.verdict = Verdict::tampering,
                               .message = "the runner did not import every buffer",
                               .location = {},
                               .event_us = {}};
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            buffers_[i].runner_address = answer->values[i] + guard_bytes;
        attached_ = true;
        return CallOutcome{};
    }

    Result<CallOutcome> check_guards(CallOutcome outcome) {
        std::array<unsigned char, guard_bytes> band;
        for (const auto& buffer : buffers_) {
            for (const bool after : {false, true}) {
                const std::byte* at =
                    after ? buffer.payload() + buffer.bytes : static_cast<std::byte*>(buffer.base);
                CUGRADE_TRY(cudaMemcpy(band.data(), at, band.size(), cudaMemcpyDeviceToHost));
                for (std::size_t i = 0; i < band.size(); ++i) {
                    if (band[i] == guard_value) continue;
                    outcome.verdict = Verdict::out_of_bounds;
                    outcome.message = fmt::format("a kernel wrote {} bytes {} `{}` ({} bytes)",
                                                  after ? i : guard_bytes - i,
                                                  after ? "past the end of" : "before the start of",
                                                  buffer.name, buffer.bytes);
                    return outcome;
                }
            }
        }
        return outcome;
    }

    Limits limits_;
    const Home* home_;
    GpuInfo gpu_;
    bool lost_ = false;  ///< the GPU does not answer any more
    cudaMemPool_t pool_ = nullptr;
    std::unique_ptr<RunnerConnection> runner_;
    std::vector<Buffer> buffers_;
    bool attached_ = false;
};

}  // namespace

Result<std::unique_ptr<Session>> open_gpu_session(const SessionOptions& options) {
    auto session = std::make_unique<GpuSession>(options);
    if (auto status = session->open(options); !status) return status.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace cugrade
