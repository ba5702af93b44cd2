#include "emulator/ptx/unresolved.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "emulator/ptx/parser.hpp"

namespace cugrade::ptx {
namespace {

/// ptxas knows these functions, or libcudadevrt has them, which nvcc links by itself.
bool is_the_devices_own(std::string_view name) {
    return is_any_of(name, {"vprintf", "malloc", "free", "__assertfail"}) ||
           name.starts_with("cuda") || name.starts_with("__cuda");
}

/// Nobody reads more.
constexpr std::size_t most_told = 20;
constexpr std::size_t longest_told = 1000;

/// This runs in the grader. A name that may stand for much more text than is told stays as it is.
std::string told(std::string_view name) {
    return demangled(name, 256 * longest_told).substr(0, longest_told);
}

class Search {
public:
    explicit Search(std::span<const Module* const> modules) : modules_(modules) {
        for (const Module* module : modules) {
            for (const Function& f : module->functions)
                (f.is_declaration ? functions_ : defined_).insert(f.name);
            for (const Variable& v : module->variables) {
                // An extern array in shared memory has no definition: the launch provides it.
                if (v.is_extern && v.space == Space::shared) continue;
                (v.is_extern ? variables_ : defined_).insert(v.name);
            }
        }
    }

    std::vector<Unresolved> run() {
        for (const Module* module : modules_) {
            for (const Function& function : module->functions) look(*module, function);
            for (const Variable& variable : module->variables)
                for (const Initialiser& value : variable.init)
                    if (is_missing(value.symbol)) add(value.symbol, {});
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] bool is_missing(std::string_view name) const {
        return !name.empty() && (functions_.contains(name) || variables_.contains(name)) &&
               !defined_.contains(name) && !is_the_devices_own(name);
    }

    void look(const Module& module, const Function& function) {
        for (const Instruction& instruction : function.instructions)
            for (std::uint32_t n = 0; n < instruction.operand_count; ++n) {
                const Operand& operand = function.operands[instruction.first_operand + n];
                look(module, function, instruction, operand);
                if (operand.kind != OperandKind::vector) continue;
                for (std::uint32_t k = 0; k < operand.count; ++k)
                    look(module, function, instruction, function.operands[operand.first + k]);
            }
    }

    void look(const Module& module, const Function& function, const Instruction& instruction,
              const Operand& operand) {
        if (operand.symbol_kind != SymbolKind::module || !is_missing(operand.name)) return;
        if (operand.kind != OperandKind::symbol && operand.kind != OperandKind::address) return;
        const SourceLine& line =
            instruction.inlined_at.file >= 0 ? instruction.inlined_at : instruction.source;
        Unresolved place{.name = {}, .from = std::string(function.name), .file = {}};
        if (line.file >= 0 && static_cast<std::size_t>(line.file) < module.files.size())
            place.file = module.files[static_cast<std::size_t>(line.file)];
        place.line = line.line;
        place.column = line.column;
        add(operand.name, std::move(place));
    }

    void add(std::string_view name, Unresolved one) {
        if (found_.size() == most_told || !told_.insert(name).second) return;
        one.name = told(name);
        one.from = told(one.from);
        one.is_function = functions_.contains(name);
        found_.push_back(std::move(one));
    }

    std::span<const Module* const> modules_;
    std::set<std::string_view> defined_, functions_, variables_, told_;
    std::vector<Unresolved> found_;
};

}  // namespace

std::vector<Unresolved> find_unresolved(std::span<const Module* const> modules) {
    return Search(modules).run();
}

std::vector<Unresolved> find_unresolved(std::vector<FatbinPtx> images, bool together) {
    std::vector<std::unique_ptr<Module>> parsed;
    std::map<int, std::vector<const Module*>> by_arch;
    std::vector<Unresolved> out;
    const auto add = [&out](std::span<const Module* const> modules) {
        for (Unresolved& one : find_unresolved(modules)) {
            const auto same = [&one](const Unresolved& o) { return o.name == one.name; };
            if (std::ranges::none_of(out, same)) out.push_back(std::move(one));
        }
    };
    for (FatbinPtx& image : images) {
        auto module = parse(std::move(image.text), "PTX");
        if (!module) continue;
        parsed.push_back(*std::move(module));
        if (together)
            by_arch[image.arch].push_back(parsed.back().get());
        else
            add(std::vector<const Module*>{parsed.back().get()});
    }
    for (const auto& [arch, modules] : by_arch) add(modules);
    return out;
}

}  // namespace cugrade::ptx
