#include "emulator/ptx/unresolved.hpp"

#include <algorithm>
#include <functional>
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

}  // namespace

/// What is known of modules that are linked with each other. It owns its names, so that the modules
/// can go.
class UnresolvedSearch::Group {
public:
    void add(const Module& module) {
        std::set<std::string_view> here;
        for (const Function& f : module.functions)
            if (f.is_declaration)
                keep(functions_, f.name);
            else
                here.insert(f.name);
        for (const Variable& v : module.variables) {
            // An extern array in shared memory has no definition: the launch provides it.
            if (v.is_extern && v.space == Space::shared) continue;
            if (v.is_extern)
                keep(variables_, v.name);
            else
                here.insert(v.name);
        }
        for (const Function& function : module.functions) look(module, function, here);
        for (const Variable& variable : module.variables)
            for (const Initialiser& value : variable.init)
                if (may_be_missing(value.symbol, here))
                    add(value.symbol, {.from = keep(names_, ""), .file = keep(names_, "")});
        for (const std::string_view name : here) keep(defined_, name);
    }

    [[nodiscard]] std::vector<Unresolved> found() const {
        std::vector<Unresolved> out;
        if (bytes_ > most_bytes) return out;
        for (const Use& one : used_) {
            const bool is_function = functions_.contains(*one.name);
            if (defined_.contains(*one.name) || (!is_function && !variables_.contains(*one.name)))
                continue;
            out.push_back({.name = told(*one.name),
                           .from = told(*one.from),
                           .file = *one.file,
                           .line = one.line,
                           .column = one.column,
                           .is_function = is_function});
            if (out.size() == most_told) break;
        }
        return out;
    }

private:
    using Names = std::set<std::string, std::less<>>;
    struct Use {
        const std::string* name = nullptr;
        const std::string* from = nullptr;
        const std::string* file = nullptr;
        int line = 0, column = 0;
    };
    /// Of names; beyond it nothing is found, and the device's linker tells what is missing. Chosen:
    /// a hundred times what a file that uses all of Thrust has.
    static constexpr std::size_t most_bytes = 96 << 20;

    /// Names that are kept stay where they are.
    const std::string* keep(Names& names, std::string_view name) {
        const auto known = names.find(name);
        if (known != names.end()) return &*known;
        if (bytes_ > most_bytes) return &*names_.emplace().first;
        bytes_ += name.size() + sizeof(Use) + 2 * sizeof(std::string);
        return &*names.emplace(name).first;
    }

    [[nodiscard]] bool may_be_missing(std::string_view name,
                                      const std::set<std::string_view>& here) const {
        return !name.empty() && !here.contains(name) && !seen_.contains(name) &&
               !is_the_devices_own(name);
    }

    void look(const Module& module, const Function& function,
              const std::set<std::string_view>& here) {
        for (const Instruction& instruction : function.instructions)
            for (std::uint32_t n = 0; n < instruction.operand_count; ++n) {
                const Operand& operand = function.operands[instruction.first_operand + n];
                look(module, function, instruction, operand, here);
                if (operand.kind != OperandKind::vector) continue;
                for (std::uint32_t k = 0; k < operand.count; ++k)
                    look(module, function, instruction, function.operands[operand.first + k], here);
            }
    }

    void look(const Module& module, const Function& function, const Instruction& instruction,
              const Operand& operand, const std::set<std::string_view>& here) {
        if (operand.symbol_kind != SymbolKind::module) return;
        if (operand.kind != OperandKind::symbol && operand.kind != OperandKind::address) return;
        if (!may_be_missing(operand.name, here)) return;
        const SourceLine& line =
            instruction.inlined_at.file >= 0 ? instruction.inlined_at : instruction.source;
        std::string_view file;
        if (line.file >= 0 && static_cast<std::size_t>(line.file) < module.files.size())
            file = module.files[static_cast<std::size_t>(line.file)];
        add(operand.name, {.from = keep(names_, function.name),
                           .file = keep(names_, file),
                           .line = line.line,
                           .column = line.column});
    }

    /// Another module may yet declare it, or define it.
    void add(std::string_view name, Use one) {
        if (bytes_ > most_bytes) return;
        one.name = keep(seen_, name);
        used_.push_back(one);
    }

    Names defined_, functions_, variables_, seen_, names_;
    std::vector<Use> used_;
    std::size_t bytes_ = 0;  ///< of all that is kept
};

UnresolvedSearch::UnresolvedSearch(bool together) : together_(together) {}
UnresolvedSearch::~UnresolvedSearch() = default;

void UnresolvedSearch::add(const Module& module, int arch) {
    if (together_) {
        groups_[arch].add(module);
        return;
    }
    Group group;
    group.add(module);
    append(group.found());
}

std::vector<Unresolved> UnresolvedSearch::take() {
    for (const auto& [arch, group] : groups_) append(group.found());
    groups_.clear();
    return std::move(found_);
}

void UnresolvedSearch::append(std::vector<Unresolved> more) {
    for (Unresolved& one : more) {
        const auto same = [&one](const Unresolved& o) { return o.name == one.name; };
        if (std::ranges::none_of(found_, same)) found_.push_back(std::move(one));
    }
}

std::vector<Unresolved> find_unresolved(std::vector<FatbinPtx> images, bool together) {
    UnresolvedSearch search(together);
    for (FatbinPtx& image : images)
        if (auto module = parse(std::move(image.text), "PTX")) search.add(**module, image.arch);
    return search.take();
}

}  // namespace cugrade::ptx
