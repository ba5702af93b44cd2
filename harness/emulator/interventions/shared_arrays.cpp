// An array of shared memory that a kernel declares is larger, so that what lies behind its end is
// part of it, and not of another array or of nothing.
#include <fmt/format.h>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator {
namespace {

bool is_array(const ptx::Variable& v) {
    return v.space == ptx::Space::shared && !v.is_extern && v.bytes > 8;
}

/// "kernel(int*)::tile" as "tile"
std::string name_in_source(std::string_view mangled) {
    const std::string full = ptx::demangled(mangled);
    const std::size_t scope = full.rfind("::");
    return scope == std::string::npos ? full : full.substr(scope + 2);
}

class SharedArray final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::shared_array; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const ptx::Function& f : module.functions)
            for (std::uint32_t n = 0; n < f.variables.size(); ++n) {
                if (!is_array(f.variables[n])) continue;
                for (const int factor : {2, 4})
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = n,
                                   .value = factor,
                                   .text = fmt::format("{} times as many elements in `{}`", factor,
                                                       name_in_source(f.variables[n].name))});
            }
        return all;
    }

    /// `instruction` is the number of the variable.
    void apply(ptx::Module& module, const Intervention& one) const override {
        body_of(module, one.function)->variables[one.instruction].bytes *=
            static_cast<std::uint64_t>(one.value);
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_shared_array_change() { return std::make_unique<SharedArray>(); }

}  // namespace cugrade::emulator
