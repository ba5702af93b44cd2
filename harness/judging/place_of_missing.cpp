#include "judging/place_of_missing.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/closest.hpp"
#include "judging/source_code.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

using Source = std::span<const SourceFile>;

/// The last line that has more than blanks.
int last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    return text.empty() ? 0 : 1 + static_cast<int>(std::ranges::count(text, '\n'));
}

class Search {
public:
    Search(const MissingFunction& missing, Source source) : missing_(missing), source_(source) {
        for (const SourceFile& file : source) {
            auto functions = functions_of(file);
            std::ranges::move(functions, std::back_inserter(written_));
        }
    }

    [[nodiscard]] Cause find() const {
        const WrittenFunction* same = of_the_name();
        if (same != nullptr && same->is_global() && is_another_function(*same))
            return of_another_signature(*same);
        if (same != nullptr && !same->is_kernel && !same->is_device) return of_an_unseen(*same);
        // A macro can have made one.
        if (!missing_.difference.empty()) return of_another_signature({});
        if (same == nullptr)
            if (const WrittenFunction* similar = misspelled()) return of_another_name(*similar);
        return of_none(same);
    }

private:
    /// The one that others come closest to calling.
    [[nodiscard]] const WrittenFunction* of_the_name() const {
        const WrittenFunction* found = nullptr;
        const auto worth = [](const WrittenFunction& one) {
            return one.is_global() ? 2 : one.is_kernel || one.is_device ? 0 : 1;
        };
        for (const WrittenFunction& one : written_)
            if (one.name == missing_.name && (found == nullptr || worth(one) > worth(*found)))
                found = &one;
        return found;
    }

    [[nodiscard]] bool is_another_function(const WrittenFunction& one) const {
        // One that the compiler has seen, and the linker has not found under its name.
        return one.is_template || one.is_extern_c || !missing_.difference.empty() ||
               (one.condition_line == 0 && !one.is_inline);
    }

    [[nodiscard]] const WrittenFunction* misspelled() const {
        std::vector<std::string> names;
        const auto fits = [&](const WrittenFunction& one) {
            // What is called is a helper of others.
            return !one.is_kernel && !one.is_device && !one.is_template && one.name != "main" &&
                   !is_declared(one.name) && calls_of(one.name, source_).empty();
        };
        for (const WrittenFunction& one : written_)
            if (fits(one)) names.push_back(one.name);
        const std::string name = closest(missing_.name, names);
        const auto found = std::ranges::find(written_, name, &WrittenFunction::name);
        return name.empty() ? nullptr : &*found;
    }

    [[nodiscard]] bool is_declared(std::string_view name) const {
        return std::ranges::find(missing_.interface, name, &DeclaredFunction::name) !=
               missing_.interface.end();
    }

    [[nodiscard]] std::string declared() const {
        const auto found =
            std::ranges::find(missing_.interface, missing_.name, &DeclaredFunction::name);
        return found == missing_.interface.end() || found->signature.empty() ? missing_.name
                                                                             : found->signature;
    }

    [[nodiscard]] Cause at(std::string_view id, const WrittenFunction& one) const {
        Cause cause{.id = std::string(id), .location = one.location};
        cause.explains = {"function_missing"};
        return cause;
    }

    [[nodiscard]] Cause of_another_signature(const WrittenFunction& one) const {
        Cause cause = at("wrong_signature", one);
        if (one.location.line > 0 && one.last_line > one.location.line)
            cause.end_line = one.last_line;
        const std::string why =
            one.is_extern_c && missing_.difference.empty()
                ? "it is declared `extern \"C\"`; leave that away"
            : one.is_template && missing_.difference.empty()
                ? "it is a template; write an ordinary function, which may call "
                  "it"
                : missing_.difference;
        if (one.location.line == 0) {
            cause.location = named();
            cause.sentence =
                fmt::format("The submission has a `{}` that is not the declared `{}`{}{}.",
                            missing_.name, declared(), why.empty() ? "" : ": ", why);
        } else {
            cause.sentence = fmt::format("Line {} defines `{}`; interface.cuh declares `{}`{}{}.",
                                         one.location.line, one.signature, declared(),
                                         why.empty() ? "" : ": ", why);
        }
        cause.advice =
            "Take the declaration from interface.cuh as it is: in C++ another list of "
            "parameters makes another function.";
        return cause;
    }

    /// It is written, and the rest of the program cannot call it.
    [[nodiscard]] Cause of_an_unseen(const WrittenFunction& one) const {
        Cause cause = at("function_missing", one);
        std::string where;
        if (one.is_unnamed_scope) {
            where =
                one.scope_line > 0
                    ? fmt::format("in the unnamed namespace that begins in line {}", one.scope_line)
                    : "in an unnamed namespace";
            cause.advice = fmt::format(
                "End the namespace before line {}, and begin it again behind "
                "the function if more follows.",
                one.first_line);
        } else if (!one.scope.empty() && one.scope.find('{') == std::string::npos) {
            where = fmt::format("in `{}`", one.scope);
            cause.advice = fmt::format(
                "Move it out of `{}`: interface.cuh declares it outside of "
                "all namespaces and classes.",
                one.scope);
        } else if (one.is_static) {
            where = "`static`";
            cause.advice = "Leave `static` away.";
        } else if (one.is_inline && one.condition_line == 0) {
            where = "`inline`, and nothing in its file calls it";
            cause.advice = "Leave `inline` away.";
        } else if (one.condition_line > 0) {
            where =
                fmt::format("under the `#if` in line {}, which leaves it out", one.condition_line);
            cause.advice = "Move it out of the `#if`, or mend the condition.";
            cause.second = SourceLocation{one.location.file, one.condition_line, 0};
        } else {
            where = "where the compiler does not see it as a function of the file";
            cause.advice = "Look for a brace that is missing above it.";
        }
        cause.sentence =
            fmt::format("`{}` in line {} is {}: the rest of the program cannot call it.",
                        missing_.name, one.location.line, where);
        return cause;
    }

    [[nodiscard]] Cause of_another_name(const WrittenFunction& one) const {
        Cause cause = at("function_misspelled", one);
        cause.sentence =
            fmt::format("Line {} defines `{}`; interface.cuh declares no such function, but `{}`.",
                        one.location.line, one.name, missing_.name);
        cause.advice = "Give the function the name that interface.cuh declares.";
        return cause;
    }

    [[nodiscard]] Cause of_none(const WrittenFunction* kernel) const {
        Cause cause{.id = "function_missing"};
        cause.explains = {"function_missing"};
        cause.sentence = fmt::format(
            "The submission defines no `{}`, which interface.cuh declares.", missing_.name);
        if (kernel != nullptr) {
            cause.sentence =
                fmt::format("Line {} defines a {} `{}`, and no function that the grader can call.",
                            kernel->location.line, kernel->is_kernel ? "kernel" : "device function",
                            missing_.name);
            cause.second = kernel->location;
        }
        const auto [location, is_before] = where_it_belongs();
        cause.location = location;
        cause.advice = fmt::format(
            "Write `{}` with a body{}{}.", declared(),
            location.line == 0 ? std::string()
            : is_before        ? fmt::format(" before line {}", location.line)
                               : std::string(" at the end of the file"),
            kernel == nullptr ? "" : ", give the kernel another name, and launch it there");
        return cause;
    }

    struct Belongs {
        SourceLocation location;
        bool is_before = false;
    };
    /// In the file that has the most functions of the interface.
    [[nodiscard]] Belongs where_it_belongs() const {
        const SourceFile* best = nullptr;
        std::vector<const WrittenFunction*> there;
        for (const SourceFile& file : source_) {
            std::vector<const WrittenFunction*> defined;
            for (const DeclaredFunction& one : missing_.interface)
                for (const WrittenFunction& f : written_)
                    if (f.name == one.name && f.location.file == file.name && f.is_global()) {
                        defined.push_back(&f);
                        break;
                    }
            if (best != nullptr && defined.size() <= there.size()) continue;
            best = &file;
            there = std::move(defined);
        }
        if (best == nullptr) return {};
        const bool in_order = std::ranges::is_sorted(
            there, {}, [](const WrittenFunction* f) { return f->location.line; });
        bool is_behind = false;
        for (const DeclaredFunction& one : missing_.interface) {
            const auto next = std::ranges::find(there, one.name, &WrittenFunction::name);
            if (in_order && is_behind && next != there.end())
                return {{best->name, (*next)->first_line, 0}, true};
            is_behind |= one.name == missing_.name;
        }
        return {{best->name, last_line(best->text), 0}, false};
    }

    /// The first place with the name, which is then an argument of a macro; else where it belongs.
    [[nodiscard]] SourceLocation named() const {
        for (const SourceFile& file : source_)
            for (const Token& token : tokens_of(file.text))
                if (token.text == missing_.name) return {file.name, token.line, 0};
        return where_it_belongs().location;
    }

    const MissingFunction& missing_;
    Source source_;
    std::vector<WrittenFunction> written_;
};

}  // namespace

Cause place_of_missing(const MissingFunction& missing, Source source) {
    return Search(missing, source).find();
}

}  // namespace cugrade
