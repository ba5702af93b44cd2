// The kinds of interventions that change the instructions of a module before it is decoded: one
// class, and one file, per kind.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "emulator/interventions/intervention.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

class CodeChange {
public:
    virtual ~CodeChange() = default;
    [[nodiscard]] virtual InterventionKind kind() const = 0;
    /// What can be changed, for each instruction by itself.
    [[nodiscard]] virtual std::vector<Intervention> list(const ptx::Module&) const = 0;
    /// Changes one instruction, and what follows it, but nothing before it. Precondition: `list`
    /// had it for the module before anything was changed at or before the instruction.
    virtual void apply(ptx::Module&, const Intervention&) const = 0;
};

[[nodiscard]] std::unique_ptr<CodeChange> make_comparison_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_barrier_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_warp_barrier_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_fence_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_atomic_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_outside_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_elements_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_meeting_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_shared_array_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_together_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_unsigned_byte_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_wide_arithmetic_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_wide_accumulator_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_reinterpret_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_full_mask_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_shuffle_lane_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_constant_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_parameter_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_element_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_identity_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_stride_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_global_index_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_unclamped_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_adding_store_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_widened_sign_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_other_sign_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_untruncated_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_release_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_acquire_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_retry_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_bits_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_odd_halving_change();
[[nodiscard]] std::unique_ptr<CodeChange> make_counter_wrap_change();

/// Each kind.
[[nodiscard]] std::span<const std::unique_ptr<CodeChange>> code_changes();

/// What each kind can change in a module, which is looked for once: some take longer for it than
/// the program takes to run.
class ListedChanges {
public:
    /// `module`: as it was compiled. It must outlive this, and nothing may change it.
    explicit ListedChanges(const ptx::Module& module) : module_(module) {}
    [[nodiscard]] const std::vector<Intervention>& of(const CodeChange&);

private:
    const ptx::Module& module_;
    std::map<InterventionKind, std::vector<Intervention>> lists_;
};

/// What the module's code allows to change, one for each edit of the source, at most `most_listed`.
[[nodiscard]] std::vector<Intervention> code_interventions(ListedChanges&);
[[nodiscard]] std::vector<Intervention> code_interventions(const ptx::Module&);
/// Chosen: ten times what the largest kernels of the course give.
inline constexpr std::size_t most_listed = 20'000;

/// Makes the interventions that belong to the module's code. Those which the module does not allow
/// (it may be another one's) change nothing. `listed`: of the same module, or of what it is a copy
/// of.
void change_code(ptx::Module&, std::span<const Intervention>, ListedChanges& listed);
void change_code(ptx::Module&, std::span<const Intervention>);

}  // namespace cugrade::emulator
