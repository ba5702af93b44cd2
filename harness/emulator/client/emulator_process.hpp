// The grader's side of the emulated GPU: starts the process, owns its buffers, asks for its faults.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "emulator/state/machine.hpp"  // Fault, LaunchStats, MachineConfig: plain types only
#include "sandbox/sandbox.hpp"

namespace cugrade::emulator {

struct EmulatorOptions {
    std::filesystem::path libexec;  ///< folder with emulator-x86-64-v4 and its siblings
    MachineConfig machine;
    std::uint64_t warp_instruction_budget = 0;
    double wall_s = 0;               ///< the process ends itself after this; 0: never
    std::uint64_t memory_bytes = 0;  ///< limit on the process, resident; 0: none
    /// A submission's enclosures, as an emulator reads a submission's PTX; null: it runs without.
    sandbox::Keeper* keeper = nullptr;
    /// An answer that takes longer is an Error, and the process is killed; 0: follows from the
    /// budget and wall_s.
    double answer_s = 0;
};

/// What the process sees where it is enclosed.
[[nodiscard]] sandbox::View view_of_emulator();

/// One emulated GPU in a process of its own. Errors are harness errors unless they say otherwise.
class EmulatorProcess {
public:
    /// The variant built for the best instruction set that this CPU has.
    [[nodiscard]] static Result<std::filesystem::path> program(
        const std::filesystem::path& libexec);
    /// Starts that program.
    [[nodiscard]] static Result<std::unique_ptr<EmulatorProcess>> start(const EmulatorOptions&);
    virtual ~EmulatorProcess() = default;  ///< kills and reaps

    /// The runner's end of its connection: pass it to the child as CUGRADE_EMULATOR_FD, then close.
    /// One runner at a time: a new call replaces the connection and frees the buffers of the last
    /// runner. (Modules and a fault of the last runner stay: call reset() first to forget them.)
    virtual Result<int> connect_runner() = 0;
    /// Whether the runner's requests are served or wait, from when this returns. A launch that runs
    /// comes to its end first. A new runner is served.
    virtual Status serve_runner(bool) = 0;

    virtual Result<std::uint64_t> allocate(const std::string& name, std::uint64_t bytes) = 0;
    virtual Status free(std::uint64_t address) = 0;
    virtual Status write(std::uint64_t address, std::span<const std::byte>) = 0;
    virtual Status read(std::uint64_t address, std::span<std::byte>) = 0;

    /// Sets the seed of the launches to come. Also forgets State::first_api_error, so call it
    /// before each call of the student's function.
    virtual Status set_seed(std::uint64_t seed) = 0;
    /// The fault that ended the last launch, if any, and the first CUDA call that failed:
    /// "cudaErrorInvalidValue: cudaMemcpy: 4 bytes past the end of `in`".
    struct State {
        std::optional<Fault> fault;
        std::string first_api_error;
        // Places in the executable; 0: not known.
        std::uint32_t error_site = 0;   ///< of the call that first_api_error is about
        std::uint32_t launch_site = 0;  ///< of the launch that ended with the fault
        /// Of the call that has freed or allocated the memory that the fault is about.
        std::uint32_t memory_site = 0;
        bool memory_is_freed = false;
        LaunchStats stats;
        std::uint64_t launches = 0;
    };
    virtual Result<State> state() = 0;
    /// From now on runners load these containers only, as ptx::containers_of() gives them.
    virtual Status admit(std::span<const std::byte> containers) = 0;
    /// From now on, where runners load one of these containers (the first has number 0), this PTX is
    /// run instead of its own: the same program, compiled in another way.
    virtual Status substitute(std::size_t container, std::string_view ptx) = 0;
    /// What is different in the programs that runners load from now on: the JSON of
    /// emulator/interventions/intervention.hpp.
    virtual Status intervene(std::string_view json) = 0;
    /// The same in the programs that the runner has loaded already, whose variables get their first
    /// values; and from now on launches have this budget. The runner goes on, and what it has
    /// allocated stays. An error, if a kernel has failed or a variable is managed.
    virtual Status change(std::string_view json, std::uint64_t warp_instruction_budget) = 0;
    /// What the programs that were loaded allow to change: the same JSON.
    virtual Result<std::string> possible_interventions() = 0;
    /// Observes the launches to come; counts start at zero. `what`: protocol::Observe flags.
    virtual Status observe(std::uint64_t what) = 0;
    /// What one observer has seen since then: the JSON text of emulator/counts/json.hpp or
    /// emulator/findings/json.hpp.
    virtual Result<std::string> observations(std::uint64_t what) = 0;
    /// From now on an answer that takes longer is an Error, and the process is killed.
    virtual void answer_within(double seconds) = 0;
    /// Returns to the state after start: forgets faults, errors, modules and every buffer, the
    /// grader's included. What is admitted, observed and different stays.
    virtual Status reset() = 0;
    /// The same, and from now on launches have another budget.
    virtual Status reset(std::uint64_t warp_instruction_budget) = 0;
    /// Did it end itself because it took more than options.memory_bytes? Its last answer was an
    /// Error then.
    [[nodiscard]] virtual bool is_out_of_memory() const = 0;
    [[nodiscard]] virtual int pid() const = 0;
    /// Begins to end it; the destructor waits. Nothing else may be called from now on.
    virtual void kill() = 0;
};

}  // namespace cugrade::emulator
