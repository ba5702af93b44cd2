#include "judging/output_rules.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "judging/shared_rules.hpp"

namespace cugrade::edit {

namespace {

/// `out[i] += x;` in a kernel that has no atomics: one thread adds up its own element. 0: nowhere.
int plain_sum_in_output(const Text& text, const Function& kernel) {
    int found = 0;
    for (std::size_t i = kernel.open; i + 2 < kernel.close; ++i) {
        if (text.word(i).starts_with("atomic")) return 0;
        if (!is_name(text.token(i)) || text.word(i + 1) != "[" ||
            text.word(text.code.match(i + 1) + 1) != "+=")
            continue;
        const auto at = std::ranges::find(kernel.parameters, text.word(i));
        if (at == kernel.parameters.end()) continue;
        const auto n = static_cast<std::size_t>(at - kernel.parameters.begin());
        const Function& host = *text.reached.front();
        for (const SourceCode::Launch& launch : text.code.launches())
            if (launch.kernel == kernel.name && n < launch.arguments.size())
                for (std::size_t a = 0; a < host.parameters.size(); ++a)
                    if (a < text.task.arguments.size() &&
                        text.task.arguments[a].role == Role::output &&
                        words(text, launch.arguments[n]) == host.parameters[a])
                        found = text.line(i);
    }
    return found;
}

/// The first loop of a function in which a kernel is launched; 0: there is none.
int loop_with_launch(const Text& text, const Function& f, std::string_view kernel) {
    for (const Loop& loop : loops_in(text, f))
        for (const SourceCode::Launch& one : text.code.launches())
            if (one.kernel == kernel && is_in(loop.all, one.at)) return text.line(loop.at);
    return 0;
}

}  // namespace

void where_children_are_read(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.evidence.find("at their launch") == std::string::npos) return;
    std::set<std::string_view> given;
    std::size_t last = 0;
    for (const SourceCode::Launch& one : text.code.launches()) {
        if (one.at < f->open || one.at > f->close) continue;
        last = std::max(last, one.at);
        for (const Range& argument : one.arguments) given.merge(names_of(text, argument));
    }
    for (std::size_t i = behind(text, last); last > 0 && i + 2 < f->close; ++i) {
        const bool is_element = given.contains(text.word(i)) && text.word(i + 1) == "[" &&
                                text.word(text.code.match(i + 1) + 1) != "=";
        const bool is_first =
            text.word(i) == "=" && text.word(i + 1) == "*" && given.contains(text.word(i + 2));
        if (!is_element && !is_first) continue;
        return put_at(text, text.line(i), cause);
    }
}

void where_output_is_set(const Text& text, Cause& cause) {
    if (text.reached.empty()) return;
    const Function& f = *text.reached.front();
    std::set<std::string_view> outputs;
    for (std::size_t n = 0; n < text.task.arguments.size() && n < f.parameters.size(); ++n)
        if (text.task.arguments[n].role == Role::output) outputs.insert(f.parameters[n]);
    std::vector<std::size_t> sets;
    for (std::size_t i = f.open; i < f.close; ++i)
        if (text.word(i).starts_with("cudaMemset") && text.word(i + 1) == "(" &&
            outputs.contains(text.word(i + 2)))
            sets.push_back(i);
    const auto launches_in = [&](Range range) {
        std::size_t found = 0;
        for (const SourceCode::Launch& one : text.code.launches())
            if (found == 0 && is_in(range, one.at)) found = one.at;
        return found;
    };
    const auto conditions = conditions_in(text, f);
    for (const Condition& one : conditions) {
        const auto sets_in = [&](Range range) {
            return std::ranges::any_of(sets, [&](std::size_t at) { return is_in(range, at); });
        };
        if (sets_in(one.body) == sets_in(one.other) || sets_in({f.open, one.at})) continue;
        const std::size_t launch = launches_in(sets_in(one.body) ? one.other : one.body);
        if (launch == 0) continue;
        cause.advice = fmt::format(
            "Set the output on both ways: cudaMemset in front of the condition in line {}.",
            text.line(one.at));
        return put_between(text, text.line(one.at), text.line(launch), cause);
    }
    if (sets.empty() && !outputs.empty())
        for (const Function* kernel : text.reached)
            if (const int sum = plain_sum_in_output(text, *kernel)) {
                if (is_stored_further_on(text, sum, cause)) return;
                if (const int loop = loop_with_launch(text, f, kernel->name)) {
                    cause.advice = fmt::format(
                        "Set the output first: cudaMemset before the loop in line {}.", loop);
                    return put_between(text, text.lines.line_before(loop), loop, cause);
                }
                int first = sum;
                for (const Loop& loop : loops_in(text, *kernel))
                    if (text.line(loop.at) < sum && sum <= text.line(loop.all.last - 1))
                        first = text.line(loop.at);
                cause.advice = fmt::format(
                    "Set the element to 0 before line {}, or add up in a variable and store that.",
                    first);
                return put_between(text, first, sum, cause);
            }
    // Nothing sets it, and where there is nothing to do the function has left.
    if (!sets.empty() || cause.end_line <= 0) return;
    for (const Condition& one : conditions)
        if (text.word(one.body.first + (text.word(one.body.first) == "{" ? 1 : 0)) == "return" &&
            text.line(one.at) < cause.location.line) {
            cause.advice = fmt::format(
                "Set the output first: cudaMemset before line {}, so that it is set for no "
                "elements, too.",
                text.line(one.at));
            return put_between(text, text.lines.line_before(text.line(one.at)), cause.end_line,
                               cause);
        }
}

void where_input_is_writable(const Text& text, Cause& cause) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 5 < f->close; ++i) {
            const bool is_declaration = is_any(text.word(i - 1), {";", "{", "}"});
            if (is_declaration && is_name(text.token(i)) && text.word(i + 1) == "&" &&
                is_name(text.token(i + 2)) && text.word(i + 3) == "=" &&
                std::ranges::find(f->parameters, text.word(i + 4)) != f->parameters.end() &&
                text.word(i + 5) == "[")
                return put_at(text, text.line(i), cause);
        }
    for (const Function* f : text.reached) {
        std::vector<std::size_t> casts;
        for (std::size_t i = f->open; i < f->close; ++i)
            if (text.word(i) == "const_cast") casts.push_back(i);
        if (casts.size() == 1 && text.word(casts[0] - 1) == "=")
            return put_at(text, text.line(casts[0]), cause);
    }
}

namespace {

/// Whether a function stores elements of an array that is its parameter.
bool is_written_to(const Text& text, const Function& f, std::size_t parameter) {
    return !text.code.uses_of(f.name, parameter, SourceCode::Use::stored).empty();
}

/// What an argument is, and the line that has given it another name: `int* sums = out;`.
struct OtherName {
    std::string of;
    int line = 0;
};
OtherName named_by(const Text& text, Range argument) {
    OtherName out{words(text, argument)};
    if (argument.last != argument.first + 1) return out;
    const int made = definition_in(text, text.word(argument.first), text.line(argument.first));
    const Range there = text.code.tokens_of_line(made);
    for (std::size_t i = there.first + 1; made > 0 && i + 2 < there.last; ++i)
        if (text.word(i) == out.of && text.word(i - 1) == "*" && text.word(i + 1) == "=" &&
            is_name(text.token(i + 2)) && text.word(i + 3) == ";")
            return {std::string(text.word(i + 2)), made};
    return out;
}

struct LaunchOntoInput {
    int named = 0;  ///< where the array gets its second name; 0: it has none
    int launch = 0;
};
/// The launch that gives a kernel one array both as `const T* from` and as `T* to`; 0: there is
/// none, or the kernel does not read and write elements of different threads.
LaunchOntoInput launch_onto_its_input(const Text& text, int line) {
    const Function* kernel = text.code.around(line);
    if (kernel == nullptr) return {};
    const auto is_const_pointer = [&](std::string_view name) {
        for (std::size_t i = kernel->at; i < kernel->open; ++i) {
            if (text.word(i) != name || text.word(i - 1) == "<") continue;
            std::size_t type = i - 1;
            bool is_pointer = false, is_const = false;
            for (; type > kernel->at && !is_any(text.word(type), {",", "("}); --type) {
                is_pointer |= text.word(type) == "*";
                is_const |= text.word(type) == "const";
            }
            return is_pointer ? std::optional(is_const) : std::nullopt;
        }
        return std::optional<bool>();
    };
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (launch.kernel != kernel->name) continue;
        const std::size_t count = std::min(launch.arguments.size(), kernel->parameters.size());
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b) {
                const OtherName from = named_by(text, launch.arguments[a]);
                const OtherName to = named_by(text, launch.arguments[b]);
                if (from.of != to.of) continue;
                const auto one = is_const_pointer(kernel->parameters[a]);
                const auto other = is_const_pointer(kernel->parameters[b]);
                if (one && other && (*one != *other || is_written_to(text, *kernel, b)))
                    return {std::max(from.line, to.line), text.line(launch.at)};
            }
    }
    return {};
}

/// `int* offsets = totals;`, where the kernel around a line gets both. 0: nowhere.
int other_name_for_argument(const Text& text, int line) {
    const Function* kernel = text.code.around(line);
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (kernel == nullptr || launch.kernel != kernel->name) continue;
        std::set<std::string> given;
        for (const Range& one : launch.arguments) given.insert(words(text, one));
        for (const Range& one : launch.arguments)
            if (const OtherName other = named_by(text, one);
                other.line > 0 && given.contains(other.of))
                return other.line;
    }
    return 0;
}

}  // namespace

void from_read_to_store(const Text& text, Cause& cause) {
    const auto [named, launch] = launch_onto_its_input(text, cause.location.line);
    if (launch > 0 && named > 0) return put_between(text, named, launch, cause);
    if (launch > 0) return put_at(text, launch, cause);
    if (const int alias = other_name_for_argument(text, cause.location.line)) {
        cause.advice = "Let it be memory of its own: both names stand for the same array.";
        return put_at(text, alias, cause);
    }
    if (!cause.second || cause.second->file != cause.location.file ||
        text.code.around(cause.second->line) != text.code.around(cause.location.line))
        return;
    const auto [first, last] = std::minmax(cause.location.line, cause.second->line);
    constexpr int nearby = 10;
    if (last - first <= nearby) put_between(text, first, last, cause);
}

}  // namespace cugrade::edit
