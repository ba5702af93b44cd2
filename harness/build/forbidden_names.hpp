// The names that a policy forbids, and where the submission's own text uses one.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/called_names.hpp"
#include "build/preprocessed.hpp"
#include "core/policy.hpp"

namespace cugrade {

/// "cub::*" or "atomicAdd(double*, double)".
struct CallPattern {
    std::vector<std::string> parts;  ///< without the *
    bool all_of_namespace = false;
    bool has_parameters = false;
    std::string parameters;
    std::string written;

    explicit CallPattern(const std::string& text) : written(text) {
        FunctionName name = parse_function_name(text);
        parts = std::move(name.parts);
        has_parameters = name.has_parameters;
        parameters = std::move(name.parameters);
        if (!parts.empty() && parts.back() == "*") {
            parts.pop_back();
            all_of_namespace = true;
        }
    }
    [[nodiscard]] bool is_global() const { return parts.size() == 1 && !all_of_namespace; }

    /// Whether the name is one of these, or belongs to one (a member of a class).
    [[nodiscard]] bool covers(const std::vector<std::string>& name) const {
        if (name.size() < parts.size() + (all_of_namespace ? 1 : 0)) return false;
        return std::equal(parts.begin(), parts.end(), name.begin()) &&
               (!is_global() || name.size() == 1);
    }
    [[nodiscard]] bool covers_namespace(const std::vector<std::string>& name) const {
        return all_of_namespace && name.size() >= parts.size() &&
               std::equal(parts.begin(), parts.end(), name.begin());
    }
    /// Whether a name that nobody can take apart has all parts of this one, in order:
    /// `3cub6Reduce`.
    [[nodiscard]] bool may_be(std::string_view mangled) const {
        for (const std::string& part : parts) {
            const std::string written_there = std::to_string(part.size()) + part;
            const std::size_t at = mangled.find(written_there);
            if (at == std::string_view::npos) return false;
            mangled.remove_prefix(at + written_there.size());
        }
        return true;
    }
    [[nodiscard]] bool covers(const FunctionName& name) const {
        if (!name.mangled.empty()) return may_be(name.mangled);
        if (has_parameters && (!name.has_parameters || name.parameters != parameters)) return false;
        if (covers(name.parts)) return true;
        // Device code calls printf by another name.
        return is_global() && parts[0] == "printf" && name.parts.size() == 1 &&
               name.parts[0] == "vprintf";
    }
};

struct CompiledRule {
    const SourceRule* rule;
    std::vector<CallPattern> calls;
};
[[nodiscard]] std::vector<CompiledRule> compiled(const std::vector<SourceRule>&);

/// "cub::Sum is ruled out: by hand"
[[nodiscard]] std::string ruled_out(std::string_view what, const SourceRule&);

/// The first name in the submission's own text that a rule forbids, as a sentence for the student.
/// Names only: overloads are resolved in what the compiler made of the text (called_names.hpp).
[[nodiscard]] std::optional<std::string> find_forbidden_name(const std::vector<CompiledRule>&,
                                                             const Preprocessed&);

}  // namespace cugrade
