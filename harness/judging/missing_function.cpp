#include "judging/missing_function.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/called_names.hpp"
#include "core/closest.hpp"
#include "core/files.hpp"
#include "judging/place_of_missing.hpp"

namespace cugrade {
namespace {

constexpr std::string_view stub = "__device_stub__";  // nvcc's host functions that launch kernels

/// "float const*" as students write it: "const float*".
std::string as_written(std::string parameter) {
    constexpr std::string_view word = " const";
    const std::size_t at = parameter.find(word);
    if (at == std::string::npos || parameter.find_first_of("*&<(") < at) return parameter;
    parameter.erase(at, word.size());
    return "const " + parameter;
}

/// "(float const*, unsigned long)" behind a demangled name, as a list.
std::vector<std::string> parameters_of(std::string_view text) {
    std::vector<std::string> out;
    if (!text.ends_with(')')) return out;
    int depth = 0;
    std::size_t open = text.size();
    while (open > 0) {
        --open;
        if (text[open] == ')') ++depth;
        if (text[open] == '(' && --depth == 0) break;
    }
    std::string one;
    depth = 0;
    for (const char c : text.substr(open + 1, text.size() - open - 2)) {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c == ',' && depth == 0)
            out.push_back(as_written(std::exchange(one, {})));
        else if (c != ' ' || !one.empty())
            one += c;
    }
    if (!one.empty()) out.push_back(as_written(std::move(one)));
    return out;
}

/// "parameter 1 is const float*, not const double*", for the first that differs.
std::string difference(const std::vector<std::string>& found,
                       const std::vector<std::string>& wanted) {
    if (found.size() != wanted.size())
        return fmt::format("it has {} parameter{}, not {}", found.size(),
                           found.size() == 1 ? "" : "s", wanted.size());
    const auto [one, other] = std::ranges::mismatch(found, wanted);
    if (one == found.end()) return {};
    return fmt::format("parameter {} is `{}`, not `{}`", one - found.begin() + 1, *one, *other);
}

/// The sentence's second half about what a symbol's declaration has and must not have; empty: its
/// parameters differ, or nobody else can call it.
std::string_view declared_as(const HostSymbol& found, std::string_view function) {
    if (!found.name.has_parameters) return "it is declared `extern \"C\"`; leave that away";
    if (found.text.find(std::string(function) + '<') != std::string::npos)
        return "it is a template; write an ordinary function, which may call it";
    return {};
}

/// What the submission's executable defines, as far as it can be meant by a task's function.
class Candidates {
public:
    Candidates(const AssignmentSpec& assignment, const TaskSpec& task,
               const std::vector<HostSymbol>& symbols)
        : function_(task.function) {
        for (const HostSymbol& symbol : symbols) {
            const auto& parts = symbol.name.parts;
            if (parts.empty()) continue;
            if (!symbol.is_defined && parts.size() == 1 && parts[0] == function_)
                declared_ = &symbol;
            if (!symbol.is_defined) continue;
            if (symbol.text.find(stub) != std::string::npos)
                stubs_.push_back(symbol.text);
            else if (parts.back() == function_)
                same_name_.push_back(&symbol);
            else if (parts.size() == 1 && is_students(assignment, parts[0]))
                others_.push_back(parts[0]);
        }
    }

    /// Where a function of this name is another function than the declared one.
    [[nodiscard]] std::optional<std::string> of_the_same_name() const {
        if (declared_ == nullptr) return {};
        const std::string head = fmt::format(
            "the submission has a `{}`, but not the one that interface.cuh declares: ", function_);
        for (const HostSymbol* found : same_name_) {
            if (found->name.parts.size() > 1)
                return fmt::format("{}it is `{}`; move it out of the namespace", head,
                                   fmt::join(found->name.parts, "::"));
            if (const auto other = declared_as(*found, function_); !other.empty())
                return fmt::format("{}{}", head, other);
            const std::string differs = difference_of(*found);
            return head + (differs.empty()
                               ? "it is `static` or in an unnamed namespace, where nobody "
                                 "else can call it"
                               : differs + ", and in C++ that makes it another function");
        }
        return {};
    }

    /// In what a function of this name, which others could call, is not the declared one: a half
    /// sentence. Nothing: there is none.
    [[nodiscard]] std::optional<std::string> overload() const {
        if (declared_ == nullptr) return {};
        for (const HostSymbol* found : same_name_) {
            if (found->name.parts.size() > 1) continue;
            if (const auto other = declared_as(*found, function_); !other.empty())
                return std::string(other);
            if (auto differs = difference_of(*found); !differs.empty()) return differs;
        }
        return {};
    }

    /// The name that was likely meant to be the function's; empty: none is.
    [[nodiscard]] std::string misspelled() const { return closest(function_, others_); }
    /// The stub of sum(float const*) is __device_stub__Z3sumPKf.
    [[nodiscard]] bool is_kernel(std::string_view name) const {
        const std::string mangled = fmt::format("{}{}", name.size(), name);
        return std::ranges::any_of(stubs_, [&](std::string_view text) {
            return text.find(mangled) != std::string_view::npos;
        });
    }

private:
    [[nodiscard]] std::string difference_of(const HostSymbol& found) const {
        return difference(parameters_of(found.text), parameters_of(declared_->text));
    }
    static bool is_students(const AssignmentSpec& assignment, std::string_view name) {
        return !name.starts_with('_') && !name.starts_with("cuda") && name != "main" &&
               std::ranges::none_of(assignment.tasks,
                                    [&](const TaskSpec& task) { return task.function == name; });
    }

    std::string_view function_;
    const HostSymbol* declared_ = nullptr;
    std::vector<const HostSymbol*> same_name_;
    std::vector<std::string> others_;
    std::vector<std::string_view> stubs_;
};

}  // namespace

std::string missing_function(const AssignmentSpec& assignment, const TaskSpec& task,
                             const std::filesystem::path& runner) {
    if (const auto symbols = symbols_of(runner)) {
        const Candidates candidates(assignment, task, *symbols);
        const bool has_kernel = candidates.is_kernel(task.function);
        if (auto other = candidates.of_the_same_name(); other && !has_kernel)
            return *std::move(other);
        const std::string name = has_kernel ? task.function : candidates.misspelled();
        if (!name.empty() && candidates.is_kernel(name))
            return fmt::format(
                "the submission defines no function `{}`, only a kernel `{}`: write the function "
                "that interface.cuh declares, and launch the kernel from it",
                task.function, name);
        if (!name.empty())
            return fmt::format(
                "the submission defines no `{}`, but a `{}`: is that it, under "
                "another name than in interface.cuh?",
                task.function, name);
    }
    return fmt::format("the submission defines no `{}`, which interface.cuh declares",
                       task.function);
}

Cause missing_function_cause(const AssignmentSpec& assignment, const TaskSpec& task,
                             const std::filesystem::path& runner,
                             std::span<const SourceFile> source) {
    MissingFunction missing{.name = task.function, .interface = {}, .difference = {}};
    for (const TaskSpec& one : assignment.tasks) missing.interface.push_back({one.function, {}});
    if (const auto text = read_file(assignment.folder / "interface.cuh"))
        if (auto declared = declarations_in(*text); !declared.empty())
            missing.interface = std::move(declared);
    if (const auto symbols = symbols_of(runner))
        missing.difference =
            Candidates(assignment, task, *symbols).overload().value_or(std::string());
    Cause cause = place_of_missing(missing, source);
    cause.proof = Proof::proven;
    cause.evidence = "the linked program has no such function";
    return cause;
}

}  // namespace cugrade
