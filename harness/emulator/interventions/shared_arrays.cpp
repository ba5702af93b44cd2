// An array of shared memory that a kernel declares is larger, so that what lies behind its end is
// part of it, and not of another array or of nothing.
#include <fmt/format.h>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator {
namespace {

bool is_array(const ptx::Variable& v) {
    constexpr std::uint64_t most = 1 << 20;  // more than any device has
    return v.space == ptx::Space::shared && !v.is_extern && v.bytes > 8 && v.bytes <= most;
}

/// "kernel(int*)::tile" as "tile". Names of hostile code have any length.
std::string name_in_source(std::string_view mangled) {
    constexpr std::size_t longest = 100, most = 4096;
    const std::string full = ptx::demangled(mangled, most);
    const std::size_t scope = full.rfind("::");
    return full.substr(scope == std::string::npos ? 0 : scope + 2, longest);
}

class SharedArray final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::shared_array; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const ptx::Function& f : module.functions)
            for (std::uint32_t n = 0; n < f.variables.size(); ++n) {
                if (!is_array(f.variables[n])) continue;
                const std::string name = name_in_source(f.variables[n].name);
                for (const int factor : {2, 4})
                    all.push_back(
                        {.kind = kind(),
                         .function = std::string(f.name),
                         .instruction = n,
                         .value = factor,
                         .text = fmt::format("{} times as many elements in `{}`", factor, name)});
            }
        return all;
    }

    /// `instruction` is the number of the variable.
    void apply(ptx::Module& module, const Intervention& one) const override {
        std::uint64_t& bytes = body_of(module, one.function)->variables[one.instruction].bytes;
        bytes *= static_cast<std::uint64_t>(one.value);  // at most what is_array allows
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_shared_array_change() { return std::make_unique<SharedArray>(); }

}  // namespace cugrade::emulator
