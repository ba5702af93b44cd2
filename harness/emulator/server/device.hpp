// The emulated device behind both connections. It has a Machine, knows who owns which buffer, and
// serves the requests of the grader and of the runner.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/findings/json.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/intervention.hpp"
#include "emulator/observe/checkers.hpp"
#include "emulator/observe/counters.hpp"
#include "emulator/observe/timing_counters.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/server/connection.hpp"
#include "emulator/state/cuda_error.hpp"
#include "emulator/state/machine.hpp"

namespace cugrade::emulator {

/// The sticky error that hardware would report for a fault.
[[nodiscard]] std::uint32_t cuda_error_of(const Fault&);

class Device {
public:
    explicit Device(const protocol::ConfigureRecord&);

    /// Serves a request of the grader, except connect_runner and configure.
    [[nodiscard]] Answer serve_grader(const protocol::Request&, std::span<const std::byte> payload);
    /// Serves a request of a runner, and trusts nothing in it.
    [[nodiscard]] Answer serve_runner(const protocol::Request&, std::span<const std::byte> payload);
    /// Frees what the runner has allocated and forgets which kernels it asked for.
    void forget_runner();

private:
    enum class Owner { grader, runner };
    struct Buffer {
        std::uint64_t bytes = 0;
        Owner owner = Owner::grader;
        std::string name;
        std::uint32_t site = 0;  ///< of the call that has allocated it
    };
    struct Freed {
        std::uint64_t bytes = 0;
        std::uint32_t site = 0;  ///< of the call that has freed it
    };
    struct Kernel {
        ModuleId module = 0;
        std::string name;
        KernelInfo info;
        struct Launched {
            protocol::LaunchRecord record;
            std::vector<std::byte> parameters;
        };
        /// By the place of the launch; the first of each.
        std::map<std::uint32_t, Launched> launched;
    };
    /// A program as it was compiled, for experiments: the machine has changed copies of it. Kept
    /// from runner to runner, because each one loads the same.
    struct Compiled {
        std::vector<std::byte> containers;
        std::shared_ptr<const ptx::Module> module;
        int arch = 0;
        ListedChanges listed;
    };
    struct Loaded {
        ModuleId module = 0;
        int arch = 0;
        Compiled* compiled = nullptr;  ///< null: nothing was to be changed when it was loaded
    };
    struct Read {
        std::unique_ptr<ptx::Module> module;  ///< none: `refusal` says why
        int arch = 0;
        Answer refusal;
    };

    void reset();
    [[nodiscard]] Answer answer_runner(const protocol::Request&,
                                       std::span<const std::byte> payload);
    [[nodiscard]] Answer allocate(const protocol::Request&, std::span<const std::byte>, Owner);
    [[nodiscard]] Answer release(const protocol::Request&, Owner);
    void put_memory_site(std::uint64_t address, protocol::StateRecord&) const;
    [[nodiscard]] Answer read(const protocol::Request&);
    [[nodiscard]] Answer write(const protocol::Request&, std::span<const std::byte>);
    [[nodiscard]] Answer check(std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] Answer state() const;
    [[nodiscard]] Answer observe(std::uint64_t what);
    [[nodiscard]] Answer observations(const protocol::Request&);
    [[nodiscard]] Answer intervene(std::span<const std::byte> json);
    [[nodiscard]] Answer change(std::uint64_t budget, std::span<const std::byte> json);
    [[nodiscard]] Answer interventions(const protocol::Request&);
    [[nodiscard]] std::vector<Intervention> possible_interventions();
    [[nodiscard]] Answer fill(const protocol::Request&);
    [[nodiscard]] std::uint64_t factor_of(InterventionKind, const protocol::Request&);
    [[nodiscard]] std::uint64_t changed_bytes(InterventionKind, const protocol::Request&);
    [[nodiscard]] FindingList findings() const;
    [[nodiscard]] DeviceCounts counts() const;
    void count_host(const protocol::Request&, std::size_t payload_bytes);

    [[nodiscard]] Answer hello() const;
    /// Notes something that the emulator lacks. From now on the program's results mean nothing, so
    /// state() reports it as a fault.
    void note_lack(std::string_view message, std::string_view file, int line);
    [[nodiscard]] Result<std::optional<ptx::FatbinPtx>> choose(std::span<const std::byte> container,
                                                               std::string& others) const;
    [[nodiscard]] Read read_program(std::span<const std::byte> containers);
    [[nodiscard]] Answer load(std::span<const std::byte> containers);
    [[nodiscard]] Compiled* compiled_of(std::span<const std::byte> containers, Read&);
    [[nodiscard]] Answer admit(std::span<const std::byte> piece);
    [[nodiscard]] Answer substitute(std::size_t container, std::span<const std::byte> piece);
    static constexpr std::size_t not_admitted = ~std::size_t{0};
    [[nodiscard]] std::size_t number_of(std::span<const std::byte> container) const;
    [[nodiscard]] Answer kernel(const protocol::Request&, std::span<const std::byte>);
    [[nodiscard]] Answer symbol(const protocol::Request&, std::span<const std::byte>);
    [[nodiscard]] Answer launch(std::span<const std::byte>, std::uint32_t site, bool run);
    [[nodiscard]] std::optional<Answer> refuse(const protocol::LaunchRecord&, const KernelInfo&,
                                               std::size_t parameter_bytes) const;

    MachineConfig config_;
    std::uint64_t budget_;
    std::unique_ptr<Machine> machine_;
    std::map<std::uint64_t, Buffer> buffers_;
    std::map<std::uint64_t, Freed> freed_;  ///< what the runner has freed
    std::vector<Loaded> modules_;
    std::uint64_t module_bytes_ = 0;
    /// The containers that may be loaded, one after the other; none: all.
    std::optional<std::vector<std::byte>> admitted_;
    std::map<std::size_t, std::string> substitutes_;  ///< by the container's number: its PTX
    std::vector<Kernel> kernels_;
    std::uint64_t seed_ = 0;
    std::uint64_t launches_ = 0;
    std::uint64_t observed_ = protocol::observe_nothing;
    std::unique_ptr<Counters> counters_;
    std::unique_ptr<TimingCounters> timing_;
    HostCounts host_;
    /// Watches the machine's memory, so it is destroyed before the machine.
    std::unique_ptr<Checkers> checkers_;
    Observers observers_;
    std::string observations_;
    std::vector<Intervention> interventions_;  ///< that are made
    bool experiments_ = false;                 ///< something was, or may yet be, made different
    std::vector<std::unique_ptr<Compiled>> compiled_;
    /// The runner's calls whose sizes can be changed, by their places.
    std::set<std::pair<InterventionKind, std::uint32_t>> calls_;
    bool uses_streams_ = false;
    std::string possible_;  ///< interventions, as JSON
    std::string api_error_;
    std::uint32_t error_site_ = 0;
    std::uint32_t launch_site_ = 0;  ///< of the launch that ended with the machine's fault
    std::optional<Fault> lack_;      ///< the first thing that the program asked for and we lack
    std::vector<std::string> unchecked_errors_;
    std::string printed_;
    std::uint64_t printed_lost_ = 0;
};

}  // namespace cugrade::emulator
