#include "judging/slips.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "judging/edit_text.hpp"

namespace cugrade {
namespace {

using namespace edit;

constexpr std::string_view number_types[] = {"int",      "unsigned", "float",    "double", "long",
                                             "uint32_t", "int32_t",  "uint64_t", "int64_t"};

bool is_number_type(std::string_view word) {
    return std::ranges::find(number_types, word) != std::end(number_types);
}

bool ends_statement(std::string_view word) { return is_any(word, {";", "{", "}"}); }

/// The first token from `i` on that is the name; `last`: there is none.
std::size_t next_use(const Text& text, std::string_view name, std::size_t i, std::size_t last) {
    while (i < last && text.word(i) != name) ++i;
    return i;
}

std::size_t end_of_statement(const Text& text, std::size_t i, std::size_t last) {
    while (i < last && text.word(i) != ";") ++i;
    return i;
}

/// `float sum;`, and the next that is done with it is `sum += x` or `sum = sum * y + x`.
std::optional<Cause> begins_as_nothing(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            if (!ends_statement(text.word(i - 1)) || !is_number_type(text.word(i))) continue;
            std::size_t at = i + 1;
            while (is_number_type(text.word(at))) ++at;
            if (!is_name(text.token(at)) || text.word(at + 1) != ";") continue;
            const std::string_view name = text.word(at);
            const std::size_t use = next_use(text, name, at + 1, f->close);
            if (use + 1 >= f->close || !ends_statement(text.word(use - 1))) {
                if (use == f->close || text.word(use - 1) != ")") continue;
            }
            const std::string_view sign = text.word(use + 1);
            const std::size_t end = end_of_statement(text, use, f->close);
            const bool adds = is_any(sign, {"+=", "-=", "*=", "|=", "^=", "&="});
            const bool reads = sign == "=" && next_use(text, name, use + 2, end) < end;
            if (!adds && !reads) continue;
            Cause cause{.id = "uninitialised_variable"};
            put_at(text, text.line(at), cause);
            cause.sentence =
                fmt::format("`{}` has no value in line {}, and line {} goes on from what it is.",
                            name, text.line(at), text.line(use));
            cause.advice = "Give it its first value where it is declared.";
            return cause;
        }
    return {};
}

/// Whether a word is a template's type, and the task's numbers have fractions.
bool is_template_of_floats(const Text& text, std::string_view word) {
    if (std::ranges::none_of(text.task.arguments, [](const ArgumentSpec& one) {
            return one.role == Role::input && is_float(one.dtype);
        }))
        return false;
    for (std::size_t i = 1; i < text.code.tokens().size(); ++i)
        if (text.word(i) == word && is_any(text.word(i - 1), {"typename", "class"}) &&
            is_any(text.word(i - 2), {"<", ","}))
            return true;
    return false;
}

/// Whether a name is declared as a pointer to, or array of, numbers with a fraction.
bool has_fractions(const Text& text, std::string_view name, const Function& f) {
    for (std::size_t i = f.at; i + 2 < f.close; ++i) {
        if (text.word(i) != name || i < 2) continue;
        const std::string_view before = text.word(i - 1);
        if (before == "*" && is_template_of_floats(text, text.word(i - 2))) return true;
        if (before == "*" && is_any(text.word(i - 2), {"float", "double"})) return true;
        if (is_any(before, {"float", "double"}) && text.word(i + 1) == "[") return true;
    }
    return false;
}

/// `int sum = 0;` and `sum += values[i]`, of floats.
std::optional<Cause> drops_fractions(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            if (!ends_statement(text.word(i - 1)) || !is_any(text.word(i), {"int", "unsigned"}) ||
                !is_name(text.token(i + 1)) || text.word(i + 2) != "=")
                continue;
            const std::string_view name = text.word(i + 1);
            for (std::size_t use = i + 3; use + 2 < f->close; ++use) {
                if (text.word(use) != name || text.word(use + 1) != "+=") continue;
                const std::size_t end = end_of_statement(text, use, f->close);
                bool of_floats = false, compares = false;
                for (std::size_t k = use + 2; k < end; ++k) {
                    compares |= is_any(text.word(k), {"<", ">", "<=", ">=", "==", "!=", "?"});
                    of_floats |= text.word(k + 1) == "[" && has_fractions(text, text.word(k), *f);
                }
                if (!of_floats || compares) continue;
                Cause cause{.id = "accumulator_too_narrow"};
                put_at(text, text.line(i), cause);
                cause.sentence = fmt::format(
                    "`{}` is an integer, and line {} adds numbers with a fraction to it, which is "
                    "cut off each time.",
                    name, text.line(use));
                cause.advice = "Declare it with the type of what is added.";
                return cause;
            }
        }
    return {};
}

/// `int f(long long x) { ... return x; }`.
std::optional<Cause> returns_less(const Text& text) {
    for (const Function* f : text.reached) {
        if (f->at == 0 || !is_any(text.word(f->at - 1), {"int", "unsigned", "float"})) continue;
        if (text.word(f->at - 1) == "int" && is_any(text.word(f->at - 2), {"long", "short"}))
            continue;
        for (std::size_t i = f->at + 1; i < f->open; ++i) {
            const bool is_wide =
                is_any(text.word(i), {"double", "int64_t", "uint64_t"}) ||
                (text.word(i) == "long" && is_any(text.word(i + 1), {"long", "int"}));
            if (!is_wide) continue;
            std::size_t at = i + 1;
            while (is_number_type(text.word(at))) ++at;
            const std::string_view name = text.word(at);
            if (!is_name(text.token(at)) || !is_any(text.word(at + 1), {",", ")"})) continue;
            bool is_returned = false;
            for (std::size_t k = f->open; k + 2 < f->close; ++k)
                is_returned |=
                    text.word(k) == "return" && text.word(k + 1) == name && text.word(k + 2) == ";";
            if (!is_returned) continue;
            Cause cause{.id = "accumulator_too_narrow"};
            put_at(text, text.line(f->at), cause);
            cause.sentence = fmt::format(
                "`{}` computes with `{}`, which is a {}, and gives it back as {}.", f->name, name,
                text.word(i) == "long" ? "long long" : text.word(i), text.word(f->at - 1));
            cause.advice = "Let it return the type that it computes with.";
            return cause;
        }
    }
    return {};
}

/// `row * height + column`, where rows are `width` apart, in each case of another shape than
/// square.
std::optional<Cause> pitch_is_height(const Text& text, const Symptoms& e) {
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

/// Whether a kernel has a loop that ends at one of its parameters.
bool takes_many(const Text& text, const Function& kernel) {
    return std::ranges::any_of(loops_in(text, kernel), [&](const Loop& loop) {
        const std::size_t close = text.code.match(loop.at + 1);
        for (std::size_t i = loop.at; i + 1 < close; ++i)
            if (is_any(text.word(i), {"<", "<=", ">="}) &&
                std::ranges::find(kernel.parameters, text.word(i + 1)) != kernel.parameters.end())
                return true;
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
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 6 < f->close; ++i) {
            if (!is_name(text.token(i)) || text.word(i + 1) != "[" || text.word(i + 3) != "*" ||
                text.word(i + 5) != "]" || text.word(i + 6) != ";" || !is_name(text.token(i - 1)))
                continue;
            const std::string_view array = text.word(i), one = text.word(i + 2),
                                   other = text.word(i + 4);
            if (one == other) continue;
            std::set<int> by_one, by_other;
            for (std::size_t k = i + 7; k + 1 < f->close; ++k) {
                if (text.word(k) != array || text.word(k + 1) != "[") continue;
                const std::string_view pitch =
                    pitch_of(text, {k + 2, text.code.match(k + 1)}, one, other);
                if (pitch == one) by_one.insert(text.line(k));
                if (pitch == other) by_other.insert(text.line(k));
            }
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
                "Line {} takes `{}` by rows of `{}`, and elsewhere its rows have `{}` elements.",
                line, array, by_one.contains(line) ? one : other,
                by_one.contains(line) ? other : one);
            cause.advice = "Compute the index the same way in all lines, best in one function.";
            return cause;
        }
    return {};
}

/// `(unsigned long long)(unsigned)value << 32 | index`, which is compared: a negative value counts
/// as the largest.
std::optional<Cause> packs_sign(const Text& text) {
    const bool has_signed = std::ranges::any_of(text.task.arguments, [](const ArgumentSpec& one) {
        return one.role == Role::input && is_signed(one.dtype) && !is_float(one.dtype);
    });
    if (!has_signed) return {};
    for (const Function* f : text.reached) {
        const std::string body = words(text, {f->at, f->close});
        const std::size_t shift = body.find("<<32");
        const bool turns = body.find('^') != std::string::npos ||
                           body.find("80000000") != std::string::npos ||
                           body.find("INT_MIN") != std::string::npos;
        if (shift == std::string::npos || turns || body.find("unsigned") == std::string::npos)
            continue;
        for (std::size_t i = f->open; i + 4 < f->close; ++i) {
            // (unsigned)value, static_cast<unsigned>(value)
            const bool casts = is_any(text.word(i), {"unsigned", "uint32_t"}) &&
                               !is_any(text.word(i + 1), {"long", "char", "short"});
            std::size_t at = i + 1;
            while (is_any(text.word(at), {"int", ")", ">", "("})) ++at;
            if (!casts || at == i + 1 || !is_name(text.token(at)) ||
                text.code.tokens()[at].line != text.line(i))
                continue;
            const auto given = std::ranges::find(f->parameters, text.word(at));
            if (given == f->parameters.end() && text.word(at + 1) != "[") continue;
            Cause cause{.id = "sign_lost"};
            put_at(text, text.line(i), cause);
            cause.sentence = fmt::format(
                "Line {} takes `{}` without its sign into the upper half of a number that is "
                "compared: a negative value counts as one of the largest.",
                text.line(i), text.word(at));
            cause.advice =
                "Turn the sign's bit over, `^ 0x80000000`, when it is packed and when it is taken "
                "out again.";
            return cause;
        }
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
        const Text text{task, code, lines, source, code.reached_from(task.function)};
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
        if (!cause) cause = returns_less(text);
        if (!cause) cause = pitch_is_height(text, e);
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
        return cause;
    });
}

}  // namespace cugrade
