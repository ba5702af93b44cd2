// A session on the emulated GPU: one emulator process and one runner.
//
// The emulator serves the runner from its start to its greeting and during each call, and at no
// other time. Otherwise a thread of the submission could work before the counting begins or after
// it has ended, change inputs and outputs in between, and make each request of the grader wait for
// a launch. (An answer that the submission forges to end a call early ends the service with it.)
//
// The emulator is trusted and tells the grader itself what happened to the kernels; what the runner
// says about CUDA errors is used only where the emulator has recorded nothing.
#include "backend/emulator/emulator_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "backend/runner_connection.hpp"
#include "build/build.hpp"
#include "build/device_code.hpp"
#include "core/clock.hpp"
#include "emulator/client/emulator_process.hpp"
#include "emulator/counts/json.hpp"
#include "emulator/ptx/host_lines.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade {
namespace {

Verdict verdict_of(const emulator::Fault& fault) {
    using emulator::FaultKind;
    switch (fault.kind) {
        case FaultKind::out_of_bounds: return Verdict::out_of_bounds;
        case FaultKind::barrier_divergence: return Verdict::barrier_divergence;
        case FaultKind::deadlock: return Verdict::deadlock;
        case FaultKind::instruction_budget: return Verdict::time_limit;
        case FaultKind::unsupported: return Verdict::skipped;  // a GPU would tell
        case FaultKind::none:
        case FaultKind::misaligned:
        case FaultKind::trap:
        case FaultKind::stack_overflow: break;
    }
    return Verdict::launch_error;
}

}  // namespace

IdleEmulator::IdleEmulator() = default;
IdleEmulator::~IdleEmulator() = default;

class EmulatorSession final : public Session {
public:
    EmulatorSession(std::unique_ptr<emulator::EmulatorProcess> device,
                    std::unique_ptr<RunnerConnection> runner, std::shared_ptr<TimeBudget> budget,
                    std::uint64_t most_memory_bytes, std::filesystem::path executable,
                    std::shared_ptr<IdleEmulator> idle)
        : device_(std::move(device)),
          runner_(std::move(runner)),
          budget_(std::move(budget)),
          most_memory_bytes_(most_memory_bytes),
          executable_(std::move(executable)),
          idle_(std::move(idle)) {}
    /// Both end at the same time. An emulator that may still be in a launch is of no more use.
    ~EmulatorSession() override {
        runner_->kill();
        if (idle_ && !is_served_)
            idle_->process_ = std::move(device_);
        else
            device_->kill();
    }

    Result<bool> has_function(const TaskSpec& task) override {
        auto has = runner_->has_function(task);
        if (!has || !is_served_) return has;
        if (auto status = stop_serving(); !status) return status.error();
        return has;
    }

    Result<BufferId> allocate(const std::string& name, std::size_t bytes) override {
        auto address = device_->allocate(name, bytes);
        if (!address) return address.error();
        buffers_.push_back(*address);
        return buffers_.size() - 1;
    }
    Status write(BufferId id, std::span<const std::byte> from) override {
        return from.empty() ? Status(Done{}) : device_->write(buffers_[id], from);
    }
    Status read(BufferId id, std::size_t offset, std::span<std::byte> to) override {
        return to.empty() ? Status(Done{}) : device_->read(buffers_[id] + offset, to);
    }
    Status clear() override {
        for (const std::uint64_t address : buffers_)
            if (auto status = device_->free(address); !status) return status.error();
        buffers_.clear();
        return Done{};
    }

    Result<CallOutcome> call(const CallRequest& request) override {
        auto outcome = call_once(request);
        if (!outcome && device_->is_out_of_memory())
            return CallOutcome{.verdict = Verdict::memory_limit,
                               .message = fmt::format("the emulated GPU needed more than {} MiB of "
                                                      "memory for what kernels did",
                                                      most_memory_bytes_ >> 20)};
        return outcome;
    }

    Status count(Counting what) override {
        using namespace emulator::protocol;
        return device_->observe(what == Counting::plain ? observe_counters
                                                        : observe_counters | observe_timing);
    }
    Result<emulator::DeviceCounts> counts() override {
        auto text = device_->observations(emulator::protocol::observe_counters);
        if (!text) return text.error();
        return emulator::counts_from_json(*text);
    }
    Status check(Checking what) override {
        using namespace emulator::protocol;
        const std::uint64_t more = what == Checking::plain ? observe_nothing : observe_wrong_result;
        return device_->observe(observe_checkers | observe_in_call_order | more);
    }
    Result<emulator::FindingList> findings() override {
        auto text = device_->observations(emulator::protocol::observe_checkers);
        if (!text) return text.error();
        return emulator::findings_from_json(*text);
    }
    Result<std::vector<emulator::Intervention>> possible_interventions() override {
        auto text = device_->possible_interventions();
        if (!text) return text.error();
        auto list = emulator::interventions_from_json(*text);
        if (list) place_calls(*list);
        return list;
    }

    bool change(std::span<const emulator::Intervention> interventions,
                std::uint64_t warp_instructions) override {
        return device_->change(emulator::to_json(interventions), warp_instructions).ok();
    }

private:
    /// Launches and host calls are known by where they are in the executable.
    void place_calls(std::vector<emulator::Intervention>& list) const {
        const auto is_call = [](const emulator::Intervention& one) {
            return one.place.line == 0 && one.instruction != 0;
        };
        std::set<std::uint32_t> places;
        for (const emulator::Intervention& one : list)
            if (is_call(one)) places.insert(one.instruction);
        if (places.empty()) return;
        const auto lines = ptx::host_lines(executable_, places);
        if (!lines) return;  // they stay unknown
        for (emulator::Intervention& one : list)
            if (const auto line = lines->find(one.instruction);
                is_call(one) && line != lines->end())
                one.place = {line->second.file, line->second.line, 0};
    }

    [[nodiscard]] HostSide host_side(const emulator::EmulatorProcess::State& state) const {
        HostSide out;
        out.failed_call = state.first_api_error;
        if (state.fault) out.kernel = state.fault->kernel;
        out.memory_is_freed = state.memory_is_freed;
        std::set<std::uint32_t> places{state.error_site, state.launch_site, state.memory_site};
        places.erase(0);
        if (places.empty()) return out;
        const auto lines = ptx::host_lines(executable_, places);
        if (!lines) return out;  // they stay unknown
        const auto line_of = [&](std::uint32_t site) -> std::optional<SourceLocation> {
            const auto line = lines->find(site);
            if (line == lines->end()) return {};
            return SourceLocation{as_submitted(line->second.file), line->second.line, 0};
        };
        out.failed_at = line_of(state.error_site);
        out.launched_at = line_of(state.launch_site);
        out.memory_at = line_of(state.memory_site);
        return out;
    }

    Result<CallOutcome> call_once(const CallRequest& request) {
        if (auto status = device_->set_seed(request.schedule_seed); !status) return status.error();
        std::vector<std::uint64_t> values;
        for (const auto& set : request.sets)
            for (const auto& argument : set)
                values.push_back(argument.buffer ? buffers_[*argument.buffer] : argument.scalar);
        if (auto status = device_->serve_runner(true); !status) return status.error();
        is_served_ = true;
        auto answer = runner_->call(request, values);
        if (!answer) return answer.error();
        CallOutcome outcome = answer->replied ? CallOutcome{} : answer->ended;
        outcome.wall_s = answer->wall_s;
        // A runner that was killed for its wall time may have left the emulator in mid-launch;
        // asking would wait for the end of the launch's budget.
        if (outcome.verdict == Verdict::time_limit) return outcome;
        if (auto status = stop_serving(); !status) return status.error();
        auto state = device_->state();
        if (!state) return state.error();
        outcome.work = DeviceWork{state->launches - before_.launches,
                                  state->stats.warp_instructions - before_.warp_instructions};
        before_ = {state->launches, state->stats.warp_instructions};
        outcome.host = host_side(*state);
        if (state->fault) {
            const emulator::Fault& fault = *state->fault;
            outcome.verdict = verdict_of(fault);
            outcome.message = fault.message;
            outcome.tells_data = true;
            if (!fault.file.empty())
                outcome.location =
                    SourceLocation{as_submitted(fault.file), fault.line, fault.column};
        } else if (outcome.verdict == Verdict::accepted && answer->replied) {
            switch (answer->reply.status) {
                case protocol::CallStatus::ok: break;
                case protocol::CallStatus::cuda_error:
                    outcome.verdict = Verdict::launch_error;
                    outcome.message = "a CUDA call failed";
                    outcome.said =
                        ": " + (state->first_api_error.empty() ? std::string(answer->reply.text)
                                                               : state->first_api_error);
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
        }
        return outcome;
    }

    /// The submission pays for what it has left running.
    Status stop_serving() {
        const auto start = Clock::now();
        auto status = device_->serve_runner(false);
        if (budget_) budget_->spend(seconds_since(start));
        if (status) is_served_ = false;
        return status;
    }

    std::unique_ptr<emulator::EmulatorProcess> device_;
    std::unique_ptr<RunnerConnection> runner_;
    std::shared_ptr<TimeBudget> budget_;
    std::uint64_t most_memory_bytes_;  ///< of the emulator
    std::filesystem::path executable_;
    std::shared_ptr<IdleEmulator> idle_;
    bool is_served_ = true;  ///< the runner, by the emulator
    std::vector<std::uint64_t> buffers_;
    DeviceWork before_;  ///< of all calls before this one
};

namespace {

/// Of an emulator: the device's memory, and what checkers and counts note about it. 0: no limit.
std::uint64_t most_memory_of(const Limits& limits) {
    return limits.memory_bytes > 0 ? limits.device_memory_bytes + limits.memory_bytes : 0;
}

Result<std::unique_ptr<emulator::EmulatorProcess>> start_emulator(const SessionOptions& options) {
    emulator::EmulatorOptions device_options;
    device_options.libexec = options.home->libexec;
    device_options.machine.arch = options.ptx_arch;
    device_options.machine.memory_bytes = options.limits.device_memory_bytes;
    if (options.multiprocessors) device_options.machine.multiprocessors = *options.multiprocessors;
    device_options.machine.host_threads = static_cast<std::uint32_t>(options.emulator_threads);
    device_options.memory_bytes = most_memory_of(options.limits);
    device_options.warp_instruction_budget = options.limits.warp_instructions;
    device_options.keeper = options.keeper;
    auto device = emulator::EmulatorProcess::start(device_options);
    if (!device) return device.error();
    // Nobody has looked at code that the submission makes while it runs.
    const auto code = device_code_of(options.executable);
    if (!code) return code.error();
    if (auto status = (*device)->admit(*code); !status) return status.error();
    if (options.device_code)
        for (std::size_t n = 0; n < options.device_code->size(); ++n)
            if (const std::string& ptx = (*options.device_code)[n]; !ptx.empty())
                if (auto status = (*device)->substitute(n, ptx); !status) return status.error();
    return device;
}

}  // namespace

Result<std::unique_ptr<Session>> open_emulator_session(const SessionOptions& options,
                                                       std::shared_ptr<IdleEmulator> idle) {
    std::unique_ptr<emulator::EmulatorProcess> device;
    if (idle && idle->process_) {
        device = std::move(idle->process_);
        // Before the reset, which makes anew what observes.
        if (auto status = device->observe(emulator::protocol::observe_nothing); !status)
            return status.error();
        if (auto status = device->reset(options.limits.warp_instructions); !status)
            return status.error();
    } else {
        auto started = start_emulator(options);
        if (!started) return started.error();
        device = *std::move(started);
    }
    if (idle || !options.interventions.empty())
        if (auto status = device->intervene(emulator::to_json(options.interventions)); !status)
            return status.error();
    auto fd = device->connect_runner();
    if (!fd) return fd.error();
    auto runner = RunnerConnection::start(options, {{protocol::emulator_fd_variable, *fd}});
    close(*fd);
    if (!runner) return runner.error();
    (*runner)->charge(options.budget);
    return std::unique_ptr<Session>(std::make_unique<EmulatorSession>(
        std::move(device), std::move(*runner), options.budget, most_memory_of(options.limits),
        options.executable, std::move(idle)));
}

Status prepare_emulator_sessions(sandbox::Keeper& keeper, int count) {
    auto status = keeper.prepare(emulator::view_of_emulator(), count);
    return status ? keeper.prepare(sandbox::runner_view(), count) : status;
}

}  // namespace cugrade
