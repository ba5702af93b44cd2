#include "judging/slips.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "judging/edit_text.hpp"
#include "judging/number_slips.hpp"
#include "judging/step_rules.hpp"

namespace cugrade {
namespace {

using namespace edit;

/// The names of a plane's height and width, if none of the cases that fail is a square.
std::optional<std::pair<std::string, std::string>> shape_that_differs(const Text& text,
                                                                      const Symptoms& e) {
    std::string height, width;
    for (const ArgumentSpec& one : text.task.arguments)
        if (one.shape.size() == 2) {
            height = fmt::format("{}", one.shape[0]);
            width = fmt::format("{}", one.shape[1]);
            break;
        }
    if (height.empty() || height == width) return {};
    for (const CaseOutcome* one : e.failing) {
        const auto spec = std::ranges::find(text.task.cases, one->id, &CaseSpec::id);
        if (spec == text.task.cases.end()) continue;
        const auto h = spec->params.find(height), w = spec->params.find(width);
        if (h == spec->params.end() || w == spec->params.end() || h->second == w->second) return {};
    }
    return std::pair(height, width);
}

/// `row * height + column`, where rows are `width` apart, in each case of another shape than
/// square.
std::optional<Cause> pitch_is_height(const Text& text, const Symptoms& e) {
    const auto shape = shape_that_differs(text, e);
    if (!shape) return {};
    const auto& [height, width] = *shape;
    for (std::size_t i = 1; i + 2 < text.code.tokens().size(); ++i) {
        if (text.word(i) != "*" || text.word(i + 1) != height || text.word(i + 2) != "+") continue;
        Cause cause{.id = "transposed"};
        put_at(text, text.line(i), cause);
        cause.sentence = fmt::format(
            "Line {} takes rows to be `{}` elements apart; they are `{}` apart. Only data that are "
            "not square fail.",
            text.line(i), height, width);
        cause.advice = fmt::format("Change `{}` to `{}` there.", height, width);
        return cause;
    }
    return {};
}

/// `row >= width || col >= height`: each is held against the length of the other axis.
std::optional<Cause> holds_against_other_axis(const Text& text, const Symptoms& e) {
    const auto shape = shape_that_differs(text, e);
    if (!shape) return {};
    const auto compares = [&](std::size_t i, std::initializer_list<std::string_view> names,
                              std::string_view length) {
        return is_any(text.word(i), names) && is_any(text.word(i + 1), {"<", ">=", ">"}) &&
               text.word(i + 2) == length;
    };
    std::set<int> rows, columns;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i) {
            if (compares(i, {"row", "y", "gy", "iy", "sy"}, shape->second))
                rows.insert(text.line(i));
            if (compares(i, {"col", "column", "x", "gx", "ix", "sx"}, shape->first))
                columns.insert(text.line(i));
        }
    for (const int line : rows) {
        if (!columns.contains(line)) continue;
        Cause cause{.id = "transposed"};
        put_at(text, line, cause);
        cause.sentence = fmt::format(
            "Line {} holds rows against `{}` and columns against `{}`. Only data that are not "
            "square fail.",
            line, shape->second, shape->first);
        cause.advice = fmt::format("Exchange `{}` and `{}` there.", shape->first, shape->second);
        return cause;
    }
    return {};
}

/// The number in a product or sum such as `4 * stride`; 1: there is none.
long factor_in(const Text& text, Range range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
        long n = 0;
        const std::string_view word = text.word(i);
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
        if (error == std::errc{} && n > 0) return n;
    }
    return 1;
}

/// `for (; i + 3 * stride < n; i += 4 * stride)`, and no loop or condition for what is left.
std::optional<Cause> leaves_rest(const Text& text) {
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            if (text.word(loop.at) != "for") continue;
            const std::size_t close = text.code.match(loop.at + 1);
            const std::size_t first = end_of_statement(text, loop.at + 2, close) + 1;
            const std::size_t second = end_of_statement(text, first, close);
            const std::string_view name = text.word(first);
            if (second >= close || !is_name(text.token(first)) || text.word(first + 1) != "+" ||
                text.word(second + 1) != name || text.word(second + 2) != "+=")
                continue;
            std::size_t less = first;
            while (less < second && text.word(less) != "<") ++less;
            const long ahead = factor_in(text, {first + 2, less});
            const long step = factor_in(text, {second + 3, close});
            if (less == second || step < 2 || ahead != step - 1) continue;
            const std::string limit = words(text, {less + 1, second});
            bool has_rest = false;
            for (std::size_t k = loop.all.last; k < f->close; ++k)
                has_rest |= text.word(k) == "<" || text.word(k) == "%" || text.word(k) == "&";
            if (has_rest) continue;
            Cause cause{.id = "tail_ignored"};
            put_at(text, text.line(loop.at), cause);
            cause.end_line = text.line(loop.all.last);
            cause.sentence = fmt::format(
                "The loop in line {} takes {} elements a round, and ends where fewer are left "
                "before `{}`: those are taken by nobody.",
                text.line(loop.at), step, limit);
            cause.advice = "Put a second loop behind it, which takes the rest one by one.";
            return cause;
        }
    return {};
}

/// Whether a kernel has a loop that ends at one of its parameters, or at what is made of one.
bool takes_many(const Text& text, const Function& kernel) {
    const auto is_parameter = [&](std::string_view name) {
        return std::ranges::find(kernel.parameters, name) != kernel.parameters.end();
    };
    const auto is_size = [&](std::size_t i) {
        if (is_parameter(text.word(i))) return true;
        const int made = definition_in(text, text.word(i), text.line(i));
        return made > 0 &&
               std::ranges::any_of(names_of(text, text.code.tokens_of_line(made)), is_parameter);
    };
    return std::ranges::any_of(loops_in(text, kernel), [&](const Loop& loop) {
        const std::size_t close = text.code.match(loop.at + 1);
        for (std::size_t i = loop.at; i + 1 < close; ++i)
            if (is_any(text.word(i), {"<", "<=", ">="}) && is_size(i + 1)) return true;
        return false;
    });
}

/// `b > 64 ? 64 : b`, `min(b, 64)` or `if (b > 64) b = 64` where a grid is made whose threads take
/// one element each.
std::optional<Cause> caps_grid(const Text& text) {
    const auto is_number = [&](std::size_t i) {
        return text.word(i)[0] >= '1' && text.word(i)[0] <= '9';
    };
    const auto launches_single = [&](const Function* host) {
        return std::ranges::any_of(text.code.launches(), [&](const SourceCode::Launch& launch) {
            const auto kernel =
                std::ranges::find(text.code.functions(), launch.kernel, &Function::name);
            const bool asks_here = launch.at > host->open && launch.at < host->close;
            const bool calls =
                !launch.numbers.empty() && names_of(text, launch.numbers[0]).contains(host->name);
            return (asks_here || calls) && kernel != text.code.functions().end() &&
                   !takes_many(text, *kernel);
        });
    };
    for (const Function* f : text.reached) {
        if (!launches_single(f)) continue;
        for (std::size_t i = f->open + 1; i + 5 < f->close; ++i) {
            const std::string_view word = text.word(i);
            const bool chooses = word == ">" && is_number(i + 1) && text.word(i + 2) == "?" &&
                                 text.word(i + 3) == text.word(i + 1) && text.word(i + 4) == ":";
            const bool limits = word == ">" && is_number(i + 1) && text.word(i + 2) == ")" &&
                                text.word(i + 3) == text.word(i - 1) && text.word(i + 4) == "=" &&
                                text.word(i + 5) == text.word(i + 1);
            if (!chooses && !limits) continue;
            Cause cause{.id = "grid_too_small"};
            put_at(text, text.line(i), cause);
            cause.sentence = fmt::format(
                "Line {} lets the grid have {} blocks at most, and each thread takes one element: "
                "what is behind them is left out.",
                text.line(i), text.word(i + 1));
            cause.advice =
                "Launch as many blocks as there are elements for, or let each thread go on by the "
                "size of the grid.";
            return cause;
        }
    }
    return {};
}

/// `half = m / 2`, where `a[i]` takes `a[i + half]` for each `i < half`: of an odd number nobody
/// takes the last one.
std::optional<Cause> folds_rounded_down(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 4 < f->close; ++i) {
            const bool is_half = (text.word(i + 3) == "/" && text.word(i + 4) == "2") ||
                                 (text.word(i + 3) == ">" && text.word(i + 5) == "1");
            if (!is_name(text.token(i)) || text.word(i + 1) != "=" || !is_half ||
                std::ranges::find(f->parameters, text.word(i + 2)) == f->parameters.end())
                continue;
            const std::string_view half = text.word(i);
            bool reaches = false, is_limit = false, rounds = false;
            for (std::size_t k = i + 5; k + 2 < f->close; ++k) {
                reaches |= text.word(k) == "+" && text.word(k + 1) == half &&
                           is_any(text.word(k + 2), {"]", ")"});
                is_limit |= text.word(k) == "<" && text.word(k + 1) == half;
                rounds |= is_any(text.word(k), {"%", "&"});
            }
            if (!reaches || !is_limit || rounds) continue;
            Cause cause{.id = "not_a_power_of_two"};
            put_at(text, text.line(i), cause);
            cause.sentence = fmt::format(
                "Half of `{}` is rounded down in line {}: of an odd number nobody takes the last "
                "element.",
                text.word(i + 2), text.line(i));
            cause.advice = fmt::format(
                "Round the half up, `({0} + 1) / 2`, and let only those add whose partner is below "
                "`{0}`.",
                text.word(i + 2));
            return cause;
        }
    return {};
}

/// The tokens of a macro with parameters; empty: the name is none.
Range body_of_macro(const Text& text, std::string_view name) {
    for (std::size_t k = 1; k + 2 < text.code.tokens().size(); ++k) {
        if (text.word(k) != "define" || text.word(k - 1) != "#" || text.word(k + 1) != name ||
            text.word(k + 2) != "(" || text.line(k + 2) != text.line(k))
            continue;
        Range body{text.code.match(k + 2) + 1, 0};
        body.last = body.first;
        while (body.last < text.code.tokens().size() && text.line(body.last) == text.line(k))
            ++body.last;
        return body;
    }
    return {};
}

/// Of `row * width + column`: which of two names it is multiplied by; empty: neither, or both.
std::string_view pitch_of(const Text& text, Range index, std::string_view one,
                          std::string_view other) {
    std::string_view found;
    for (std::size_t i = index.first; i < index.last; ++i) {
        std::string_view here;
        if (text.word(i) == "*" && is_any(text.word(i + 1), {one, other})) here = text.word(i + 1);
        if (text.word(i + 1) == "*" && is_any(text.word(i), {one, other})) here = text.word(i);
        if (here.empty() && is_name(text.token(i)) && text.word(i + 1) == "(")
            if (const Range body = body_of_macro(text, text.word(i)); body.first < body.last)
                here = pitch_of(text, body, one, other);
        if (here.empty() || here == found) continue;
        if (!found.empty()) return {};
        found = here;
    }
    return found;
}

/// `sums[COPIES * BINS]`, which one line takes by rows of the one length and all others by rows of
/// the other.
std::optional<Cause> has_two_layouts(const Text& text) {
    const std::size_t end = text.code.tokens().size();
    for (std::size_t i = 1; i + 6 < end; ++i) {
        if (!is_name(text.token(i)) || text.word(i + 1) != "[" || text.word(i + 3) != "*" ||
            text.word(i + 5) != "]" || text.word(i + 6) != ";" || !is_name(text.token(i - 1)))
            continue;
        const std::string_view array = text.word(i), one = text.word(i + 2),
                               other = text.word(i + 4);
        if (one == other) continue;
        std::set<int> by_one, by_other;
        for (const Function* f : text.reached)
            for (std::size_t k = f->open; k + 1 < f->close; ++k) {
                if (text.word(k) != array || text.word(k + 1) != "[") continue;
                const std::string_view pitch =
                    pitch_of(text, {k + 2, text.code.match(k + 1)}, one, other);
                if (pitch == one) by_one.insert(text.line(k));
                if (pitch == other) by_other.insert(text.line(k));
            }
        by_one.erase(text.line(i));
        by_other.erase(text.line(i));
        if (by_one.empty() || by_other.empty() || (by_one.size() > 1 && by_other.size() > 1))
            continue;
        // Of one line each, what is read is likelier to be wrong than where it is stored.
        const int line = by_one.size() > by_other.size() ? *by_other.begin()
                         : by_other.size() > by_one.size()
                             ? *by_one.begin()
                             : std::max(*by_one.begin(), *by_other.begin());
        Cause cause{.id = "transposed"};
        put_at(text, line, cause);
        cause.sentence = fmt::format(
            "Line {} takes `{}` by rows of `{}`, and elsewhere its rows have `{}` elements.", line,
            array, by_one.contains(line) ? one : other, by_one.contains(line) ? other : one);
        cause.advice = "Compute the index the same way in all lines, best in one function.";
        return cause;
    }
    return {};
}

/// A loop that goes on by `stride` and has taken `in[i + stride]` already.
std::optional<Cause> takes_again(const Text& text) {
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            if (const int line = step_too_short(text, loop)) {
                Cause cause{.id = "wrong_stride"};
                put_at(text, line, cause);
                tell_step_too_short(text, loop, cause);
                return cause;
            }
        }
    return {};
}

/// `passes = bins / WIDTH`, of a loop with a launch in it.
std::optional<Cause> rounds_rounds_down(const Text& text) {
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            if (std::ranges::none_of(text.code.launches(), [&](const SourceCode::Launch& one) {
                    return is_in(loop.all, one.at);
                }))
                continue;
            const std::size_t close = text.code.match(loop.at + 1);
            for (std::size_t i = loop.at + 2; i + 1 < close; ++i) {
                if (text.word(i) != "<" || !is_name(text.token(i + 1))) continue;
                const int made = definition_in(text, text.word(i + 1), text.line(i));
                const Range line = text.code.tokens_of_line(made);
                bool divides = false, rounds = false;
                for (std::size_t k = line.first; made > 0 && k < line.last; ++k) {
                    divides |= text.word(k) == "/";
                    rounds |= is_any(text.word(k), {"+", "%", "ceil"});
                }
                if (!divides || rounds) continue;
                Cause cause{.id = "tail_ignored"};
                put_at(text, made, cause);
                cause.sentence = fmt::format(
                    "The number of rounds of the loop in line {} is rounded down in line {}: what "
                    "does not fill a round is left out.",
                    text.line(loop.at), made);
                cause.advice =
                    "Round it up, (n + width - 1) / width, and let the last round take "
                    "what is left.";
                return cause;
            }
        }
    return {};
}

bool has_atomic(const Text& text, Range range) {
    for (std::size_t i = range.first; i < range.last; ++i)
        if (text.word(i).starts_with("atomic") && text.word(i + 1) == "(") return true;
    return false;
}

/// Functions that hand something on by an atomic function, and are called in the range.
std::set<std::string_view> handed_on_by(const Text& text, Range range) {
    std::set<std::string_view> all;
    for (std::size_t i = range.first; i < range.last; ++i)
        if (const Function* f = function_called_at(text, i);
            f != nullptr && has_atomic(text, {f->open, f->close}))
            all.insert(f->name);
    return all;
}

/// A loop that collects what belongs together in a variable, and hands it on when the next begins:
/// behind the loop the last is still there.
std::optional<Cause> forgets_last_run(const Text& text) {
    const auto hands_on = [&](const Function& f) {
        for (const Condition& one : conditions_in(text, f)) {
            const std::string head = words(text, {one.at, one.body.first});
            if (head.find("!=") == std::string::npos) continue;
            bool begins_anew = false;
            for (std::size_t i = one.body.first; i + 2 < one.body.last; ++i)
                begins_anew |= is_name(text.token(i)) && text.word(i + 1) == "=" &&
                               head.find(text.word(i)) != std::string::npos;
            if (begins_anew &&
                (has_atomic(text, one.body) || !handed_on_by(text, one.body).empty()))
                return std::optional(one);
        }
        return std::optional<Condition>();
    };
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            // In the loop itself, or in a function that it calls.
            const auto here = hands_on(*f);
            bool collects = here && is_in(loop.all, here->at);
            std::set<std::string_view> by;
            if (collects) by = handed_on_by(text, here->body);
            for (std::size_t i = loop.all.first; !collects && i < loop.all.last; ++i)
                if (const Function* called = function_called_at(text, i);
                    called != nullptr && called != f)
                    if (const auto there = hands_on(*called)) {
                        collects = true;
                        by = handed_on_by(text, there->body);
                    }
            const Range behind_it{loop.all.last, f->close};
            const auto called = names_of(text, behind_it);
            const bool goes_on = by.empty() ? has_atomic(text, behind_it)
                                            : std::ranges::any_of(by, [&](std::string_view name) {
                                                  return called.contains(name);
                                              });
            if (!collects || goes_on) continue;
            Cause cause{.id = "elements_ignored"};
            const int end = text.line(loop.all.last - 1);
            put_between(text, end, text.lines.line_after(end), cause);
            cause.sentence = fmt::format(
                "The loop in line {} hands on what it has collected when the next begins: the last "
                "is still collected when it ends, and nobody hands it on.",
                text.line(loop.at));
            cause.advice = fmt::format("Hand it on once more behind line {}.", end);
            return cause;
        }
    return {};
}

template <class Rule>
std::optional<Cause> first_of(const TaskSpec& task, std::span<const SourceFile> source,
                              Rule&& rule) {
    for (const SourceFile& file : source) {
        if (file.text.empty()) continue;
        const SourceCode code(file);
        const SourceText lines(file.text);
        Text text{task, code, lines, source, code.reached_from(task.function)};
        // A macro writes the task's function: then all functions may be meant.
        if (text.reached.empty())
            for (const Function& f : code.functions()) text.reached.push_back(&f);
        if (auto cause = rule(text)) return cause;
    }
    return {};
}

}  // namespace

std::optional<Cause> plain_slip(const TaskSpec& task, std::span<const SourceFile> source,
                                const Symptoms& e) {
    return first_of(task, source, [&](const Text& text) {
        auto cause = begins_as_nothing(text);
        if (!cause) cause = drops_fractions(text);
        if (!cause) cause = keeps_whole_numbers(text);
        if (!cause) cause = returns_less(text);
        if (!cause) cause = takes_less(text);
        if (!cause) cause = pitch_is_height(text, e);
        if (!cause) cause = holds_against_other_axis(text, e);
        return cause;
    });
}

std::optional<Cause> possible_slip(const TaskSpec& task, std::span<const SourceFile> source) {
    return first_of(task, source, [](const Text& text) {
        auto cause = leaves_rest(text);
        if (!cause) cause = caps_grid(text);
        if (!cause) cause = folds_rounded_down(text);
        if (!cause) cause = has_two_layouts(text);
        if (!cause) cause = packs_sign(text);
        if (!cause) cause = takes_again(text);
        if (!cause) cause = rounds_rounds_down(text);
        if (!cause) cause = forgets_last_run(text);
        return cause;
    });
}

}  // namespace cugrade
