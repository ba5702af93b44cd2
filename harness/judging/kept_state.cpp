// State that an earlier call has left: where it is declared, and where it should be set.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "judging/cause_places.hpp"

namespace cugrade {
namespace {

/// Whether a declaration outside of functions says that its value does not change.
bool is_constant_of_file(const SourceCode& code, std::size_t name) {
    const auto& t = code.tokens();
    for (std::size_t i = name; i > 0 && !is_any(t[i - 1].text, {";", "}"}); --i)
        if (is_any(t[i - 1].text, {"const", "constexpr", "enum", "using", "typedef", "define"}))
            return true;
    return false;
}

}  // namespace

/// Where a variable of the device is declared that the task uses, one with a first value before
/// others, and one that is not 0 before all: it has that in the first call alone. 0: there is none.
int CodeOfTask::device_variable(const SourceCode& code) const {
    const auto& t = code.tokens();
    int other = 0, zero = 0;
    const auto reached = code.reached_from(task_.function);
    for (std::size_t i = 0; i + 2 < t.size(); ++i) {
        if (t[i].text != "__device__" || code.around(t[i].line) != nullptr) continue;
        std::size_t end = i;
        while (end + 1 < t.size() && !is_any(t[end].text, {";", "=", "[", "(", "{"})) ++end;
        if (!is_any(t[end].text, {";", "=", "[", "{"}) || end < i + 2) continue;
        for (const Function* f : reached)
            for (std::size_t k = f->open; k < f->close; ++k)
                if (t[k].text == t[end - 1].text) {
                    const bool is_set = is_any(t[end].text, {"=", "{"});
                    // What begins as 0 may be a lock, which is free again at the end.
                    if (is_set && t[end + 1].text != "0") return t[i].line;
                    int& found = is_set ? zero : other;
                    if (found == 0) found = t[i].line;
                }
    }
    return zero > 0 ? zero : other;
}

/// Where a counter is declared, of finished blocks or of tickets, that no line sets back: what it
/// holds after the first call is certainly wrong in the next one. 0: there is none.
int CodeOfTask::ticket_never_reset(const SourceCode& code) const {
    const auto& t = code.tokens();
    const int declared = device_variable(code);
    const auto [first, last] = code.tokens_of_line(declared);
    std::string_view name;
    for (std::size_t i = first; i + 1 < last && name.empty(); ++i)
        if (is_name(t[i]) && is_any(t[i + 1].text, {"=", ";", "{"})) name = t[i].text;
    if (name.empty()) return 0;
    int uses = 0;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (t[i].text != name || t[i].line == declared) continue;
        const bool is_counted =
            i > 2 && t[i - 1].text == "&" && t[i - 2].text == "(" && t[i - 3].text == "atomicAdd";
        if (!is_counted) return 0;  // it is set, or its address goes somewhere
        ++uses;
    }
    return uses > 0 ? declared : 0;
}

/// Where the first call alone does something: the `if` on what a static variable holds, and in it
/// what sets memory; else the variable.
void CodeOfTask::place_kept_state(Cause& cause) const {
    for (const SourceCode& code : code_) {
        if (const int ticket = ticket_never_reset(code)) {
            cause.location = {code.file(), ticket, 0};
            return;
        }
        const auto& t = code.tokens();
        int condition = 0, sets = 0, declared = 0;
        std::set<std::string_view> of_file;
        for (std::size_t i = 1; i + 1 < t.size(); ++i)
            if (is_name(t[i]) && is_any(t[i + 1].text, {"=", ";"}) &&
                (is_name(t[i - 1]) || t[i - 1].text == "*") && code.around(t[i].line) == nullptr &&
                !code.is_member(i) && !is_constant_of_file(code, i))
                of_file.insert(t[i].text);
        // Of an object that outlives a call, so do the members.
        for (std::size_t i = 1; i + 1 < t.size(); ++i)
            if (is_name(t[i]) && is_any(t[i + 1].text, {"=", ";", "{"}) && is_name(t[i - 1]) &&
                code.is_member(i) && !is_any(t[i - 1].text, {"struct", "class", "constexpr"}))
                of_file.insert(t[i].text);
        for (const Function* f : code.reached_from(task_.function)) {
            std::set<std::string_view> kept = of_file;
            for (std::size_t i = f->open; i < f->close && i < t.size(); ++i) {
                if (t[i].text == "static") {
                    std::size_t k = i;
                    while (k < f->close && !is_any(t[k].text, {"=", ";", "[", "{"})) ++k;
                    kept.insert(t[k - 1].text);
                    declared = t[i].line;
                }
                if (t[i].text != "if" || i + 1 >= t.size()) continue;
                const std::size_t close = code.match(i + 1);
                bool tests = false;
                for (std::size_t k = i + 1; k < close && k < t.size(); ++k)
                    tests |= kept.contains(t[k].text);
                if (!tests) continue;
                condition = t[i].line;
                std::size_t end = close + 1;
                if (end < t.size() && t[end].text == "{")
                    end = code.match(end);
                else
                    while (end < t.size() && t[end].text != ";") ++end;
                for (std::size_t k = close; k < end && k < t.size(); ++k)
                    if (t[k].text.starts_with("cudaMemset")) sets = t[k].line;
            }
        }
        // A variable of the device outlives a call; a static one of the host often shall.
        if (const int variable = device_variable(code)) declared = variable;
        const int line = sets > 0 ? sets : condition > 0 ? condition : declared;
        if (line == 0) continue;
        cause.location = {code.file(), line, 0};
        if (sets > 0)
            cause.advice = fmt::format(
                "Move what line {} sets out of the `if`: it has to be set in each call.", sets);
        return;
    }
}

void CodeOfTask::place_at_early_return(Cause& cause) const {
    for (const SourceCode& code : code_) {
        const auto reached = code.reached_from(task_.function);
        const auto& t = code.tokens();
        if (reached.empty()) continue;
        for (std::size_t i = reached.front()->open; i + 1 < reached.front()->close; ++i) {
            if (t[i].text != "if" || t[i + 1].text != "(") continue;
            const std::size_t body = code.match(i + 1) + 1;
            const std::size_t first = body + (t[body].text == "{" ? 1 : 0);
            if (t[first].text != "return") continue;
            cause.location = {code.file(), t[i].line, 0};
            cause.end_line = t[first].line + 1;
            cause.advice = fmt::format(
                "Set the output in front of line {}: it has to be set for no elements, too.",
                t[i].line);
            return;
        }
    }
}

}  // namespace cugrade
