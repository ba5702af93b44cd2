// A session on a real GPU.
//
// The grader allocates every buffer by itself and exports it as a POSIX file descriptor; the runner
// maps it, so both processes see the same memory and the grader reads results that the submission
// cannot touch up on the host. A GPU checks bounds by pages only, so each buffer lies between two
// guard bands, which are compared after each call.
// The buffers of small cases are kept for the next one: to make a buffer takes many requests of the
// driver, for which all processes on all GPUs of a machine may have to queue. The runner maps those
// of the case and no others.
// Which GPU, the options say; it is the only one that the runner sees.
// All that touches the GPU shares it with other grading processes, but never with a timing.
#include "backend/gpu/gpu_session.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/gpu/attachment.hpp"
#include "backend/runner_connection.hpp"
#include "gpu/gpu_memory.hpp"
#include "gpu/gpu_turn.hpp"

namespace cugrade {
namespace {

constexpr std::size_t guard_bytes = 4096;
constexpr int guard_value = 0xA5;
/// If all take more, they are not kept.
constexpr std::size_t most_kept_bytes = 64 << 20;
/// The granularity of mappings.
constexpr std::size_t page_bytes = 2 << 20;

class GpuSession final : public Session {
public:
    explicit GpuSession(const SessionOptions& options)
        : home_(options.home), gpu_(options.device) {}

    ~GpuSession() override {
        const auto turn = share();
        runner_.reset();  // the importer goes before the exporter
        for (Buffer& buffer : buffers_)
            if (lost_) buffer.memory.abandon();  // calls to the GPU would not return
        buffers_.clear();
    }

    Status open(const SessionOptions& options) {
        const auto turn = share();
        if (!turn) return turn.error();
        auto runner = RunnerConnection::start(options, {});
        if (!runner) return runner.error();
        runner_ = std::move(*runner);
        runner_->charge(options.budget);
        // The current device is the thread's: a session is used and destroyed by the thread that
        // opened it, which has no other session on another GPU meanwhile. A first context takes
        // long to make; the runner makes its own meanwhile.
        if (auto status = CUGRADE_CUDA(cudaSetDevice(gpu_.index)); !status) return status.error();
        return Done{};
    }

    Result<bool> has_function(const TaskSpec& task) override {
        const auto turn = share();  // the runner makes its context before it says what it has
        if (!turn) return turn.error();
        return runner_->has_function(task);
    }

    Result<BufferId> allocate(const std::string& name, std::size_t bytes) override {
        const auto turn = share();
        if (!turn) return turn.error();
        const std::size_t guarded = bytes + 2 * guard_bytes;
        auto buffer = std::ranges::find_if(buffers_, [&](const Buffer& kept) {
            return !kept.used && kept.is_as_made_for(guarded);
        });
        if (buffer == buffers_.end()) {
            auto memory = ExportedMemory::of(guarded, gpu_.index);
            if (!memory) return memory.error();
            buffer = buffers_.insert(buffers_.end(), Buffer{.memory = std::move(*memory)});
        }
        attached_ = false;
        buffer->name = name;
        buffer->bytes = bytes;
        buffer->used = true;
        if (auto status = CUGRADE_CUDA(
                cudaMemsetAsync(buffer->memory.get(), 0, buffer->memory.bytes(), nullptr));
            !status)
            return status.error();
        if (auto status = CUGRADE_CUDA(
                cudaMemsetAsync(buffer->memory.get(), guard_value, guard_bytes, nullptr));
            !status)
            return status.error();
        if (auto status = CUGRADE_CUDA(
                cudaMemsetAsync(buffer->payload() + bytes, guard_value, guard_bytes, nullptr));
            !status)
            return status.error();
        if (auto status = CUGRADE_CUDA(cudaStreamSynchronize(nullptr)); !status)
            return status.error();
        return static_cast<BufferId>(buffer - buffers_.begin());
    }
    Status write(BufferId id, std::span<const std::byte> from) override {
        const auto turn = share();
        if (!turn) return turn.error();
        if (auto status = CUGRADE_CUDA(cudaMemcpy(buffers_[id].payload(), from.data(), from.size(),
                                                  cudaMemcpyHostToDevice));
            !status)
            return status.error();
        // A copy from pageable memory returns once it is staged; without this the last of it could
        // land after the runner's kernel has written its result.
        if (auto status = CUGRADE_CUDA(cudaStreamSynchronize(nullptr)); !status)
            return status.error();
        return Done{};
    }
    Status read(BufferId id, std::size_t offset, std::span<std::byte> to) override {
        const auto turn = share();
        if (!turn) return turn.error();
        if (auto status = CUGRADE_CUDA(cudaMemcpy(to.data(), buffers_[id].payload() + offset,
                                                  to.size(), cudaMemcpyDeviceToHost));
            !status)
            return status.error();
        return Done{};
    }
    Status clear() override {
        std::size_t held = 0;
        for (Buffer& buffer : buffers_) {
            buffer.used = false;
            held += buffer.memory.bytes();
        }
        if (held <= most_kept_bytes) return Done{};
        const auto turn = share();
        if (!turn) return turn.error();
        if (auto detached = runner_->attach({}); !detached) return detached.error();
        buffers_.clear();
        return Done{};
    }

    Result<CallOutcome> call(const CallRequest& request) override {
        // A timing has the GPU alone.
        const auto turn = request.timed ? GpuTurn::wait(gpu_.id) : share();
        if (!turn) return turn.error();
        if (!attached_) {
            std::vector<const ExportedMemory*> exported;
            for (const Buffer* buffer : used()) exported.push_back(&buffer->memory);
            auto attachment = attach(*runner_, exported);
            if (!attachment) return attachment.error();
            if (attachment->outcome.verdict != Verdict::accepted) return ended(attachment->outcome);
            auto address = attachment->addresses.begin();
            for (Buffer* buffer : used()) buffer->runner_address = *address++ + guard_bytes;
            attached_ = true;
        }
        std::vector<std::uint64_t> values;
        for (const auto& set : request.sets)
            for (const auto& argument : set)
                values.push_back(argument.buffer ? buffers_[*argument.buffer].runner_address
                                                 : argument.scalar);
        auto answer = runner_->call(request, values);
        if (!answer) return answer.error();
        CallOutcome outcome = outcome_of(*answer);
        if (outcome.verdict != Verdict::accepted) return ended(outcome);
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
        ExportedMemory memory;
        std::uint64_t runner_address = 0;  ///< of the payload
        bool used = false;                 ///< by this case, or kept for one
        /// Large enough, but no larger than a new one would be: the less is mapped, the more
        /// accesses out of bounds fault.
        [[nodiscard]] bool is_as_made_for(std::size_t guarded) const {
            return guarded <= memory.bytes() && memory.bytes() < guarded + page_bytes;
        }
        [[nodiscard]] std::byte* payload() const { return memory.get<std::byte>() + guard_bytes; }
    };

    std::vector<Buffer*> used() {
        std::vector<Buffer*> out;
        for (Buffer& buffer : buffers_)
            if (buffer.used) out.push_back(&buffer);
        return out;
    }

    [[nodiscard]] Result<GpuTurn> share() const {
        return GpuTurn::wait(gpu_.id, GpuTurn::Hold::shared);
    }

    /// After a call that failed.
    Result<CallOutcome> ended(const CallOutcome& outcome) {
        if (const Status answers = answers_after(outcome, *home_, gpu_); !answers) {
            lost_ = true;
            return answers.error();
        }
        return outcome;
    }

    Result<CallOutcome> check_guards(CallOutcome outcome) {
        std::array<unsigned char, guard_bytes> band;
        for (const Buffer* buffer : used()) {
            for (const bool after : {false, true}) {
                const std::byte* at =
                    after ? buffer->payload() + buffer->bytes : buffer->memory.get<std::byte>();
                if (auto status = CUGRADE_CUDA(
                        cudaMemcpy(band.data(), at, band.size(), cudaMemcpyDeviceToHost));
                    !status)
                    return status.error();
                for (std::size_t i = 0; i < band.size(); ++i) {
                    if (band[i] == guard_value) continue;
                    outcome.verdict = Verdict::out_of_bounds;
                    outcome.message = fmt::format("a kernel wrote {} bytes {} `{}` ({} bytes)",
                                                  after ? i : guard_bytes - i,
                                                  after ? "past the end of" : "before the start of",
                                                  buffer->name, buffer->bytes);
                    outcome.tells_data = true;
                    return outcome;
                }
            }
        }
        return outcome;
    }

    const Home* home_;
    GpuInfo gpu_;
    bool lost_ = false;  ///< the GPU does not answer any more
    std::vector<Buffer> buffers_;
    std::unique_ptr<RunnerConnection> runner_;
    bool attached_ = false;
};

}  // namespace

Result<std::unique_ptr<Session>> open_gpu_session(const SessionOptions& options) {
    auto session = std::make_unique<GpuSession>(options);
    if (auto status = session->open(options); !status) return status.error();
    return std::unique_ptr<Session>(std::move(session));
}

Result<std::vector<bool>> has_functions(const SessionOptions& options,
                                        std::span<const TaskSpec* const> tasks) {
    SessionOptions no_gpu = options;
    no_gpu.device = GpuInfo{.environment = environment_without_gpu()};
    auto runner = RunnerConnection::start(no_gpu, {});
    if (!runner) return runner.error();
    (*runner)->charge(options.budget);
    std::vector<bool> out;
    for (const TaskSpec* task : tasks) {
        const auto has = (*runner)->has_function(*task);
        if (!has) return has.error();
        out.push_back(*has);
    }
    return out;
}

}  // namespace cugrade
