#include "judging/warp_rules.hpp"

#include <algorithm>

#include "build/lexical.hpp"
#include "judging/barrier_rules.hpp"
#include "judging/written_calls.hpp"

namespace cugrade::edit {
namespace {

/// `members = 0xffffffff;`
bool is_set_to_number(const Text& text, int line) {
    const Range here = text.code.tokens_of_line(line);
    for (std::size_t i = here.first; i + 2 < here.last; ++i)
        if (text.word(i) == "=" && is_digit(text.word(i + 1)[0]) && text.word(i + 2) == ";")
            return true;
    return false;
}

/// The last warp-level call under a condition, with a mask that does not depend on who is there, in
/// front of a line of the function.
int conditional_call(const Text& text, const Function& f, int before) {
    const auto conditions = conditions_in(text, f);
    int found = 0;
    for (std::size_t i = f.open; i + 3 < f.close && text.line(i) < before; ++i) {
        if (!text.word(i).ends_with("_sync") || text.word(i + 1) != "(" || text.word(i + 3) != ",")
            continue;
        const int origin = text.code.origin_of(text.word(i + 2), text.line(i));
        const bool is_number = origin > 0 && is_set_to_number(text, origin);
        const bool is_constant = !is_name(text.token(i + 2)) || is_number ||
                                 (origin > 0 && text.code.around(origin) == nullptr);
        const bool is_below = std::ranges::any_of(conditions, [&](const Condition& one) {
            return is_in(one.body, i) || is_in(one.other, i);
        });
        if (!is_constant || !is_below) continue;
        // A variable of the function is there to be computed.
        found = is_number && text.code.around(origin) == &f ? origin : text.line(i);
    }
    return found;
}

/// A line in the head of a function that takes its calls' mask as a parameter: the call of that
/// function which names lanes that a condition keeps away. 0: it is not such a line, or no call or
/// several are so.
int call_that_gives_mask(const Text& text, int line) {
    const auto& functions = text.code.functions();
    const auto f = std::ranges::find_if(functions, [&](const Function& one) {
        return text.line(one.at) <= line && line <= text.line(one.open);
    });
    if (f == functions.end()) return 0;
    std::size_t parameter = f->parameters.size();
    for (std::size_t i = f->open; i + 2 < f->close; ++i)
        if (text.word(i).ends_with("_sync") && text.word(i + 1) == "(")
            parameter = std::min(parameter, static_cast<std::size_t>(
                                                std::ranges::find(f->parameters, text.word(i + 2)) -
                                                f->parameters.begin()));
    if (parameter == f->parameters.size()) return 0;
    int found = 0;
    for (const Function& caller : functions) {
        const auto conditions = conditions_in(text, caller);
        for (std::size_t i = caller.open; i < caller.close; ++i) {
            const std::size_t open = text.word(i) == f->name ? open_of_call(text, i) : 0;
            const auto arguments = open > 0 ? arguments_of(text, open) : std::vector<Range>();
            if (parameter >= arguments.size()) continue;
            const bool is_told_who = std::ranges::any_of(
                names_of(text, arguments[parameter]), [](std::string_view name) {
                    return name.ends_with("_sync") || name == "__activemask";
                });
            const bool is_below = std::ranges::any_of(conditions, [&](const Condition& one) {
                return (is_in(one.body, i) || is_in(one.other, i)) &&
                       depends_on_thread(text, {one.at, one.body.first});
            });
            if (is_told_who || !is_below) continue;
            if (found > 0) return 0;
            found = text.line(i);
        }
    }
    return found;
}

}  // namespace

void where_mask_is_named(const Text& text, Cause& cause) {
    const auto names = names_in(cause.location.file, cause.location.line, text.source);
    if (std::ranges::any_of(names, [](const std::string& one) { return one.ends_with("_sync"); }))
        return;
    if (const int given = call_that_gives_mask(text, cause.location.line))
        return put_at(text, given, cause);
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    if (const int own = conditional_call(text, *f, cause.location.line))
        return put_at(text, own, cause);
    int found = 0;
    for (std::size_t i = f->open; i < f->close && text.line(i) < cause.location.line; ++i)
        for (const Function& called : text.code.functions())
            if (called.name == text.word(i) && text.word(i + 1) == "(")
                if (const int line = conditional_call(text, called, text.line(called.close) + 1))
                    found = line;
    put_at(text, found, cause);
}

}  // namespace cugrade::edit
