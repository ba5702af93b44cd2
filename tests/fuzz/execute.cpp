#include "execute.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/findings/json.hpp"
#include "emulator/observe/checkers.hpp"
#include "emulator/observe/counters.hpp"
#include "emulator/observe/timing_counters.hpp"
#include "emulator/ptx/link.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/state/machine.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::fuzz {
namespace {

using namespace cugrade::emulator;

constexpr std::uint64_t memory_bytes = 4 << 20;
constexpr std::uint64_t buffer_bytes = 16 << 10;
constexpr std::size_t most_launches = 4;
constexpr std::uint64_t warp_instructions = 3000;

/// The observers of one session, in the combinations that the grader asks for, and one by one.
class Watchers {
public:
    Watchers(std::uint32_t watch, Memory& memory) {
        const bool everything = watch == Setup::all;
        if (watch == Setup::counters || watch == Setup::graded || everything)
            observers_.add(counters_.emplace());
        if (watch == Setup::timing || watch == Setup::graded || everything)
            observers_.add(timing_.emplace());
        if (watch == Setup::checkers || everything) observers_.add(checkers_.emplace(memory));
    }
    [[nodiscard]] Observer* observer() { return observers_.empty() ? nullptr : &observers_; }
    void copied_to_host(std::uint64_t address, std::uint64_t bytes) {
        if (checkers_) checkers_->copied_to_host(address, bytes);
    }
    /// What the checkers found must be something that can be told.
    void tell() const {
        if (!checkers_) return;
        const FindingList list{checkers_->findings().all(), checkers_->findings().dropped()};
        for (const Finding& finding : list.all)
            if (finding.message.empty()) __builtin_trap();
        if (to_json(list).empty()) __builtin_trap();
    }

private:
    std::optional<Counters> counters_;
    std::optional<TimingCounters> timing_;
    std::optional<Checkers> checkers_;
    Observers observers_;
};

/// Pointers to buffers in turn, and small numbers.
std::vector<std::byte> arguments_for(const KernelInfo& kernel,
                                     const std::vector<std::uint64_t>& buffers,
                                     std::uint32_t number) {
    std::vector<std::byte> block(kernel.param_bytes);
    std::size_t next = 0;
    for (const ptx::Parameter& p : kernel.params) {
        const std::uint64_t value = p.bytes >= 8 ? buffers[next++ % buffers.size()] : number;
        std::memcpy(block.data() + p.offset, &value, std::min<std::uint64_t>(p.bytes, 8));
    }
    return block;
}

/// One machine with the text loaded; null if it is refused.
struct Loaded {
    std::unique_ptr<Machine> machine;
    ModuleId module = 0;
    std::vector<std::string> kernels;
};
std::optional<Loaded> load(const std::string& text, const Setup& setup) {
    auto module = ptx::parse(text, "fuzz.ptx");
    if (!module) {
        if (module.error().text().empty()) __builtin_trap();
        return std::nullopt;
    }
    std::vector<std::unique_ptr<ptx::Module>> parts;
    parts.push_back(std::move(*module));
    auto linked = ptx::link(std::move(parts));
    if (!linked) return std::nullopt;
    Loaded result;
    for (const ptx::Function& f : (*linked)->functions)
        if (f.is_entry && !f.is_declaration && result.kernels.size() < most_launches)
            result.kernels.emplace_back(f.name);
    MachineConfig config;
    config.memory_bytes = memory_bytes;
    config.multiprocessors = 2;
    config.resident_blocks = 2;
    config.host_threads = setup.host_threads;
    result.machine = Machine::create(config);
    auto id = result.machine->load(std::move(*linked));
    if (!id) {
        if (id.error().text().empty()) __builtin_trap();
        return std::nullopt;
    }
    result.module = *id;
    for (const std::string& form : result.machine->unsupported(*id))
        if (form.empty()) __builtin_trap();
    return result;
}

/// Launches from kernel number `first` on, until one faults: a machine takes no launch after that.
/// Returns the number of the next kernel.
std::size_t launch_from(std::size_t first, Loaded& loaded, const Setup& setup) {
    Machine& machine = *loaded.machine;
    std::size_t printed = 0;
    machine.on_print([&](std::string_view text) { printed += text.size(); });
    Watchers watchers(setup.watch, machine.memory());
    std::vector<std::uint64_t> buffers;
    for (const char* name : {"in", "out", "scratch"})
        if (auto address = machine.memory().allocate(name, buffer_bytes)) {
            buffers.push_back(*address);
            if (name[0] != 'o') (void)machine.memory().fill(*address, std::byte{1}, buffer_bytes);
        }
    if (buffers.empty()) return loaded.kernels.size();
    std::size_t next = first;
    while (next < loaded.kernels.size() && !machine.fault()) {
        const std::string& name = loaded.kernels[next++];
        const auto info = machine.kernel(loaded.module, name);
        if (!info) continue;
        LaunchOptions options;
        options.seed = setup.seed;
        options.warp_instruction_budget = warp_instructions;
        options.observer = watchers.observer();
        options.pending_launches = 64;
        const Status status = machine.launch(loaded.module, name, {setup.blocks}, {setup.threads},
                                             setup.dynamic_shared,
                                             arguments_for(*info, buffers, setup.threads), options);
        if (!status && status.error().text().empty()) __builtin_trap();
    }
    if (machine.fault() && machine.fault()->message.empty()) __builtin_trap();
    for (const std::uint64_t address : buffers) watchers.copied_to_host(address, buffer_bytes);
    watchers.tell();
    return next;
}

}  // namespace

Setup setup_of(std::string_view ptx) {
    static constexpr std::string_view mark = "// run ";
    std::uint32_t bits = 0;
    if (ptx.starts_with(mark))
        (void)std::from_chars(ptx.data() + mark.size(),
                              ptx.data() + std::min<std::size_t>(ptx.size(), mark.size() + 8), bits,
                              16);
    static constexpr std::uint32_t threads[] = {32, 64, 1, 33, 96, 16, 128, 256};
    static constexpr std::uint32_t shared[] = {0, 64, 1000, 16384};
    Setup s;
    s.watch = (bits & 0xF) % Setup::ways;
    s.seed = bits >> 4 & 3;
    s.blocks = 1 + (bits >> 8 & 7) % 5;
    s.threads = threads[bits >> 12 & 7];
    s.dynamic_shared = shared[bits >> 16 & 3];
    s.host_threads = (bits >> 24 & 7) == 7 ? 2 : 1;
    return s;
}

void execute(const std::string& ptx, const Setup& setup) {
    std::size_t next = 0;
    do {
        auto loaded = load(ptx, setup);
        if (!loaded) return;
        const std::size_t count = loaded->kernels.size();
        next = launch_from(next, *loaded, setup);
        if (next >= count) return;
    } while (true);
}

}  // namespace cugrade::fuzz
