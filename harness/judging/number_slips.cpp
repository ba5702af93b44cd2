#include "judging/number_slips.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cugrade::edit {
namespace {

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

/// Whether a variable or parameter is declared in the range, and the word in front of it, the last
/// of its type, is one that is asked for.
template <class IsType>
bool is_declared(const Text& text, std::string_view name, Range range, IsType&& is_type) {
    for (std::size_t i = range.first; i < range.last; ++i)
        if (text.word(i) == name && is_any(text.word(i + 1), {"=", ";", ",", ")"}) &&
            is_type(i - 1))
            return true;
    return false;
}

/// A float or a double, or a template's type that is.
bool is_fraction(const Text& text, std::string_view name, const Function& f) {
    return is_declared(text, name, {f.at + 1, f.close - 1}, [&](std::size_t type) {
        return is_any(text.word(type), {"float", "double"}) ||
               is_template_of_floats(text, text.word(type));
    });
}

/// A type of 64 bits.
bool is_wide(const Text& text, std::string_view name, Range range) {
    return is_declared(text, name, range, [&](std::size_t type) {
        return is_any(text.word(type), {"double", "int64_t", "uint64_t"}) ||
               (text.word(type) == "long" && text.word(type - 1) == "long");
    });
}

}  // namespace

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

std::optional<Cause> drops_fractions(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            const bool is_integer = is_any(text.word(i), {"int", "unsigned"}) ||
                                    (text.word(i) == "auto" && text.word(i + 3) == "0");
            if (!ends_statement(text.word(i - 1)) || !is_integer || !is_name(text.token(i + 1)) ||
                text.word(i + 2) != "=")
                continue;
            const std::string_view name = text.word(i + 1);
            for (std::size_t use = i + 3; use + 2 < f->close; ++use) {
                if (text.word(use) != name || text.word(use + 1) != "+=") continue;
                const std::size_t end = end_of_statement(text, use, f->close);
                bool of_floats = false, compares = false;
                std::size_t from = use + 2;
                // (k < n) ? in[k] : 0
                for (std::size_t k = from; k < end; ++k)
                    if (text.word(k) == "?") from = k + 1;
                for (std::size_t k = from; k < end; ++k) {
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

std::optional<Cause> keeps_whole_numbers(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            if (!is_any(text.word(i - 1), {"int", "unsigned"}) || !is_name(text.token(i)) ||
                text.word(i + 1) != "[")
                continue;
            const std::string_view name = text.word(i);
            for (std::size_t k = i + 2; k + 3 < f->close; ++k) {
                if (text.word(k) != name || text.word(k + 1) != "[") continue;
                const std::size_t set = text.code.match(k + 1) + 1;
                if (text.word(set) != "=" || text.word(set + 2) != ";" ||
                    !is_fraction(text, text.word(set + 1), *f))
                    continue;
                Cause cause{.id = "accumulator_too_narrow"};
                put_at(text, text.line(i), cause);
                cause.sentence = fmt::format(
                    "`{}` holds integers, and line {} stores `{}` there, whose fraction is cut "
                    "off.",
                    name, text.line(k), text.word(set + 1));
                cause.advice = "Declare it with the type of what is stored.";
                return cause;
            }
        }
    return {};
}

std::optional<Cause> takes_less(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 2 < f->close; ++i) {
            const Function* called = function_called_at(text, i);
            if (called == nullptr || called == f || !text.reaches(called)) continue;
            const std::size_t open = open_of_call(text, i);
            if (open == 0) continue;
            const auto arguments = arguments_of(text, open);
            const auto parameters = arguments_of(text, called->at + 1);
            for (std::size_t n = 0; n < std::min(arguments.size(), parameters.size()); ++n) {
                const auto [first, last] = arguments[n];
                const auto [from, to] = parameters[n];
                const bool is_narrow_one =
                    to == from + 2 && is_any(text.word(from), {"int", "unsigned", "float"});
                if (last != first + 1 || !is_narrow_one ||
                    !is_wide(text, text.word(first), {f->at + 1, i}))
                    continue;
                // Of an index or a number of elements that is enough.
                const bool goes_on =
                    text.word(i - 1) == "=" && text.word(i - 2) == text.word(first);
                if (!goes_on) continue;
                Cause cause{.id = "accumulator_too_narrow"};
                put_at(text, text.line(called->at), cause);
                cause.sentence = fmt::format(
                    "Line {} hands `{}` on to `{}`, which takes and returns fewer bits.",
                    text.line(i), text.word(first), called->name);
                cause.advice = "Let it take and return the type that is summed up.";
                return cause;
            }
        }
    return {};
}

std::optional<Cause> returns_less(const Text& text) {
    for (const Function* f : text.reached) {
        if (f->at == 0 || !is_any(text.word(f->at - 1), {"int", "unsigned", "float"})) continue;
        if (text.word(f->at - 1) == "int" && is_any(text.word(f->at - 2), {"long", "short"}))
            continue;
        for (std::size_t i = f->at + 1; i < f->open; ++i) {
            const bool begins_wide =
                is_any(text.word(i), {"double", "int64_t", "uint64_t"}) ||
                (text.word(i) == "long" && is_any(text.word(i + 1), {"long", "int"}));
            if (!begins_wide) continue;
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

}  // namespace cugrade::edit
