#include "emulator/interventions/code_change.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

/// Finds an edit that was met before.
auto edit_of(const Intervention& one) {
    // Without a place, what is changed tells edits apart.
    const bool has_place = one.place.line != 0;
    return std::tuple(
        one.kind, one.value, one.place.file, one.place.line, one.place.column,
        one.kind == InterventionKind::constant || one.kind == InterventionKind::parameter
            ? one.text
            : std::string(),
        has_place ? std::string() : one.function, has_place ? 0 : one.instruction);
}

/// A change that has to be made.
struct Edit {
    const ptx::Function* function = nullptr;
    Intervention change;
    const CodeChange* by = nullptr;
};

}  // namespace

std::span<const std::unique_ptr<CodeChange>> code_changes() {
    static const auto all = [] {
        std::vector<std::unique_ptr<CodeChange>> list;
        for (const auto make : {
                 make_comparison_change,
                 make_barrier_change,
                 make_warp_barrier_change,
                 make_fence_change,
                 make_atomic_change,
                 make_outside_change,
                 make_elements_change,
                 make_meeting_change,
                 make_shared_array_change,
                 make_together_change,
                 make_unsigned_byte_change,
                 make_wide_arithmetic_change,
                 make_wide_accumulator_change,
                 make_reinterpret_change,
                 make_full_mask_change,
                 make_shuffle_lane_change,
                 make_constant_change,
                 make_parameter_change,
                 make_element_change,
                 make_identity_change,
                 make_stride_change,
                 make_global_index_change,
                 make_unclamped_change,
                 make_adding_store_change,
                 make_widened_sign_change,
                 make_other_sign_change,
                 make_untruncated_change,
                 make_release_change,
                 make_acquire_change,
                 make_retry_change,
                 make_bits_change,
                 make_odd_halving_change,
                 make_counter_wrap_change,
             })
            list.push_back(make());
        return list;
    }();
    return all;
}

const std::vector<Intervention>& ListedChanges::of(const CodeChange& kind) {
    const auto [it, is_new] = lists_.try_emplace(kind.kind());
    if (is_new) it->second = kind.list(module_);
    return it->second;
}

std::vector<Intervention> code_interventions(ListedChanges& listed) {
    std::vector<Intervention> edits;
    std::set<decltype(edit_of(Intervention{}))> seen;
    for (const auto& kind : code_changes())
        for (const Intervention& one : listed.of(*kind)) {
            if (edits.size() == most_listed) return edits;
            if (seen.insert(edit_of(one)).second) edits.push_back(one);
        }
    return edits;
}

std::vector<Intervention> code_interventions(const ptx::Module& module) {
    ListedChanges listed(module);
    return code_interventions(listed);
}

void change_code(ptx::Module& module, std::span<const Intervention> wanted) {
    ListedChanges listed(module);
    change_code(module, wanted, listed);
}

void change_code(ptx::Module& module, std::span<const Intervention> wanted,
                 ListedChanges& listed) {
    std::vector<Edit> steps;
    for (const auto& kind : code_changes()) {
        const auto is_of_kind = [&](const Intervention& one) { return one.kind == kind->kind(); };
        if (std::ranges::none_of(wanted, is_of_kind)) continue;
        for (const Intervention& one : listed.of(*kind))
            if (std::ranges::any_of(wanted,
                                    [&](const Intervention& w) { return w.same_edit(one); }))
                steps.push_back({body_of(module, one.function), one, kind.get()});
    }
    // From the last instruction to the first, so that the indices of those to come stay right.
    std::ranges::stable_sort(steps, [](const Edit& a, const Edit& b) {
        return std::tuple(b.function, b.change.instruction) <
               std::tuple(a.function, a.change.instruction);
    });
    for (const Edit& step : steps) step.by->apply(module, step.change);
}

}  // namespace cugrade::emulator
