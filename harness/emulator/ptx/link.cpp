// Theory of operation. Modules refer to each other by name, and the decoder resolves names once it
// sees the whole program. So linking makes each name mean one thing. Local names of a module
// (string constants are `$str` in every module) get a suffix where another module uses the same
// name. Of several weak definitions the first stays. A declaration is dropped where there is a
// definition.
#include "emulator/ptx/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace cugrade::ptx {
namespace {

bool is_declaration(const Variable& v) { return v.is_extern; }
bool is_declaration(const Function& f) { return f.is_declaration; }

/// No other module can see the symbol.
template <class Symbol>
bool is_local(const Symbol& s) {
    return !is_declaration(s) && !s.is_visible && !s.is_weak;
}

/// Replaces each old name in `names` by its new one, wherever the module uses it.
void rename(Module& module, const std::map<std::string_view, std::string_view>& names) {
    const auto change = [&names](std::string_view& name) {
        if (const auto it = names.find(name); it != names.end()) name = it->second;
    };
    for (Variable& v : module.variables) {
        change(v.name);
        for (Initialiser& i : v.init) change(i.symbol);
    }
    for (Function& f : module.functions) {
        change(f.name);
        for (Variable& v : f.variables)
            for (Initialiser& i : v.init) change(i.symbol);
        for (Operand& o : f.operands)
            if (o.symbol_kind == SymbolKind::module &&
                (o.kind == OperandKind::symbol || o.kind == OperandKind::address))
                change(o.name);
    }
}

class Linker {
public:
    Result<std::unique_ptr<Module>> run(std::vector<std::unique_ptr<Module>> modules) {
        out_->target = modules.front()->target;
        out_->is_debug = std::any_of(modules.begin(), modules.end(),
                                     [](const auto& module) { return module->is_debug; });
        out_->version_major = modules.front()->version_major;
        out_->version_minor = modules.front()->version_minor;
        for (const auto& module : modules) {
            const auto look = [this](const auto& symbols) {
                for (const auto& s : symbols)
                    if (!is_local(s)) taken_.insert(s.name);
            };
            look(module->variables);
            look(module->functions);
        }
        for (std::unique_ptr<Module>& module : modules) {
            separate(*module);
            move_files(*module);
            if (auto status = collect(module->variables, "variable"); !status)
                return status.error();
            if (auto status = collect(module->functions, "function"); !status)
                return status.error();
            out_->parts.push_back(std::move(module));
        }
        for (auto& part : out_->parts) {
            for (Variable& v : part->variables) {
                // An extern array in shared memory has no definition: the launch provides it.
                const bool dynamic = v.is_extern && v.space == Space::shared;
                if (!dynamic && v.is_extern && !defined_.contains(v.name))
                    return Error{.kind = ErrorKind::submission,
                                 .message = fmt::format("undefined reference to the variable `{}`",
                                                        demangled(v.name)),
                                 .remedy = "compile the file that defines it with -rdc=true, too"};
                if (dynamic ? dynamic_.insert(v.name).second : keeps(v.name, &v))
                    out_->variables.push_back(std::move(v));
            }
            for (Function& f : part->functions)
                if (keeps(f.name, &f)) out_->functions.push_back(std::move(f));
        }
        return std::move(out_);
    }

private:
    /// Renames the module's local symbols if their names are taken.
    void separate(Module& module) {
        std::map<std::string_view, std::string_view> names;
        const auto look = [&](const auto& symbol) {
            if (!is_local(symbol)) return;
            const auto [it, is_new] = taken_.insert(symbol.name);
            if (!is_new)
                names[symbol.name] = out_->renamed.emplace_back(
                    fmt::format("{}@{}", symbol.name, out_->parts.size() + 1));
        };
        for (const Variable& v : module.variables) look(v);
        for (const Function& f : module.functions) look(f);
        if (!names.empty()) rename(module, names);
    }

    void move_files(Module& module) {
        const auto first = static_cast<std::int32_t>(out_->files.size());
        const auto first_call = static_cast<std::int32_t>(out_->inlined_calls.size());
        for (std::string& file : module.files) out_->files.push_back(std::move(file));
        for (InlinedCall call : module.inlined_calls) {
            if (call.place.file >= 0) call.place.file += first;
            if (call.outer >= 0) call.outer += first_call;
            out_->inlined_calls.push_back(call);
        }
        for (Function& f : module.functions)
            for (Instruction& i : f.instructions) {
                for (SourceLine* line : {&i.source, &i.inlined_at})
                    if (line->file >= 0) line->file += first;
                if (i.call >= 0) i.call += first_call;
            }
    }

    template <class Symbols>
    Status collect(const Symbols& symbols, const char* what) {
        for (const auto& symbol : symbols) {
            if (is_declaration(symbol)) {
                declared_.emplace(symbol.name, &symbol);
                continue;
            }
            const auto [it, is_new] =
                defined_.emplace(symbol.name, Definition{&symbol, symbol.is_weak});
            if (is_new) continue;
            if (!symbol.is_weak && !it->second.is_weak)
                return Error{.kind = ErrorKind::submission,
                             .message = fmt::format("the {} `{}` is defined twice", what,
                                                    demangled(symbol.name)),
                             .remedy = "keep one definition, or make it static or inline"};
            if (it->second.is_weak && !symbol.is_weak) it->second = {&symbol, false};
        }
        return Done{};
    }

    /// Is `symbol` the one that is kept of its name? The definition is kept; without one, the first
    /// declaration.
    [[nodiscard]] bool keeps(std::string_view name, const void* symbol) const {
        if (const auto it = defined_.find(name); it != defined_.end())
            return it->second.symbol == symbol;
        const auto it = declared_.find(name);
        return it != declared_.end() && it->second == symbol;
    }

    struct Definition {
        const void* symbol = nullptr;
        bool is_weak = false;
    };
    std::unique_ptr<Module> out_ = std::make_unique<Module>();
    std::set<std::string_view> taken_;  ///< names that other modules use, or can see
    std::map<std::string_view, Definition> defined_;
    std::map<std::string_view, const void*> declared_;
    std::set<std::string_view> dynamic_;
};

}  // namespace

Result<std::unique_ptr<Module>> link(std::vector<std::unique_ptr<Module>> modules) {
    if (modules.size() == 1) return std::move(modules.front());
    return Linker().run(std::move(modules));
}

}  // namespace cugrade::ptx
