// Takes what is to be different in a program from the grader, and tells it what could be.
#include <algorithm>

#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/launches.hpp"
#include "emulator/server/answers.hpp"
#include "emulator/server/device.hpp"

namespace cugrade::emulator {
namespace {

using Kind = InterventionKind;

/// Calls of the host that are kept. Chosen: more than anybody writes into one function.
constexpr std::size_t max_calls = 256;
/// Bytes of an array that a `cudaMemset` sets as numbers. Chosen: experiments are of small cases.
constexpr std::uint64_t most_filled = std::uint64_t{64} << 20;

}  // namespace

Answer Device::intervene(std::span<const std::byte> json) {
    auto list = interventions_from_json(text_of(json));
    if (!list) return Answer::failed(cudaErrorInvalidValue, list.error().message);
    interventions_ = std::move(*list);
    experiments_ = true;
    return ok();
}

Answer Device::change(std::uint64_t budget, std::span<const std::byte> json) {
    if (machine_->fault() || lack_)
        return Answer::failed(cudaErrorInvalidValue, "a kernel has failed: start another runner");
    for (const Loaded& loaded : modules_) {
        if (loaded.compiled == nullptr)
            return Answer::failed(cudaErrorInvalidValue,
                                  "a program was loaded before anything was to be different");
        if (std::ranges::any_of(loaded.compiled->module->variables, &ptx::Variable::is_managed))
            return Answer::failed(cudaErrorInvalidValue,
                                  "the runner has the program's managed variables, too");
    }
    if (Answer taken = intervene(json); taken.head.error != cudaSuccess) return taken;
    budget_ = budget;
    for (const Loaded& loaded : modules_) {
        auto module = ptx::copy_of(loaded.compiled->module);
        change_code(*module, interventions_, loaded.compiled->listed);
        if (auto status = machine_->reload(loaded.module, std::move(module)); !status)
            return answer(status, cudaErrorInvalidPtx);
    }
    for (Kernel& kernel : kernels_)
        if (auto info = machine_->kernel(kernel.module, kernel.name))
            kernel.info = *std::move(info);
    return ok();
}

std::vector<Intervention> Device::possible_interventions() {
    std::vector<Intervention> all;
    for (const Loaded& loaded : modules_) {
        for (Intervention& one : loaded.compiled != nullptr
                                     ? code_interventions(loaded.compiled->listed)
                                     : code_interventions(machine_->code(loaded.module)))
            all.push_back(std::move(one));
    }
    for (const Kernel& k : kernels_)
        for (const auto& [site, launched] : k.launched)
            for (Intervention& one :
                 launch_interventions(k.name, k.info, launched.record, launched.parameters, site))
                if (one.kind != Kind::zero_shared || !has_kind(all, one.kind))
                    all.push_back(std::move(one));
    for (const auto& [kind, site] : calls_)
        for (Intervention& one : call_interventions(kind, site)) all.push_back(std::move(one));
    if (std::ranges::any_of(calls_, [](auto& c) { return c.first == Kind::allocate_bytes; }))
        all.push_back(of_program(Kind::zero_memory));
    if (uses_streams_) all.push_back(of_program(Kind::streams_waited_for));
    const auto launches_kernels = [&](const Loaded& loaded) {
        return std::ranges::any_of(
            machine_->code(loaded.module).functions,
            [](const ptx::Function& f) { return f.name.starts_with("__cudaCDP2LaunchDevice"); });
    };
    if (std::ranges::any_of(modules_, launches_kernels))
        for (const Kind kind : {Kind::children_first, Kind::children_in_tail})
            all.push_back(of_program(kind));
    if (all.size() > most_listed) all.resize(most_listed);
    return all;
}

std::uint64_t Device::factor_of(InterventionKind kind, const protocol::Request& r) {
    if (calls_.size() < max_calls) calls_.emplace(kind, r.module);
    return factor_of_call(kind, r.module, interventions_);
}

/// `cudaMemset`, and what somebody may have meant by it.
Answer Device::fill(const protocol::Request& r) {
    const std::uint64_t bytes = changed_bytes(Kind::fill_bytes, r);
    const auto number = static_cast<std::int32_t>(r.value);
    Memory& memory = machine_->memory();
    // All ones are written as 255, too.
    if (number != 0 && number != -1 && number != 0xFF) {
        if (std::uint64_t size = factor_of(Kind::fill_numbers, r); size > 1) {
            const std::int64_t wide = number;
            if (bytes == sizeof number || bytes == sizeof wide) size = bytes;
            std::vector<std::byte> numbers(std::min<std::uint64_t>(bytes, most_filled));
            for (std::size_t at = 0; at < numbers.size(); ++at)
                numbers[at] =
                    static_cast<std::byte>(wide >> (8 * (at % std::min(size, sizeof wide))));
            return answer(memory.write(r.address, numbers), cudaErrorInvalidValue);
        }
    }
    return answer(memory.fill(r.address, static_cast<std::byte>(r.value), bytes),
                  cudaErrorInvalidValue);
}

std::uint64_t Device::changed_bytes(InterventionKind kind, const protocol::Request& r) {
    return (Checked(r.bytes) * factor_of(kind, r)).or_largest();
}

Answer Device::interventions(const protocol::Request& r) {
    if (r.address == 0) possible_ = to_json(possible_interventions());
    return piece_of(possible_, r);
}

}  // namespace cugrade::emulator
