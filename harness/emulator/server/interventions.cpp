// Takes what is to be different in a program from the grader, and tells it what could be.
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/launches.hpp"
#include "emulator/server/answers.hpp"
#include "emulator/server/device.hpp"

namespace cugrade::emulator {

Answer Device::intervene(std::span<const std::byte> json) {
    auto list = interventions_from_json(text_of(json));
    if (!list) return Answer::failed(cudaErrorInvalidValue, list.error().message);
    interventions_ = std::move(*list);
    return ok();
}

std::vector<Intervention> Device::possible_interventions() const {
    std::vector<Intervention> all;
    for (const Loaded& loaded : modules_) {
        if (!interventions_.empty()) {
            all.insert(all.end(), loaded.possible.begin(), loaded.possible.end());
            continue;
        }
        for (Intervention& one : code_interventions(machine_->code(loaded.module)))
            all.push_back(std::move(one));
    }
    for (const Kernel& k : kernels_) {
        if (!k.launched) continue;
        for (Intervention& one :
             launch_interventions(k.name, k.info.static_shared_bytes, *k.launched))
            if (one.kind != InterventionKind::zero_shared || !has_kind(all, one.kind))
                all.push_back(std::move(one));
    }
    if (has_allocated_) all.push_back(zero_memory());
    if (all.size() > most_listed) all.resize(most_listed);
    return all;
}

Answer Device::interventions(const protocol::Request& r) {
    if (r.address == 0) possible_ = to_json(possible_interventions());
    return piece_of(possible_, r);
}

}  // namespace cugrade::emulator
