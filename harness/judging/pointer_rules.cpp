#include "judging/pointer_rules.hpp"

#include <algorithm>

#include "judging/written_calls.hpp"

namespace cugrade::edit {
namespace {

bool divides(const Text& text, int line) {
    const Range here = text.code.tokens_of_line(line);
    for (std::size_t i = here.first; i < here.last; ++i)
        if (text.word(i) == "/") return true;
    return false;
}

/// If the line computes with a parameter of its kernel, where the host divides for that one.
int division_for_parameter(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    for (const std::string& name : names_in(text.code.file(), line, text.source)) {
        const auto at = std::ranges::find(f->parameters, name);
        if (at == f->parameters.end()) continue;
        const auto n = static_cast<std::size_t>(at - f->parameters.begin());
        for (const SourceCode::Launch& launch : text.code.launches()) {
            if (launch.kernel != f->name || launch.arguments.size() <= n) continue;
            // section_length(n, blocks)
            for (const Function& called : text.code.functions())
                if (called.name == text.word(launch.arguments[n].first))
                    for (std::size_t i = called.open; i < called.close; ++i)
                        if (text.word(i) == "/") return text.line(i);
            if (launch.arguments[n].last != launch.arguments[n].first + 1) continue;
            const int made =
                definition_in(text, text.word(launch.arguments[n].first), text.line(launch.at));
            if (made > 0 && divides(text, made)) return made;
        }
    }
    return 0;
}

/// Where a parameter of a function is given a pointer behind another one's start: `p + n`; through
/// the functions that hand it on. 0: nowhere.
int sum_for_parameter(const Text& text, const Function& f, std::size_t n, int depth = 0) {
    constexpr int deepest = 3;
    if (depth > deepest) return 0;
    const auto look_at = [&](std::size_t at, Range argument) {
        const Function* owner = text.code.around(text.line(at));
        if (owner == nullptr || !text.reaches(owner)) return 0;
        std::string written = words(text, argument);
        if (written.find('+') != std::string::npos && is_name(text.token(argument.first)))
            return text.line(at);
        if (argument.last != argument.first + 1) return 0;
        if (const int made = definition_in(text, written, text.line(at)); made > 0) {
            const Range definition = text.code.tokens_of_line(made);
            for (std::size_t i = definition.first; i < definition.last; ++i) {
                if (text.word(i) == "+" && is_name(text.token(i - 1))) return made;
                if (text.word(i) == "=" && text.word(i + 2) == ";") written = text.word(i + 1);
            }
        }
        const auto handed_on = std::ranges::find(owner->parameters, written);
        if (handed_on == owner->parameters.end()) return 0;
        return sum_for_parameter(text, *owner,
                                 static_cast<std::size_t>(handed_on - owner->parameters.begin()),
                                 depth + 1);
    };
    for (const SourceCode::Launch& launch : text.code.launches())
        if (launch.kernel == f.name && n < launch.arguments.size())
            if (const int line = look_at(launch.at, launch.arguments[n])) return line;
    for (std::size_t i = 0; i + 1 < text.code.tokens().size(); ++i)
        if (text.word(i) == f.name && text.word(i + 1) == "(" && i != f.at)
            if (const auto arguments = arguments_of(text, i + 1); n < arguments.size())
                if (const int line = look_at(i, arguments[n])) return line;
    return 0;
}

/// The same for a wide access whose own offset is no number.
int shifted_argument(const Text& text, int access) {
    const Function* f = text.code.around(access);
    if (f == nullptr) return 0;
    const Range here = text.code.tokens_of_line(access);
    for (std::size_t i = here.first; i + 1 < here.last; ++i)
        if (is_any(text.word(i), {"+", "-"}) && !is_name(text.token(i + 1))) return 0;
    for (std::size_t i = here.first; i < here.last; ++i)
        if (const auto at = std::ranges::find(f->parameters, text.word(i));
            at != f->parameters.end())
            if (const int line = sum_for_parameter(
                    text, *f, static_cast<std::size_t>(at - f->parameters.begin())))
                return line;
    return 0;
}

}  // namespace

namespace {

/// Where `length = (n + parts - 1) / parts` is computed, by whose multiples parts begin; 0:
/// nowhere, or in several places.
int length_of_parts(const Text& text) {
    int found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 4; i < f->close; ++i) {
            if (text.word(i) != "/" || text.word(i - 1) != ")" || text.word(i - 2) != "1" ||
                text.word(i - 3) != "-")
                continue;
            std::size_t k = i;
            while (k > f->open && !is_any(text.word(k), {"=", ";"})) --k;
            const std::string_view name = text.word(k) == "=" ? text.word(k - 1) : "";
            bool begins_parts = false;
            for (std::size_t use = 1; !name.empty() && use + 1 < text.code.tokens().size(); ++use)
                begins_parts |= text.word(use) == name &&
                                (text.word(use - 1) == "*" || text.word(use + 1) == "*") &&
                                text.word(use + 2) != "sizeof";
            if (!begins_parts || text.line(i) == found) continue;
            if (found > 0) return 0;
            found = text.line(i);
        }
    return found;
}

}  // namespace

void where_pointer_is_made(const Text& text, Cause& cause) {
    // An access in a branch can have the line of its condition.
    const bool is_below = !casts_pointer(text, cause.location.line) &&
                          text.lines.is_below(cause.location.line + 1, cause.location.line) &&
                          casts_pointer(text, cause.location.line + 1);
    const int access = cause.location.line + (is_below ? 1 : 0);
    if (casts_pointer(text, access)) {
        for (const std::string& offset : names_in(text.code.file(), access, text.source))
            if (const int computed = definition_in(text, offset, access);
                computed > 0 && computed != access)
                if (const int divided = division_for_parameter(text, computed))
                    return put_at(text, divided, cause);
        if (const int shifted = shifted_argument(text, access)) {
            put_at(text, shifted, cause);
            // `half = n / 2`, by which it is shifted.
            for (const std::string_view name : names_of(text, text.code.tokens_of_line(shifted)))
                if (const int made = definition_in(text, name, shifted);
                    words_of_line(text, made).find('/') != std::string::npos)
                    put_near(text, made, cause);
            return;
        }
        if (const int length = length_of_parts(text)) return put_at(text, length, cause);
        const int head = text.lines.head_of_branch(access);
        if (head < access) return put_between(text, head, access, cause);
        return put_at(text, access, cause);
    }
    for (const std::string& name : names_in(text.code.file(), access, text.source)) {
        const int made = definition_in(text, name, access);
        if (made == 0 || made == access || !casts_pointer(text, made)) continue;
        for (const std::string& offset : names_in(text.code.file(), made, text.source)) {
            const int computed = definition_in(text, offset, made);
            if (computed == 0 || computed == made) continue;
            if (const int divided = division_for_parameter(text, computed))
                return put_at(text, divided, cause);
        }
        const int length = length_of_parts(text);
        return put_at(text, length > 0 ? length : made, cause);
    }
}

}  // namespace cugrade::edit
