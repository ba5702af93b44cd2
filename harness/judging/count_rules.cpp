#include "judging/count_rules.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "core/ascii.hpp"

namespace cugrade::edit {
namespace {

bool is_counter_type(std::string_view type) {
    return is_any(type,
                  {"char", "short", "uint8_t", "uint16_t", "int8_t", "int16_t", "uchar", "ushort"});
}

/// A constant that is one more than a counter of 8 or 16 bits can hold, and that is no extent of an
/// array and no number of threads: after so many elements each thread's counters are emptied. 0:
/// there is none, or several.
int count_until_emptied(const Text& text) {
    constexpr std::array one_too_many{"256", "256u", "65536", "65536u"};
    std::set<std::string_view> other;
    for (const SourceCode::Launch& launch : text.code.launches())
        for (const Range& number : launch.numbers) other.merge(names_of(text, number));
    for (std::size_t i = 0; i < text.code.tokens().size(); ++i) {
        if (text.word(i) == "[") other.merge(names_of(text, {i, text.code.match(i)}));
        if (text.word(i) == "+=") other.insert(text.word(i + 1));
    }
    // `WORDS = BINS / 4` is an extent, and so is BINS.
    for (std::size_t i = 1; i + 1 < text.code.tokens().size(); ++i)
        if (text.word(i) == "=" && other.contains(text.word(i - 1)) &&
            is_any(text.word(i - 2), {"int", "unsigned", "size_t"}))
            other.merge(names_of(text, {i + 1, behind(text, i)}));
    int found = 0;
    for (std::size_t i = 0; i + 3 < text.code.tokens().size(); ++i) {
        const bool is_macro = text.word(i) == "define" && text.line(i + 2) == text.line(i) &&
                              text.line(i + 3) != text.line(i);
        const bool is_constant = is_any(text.word(i), {"int", "unsigned", "size_t"}) &&
                                 text.word(i + 2) == "=" &&
                                 is_any(text.word(i - 1), {"constexpr", "const", "::"});
        const std::size_t value = is_macro ? i + 2 : i + 3;
        const bool ends = is_macro || text.word(value + 1) == ";";
        if ((!is_macro && !is_constant) || !ends || other.contains(text.word(i + 1)) ||
            std::ranges::find(one_too_many, text.word(value)) == one_too_many.end())
            continue;
        if (found > 0) return 0;
        found = text.line(i);
    }
    return found;
}

}  // namespace

void where_counter_is_declared(const Text& text, Cause& cause) {
    if (cause.proof == Proof::proven && cause.location.line > 0) return;
    if (const int emptied = count_until_emptied(text)) {
        cause.advice = fmt::format(
            "A counter of 8 bits holds 255 at most, one of 16 bits 65535: empty the counters one "
            "element earlier than line {} says, or give them more bits.",
            emptied);
        return put_at(text, emptied, cause);
    }
    const std::size_t count = text.code.tokens().size();
    const auto is_in_a_function = [&](std::string_view name) {
        return std::ranges::any_of(text.reached, [&](const Function* f) {
            return names_of(text, {f->at, f->close}).contains(name);
        });
    };
    const auto is_variable_of_file = [&](std::size_t type) {
        return is_name(text.token(type + 1)) && text.word(type + 2) == "[" &&
               text.code.around(text.line(type)) == nullptr &&
               is_in_a_function(text.word(type + 1));
    };
    const auto is_used = [&](std::string_view name) {
        if (is_in_a_function(name)) return true;
        // `constexpr int BITS = 8 * sizeof(counter);`
        for (std::size_t i = 0; i + 2 < count; ++i)
            if (text.word(i) == name &&
                (is_variable_of_file(i) || (i > 1 && text.word(i - 2) == "sizeof")))
                return true;
        return false;
    };
    for (std::size_t i = 0; i + 3 < count; ++i) {
        std::size_t end = i;
        while (end + 1 < count && text.word(end) != ";") ++end;
        const bool is_typedef = text.word(i) == "typedef";
        const bool is_using = text.word(i) == "using" && text.word(i + 2) == "=";
        if ((!is_typedef && !is_using) || end > i + 7) continue;
        const std::string_view name = is_typedef ? text.word(end - 1) : text.word(i + 1);
        if (is_counter_type(is_typedef ? text.word(end - 2) : text.word(end - 1)) && is_used(name))
            return put_at(text, text.line(i), cause);
    }
    for (std::size_t i = 0; i + 2 < count; ++i)
        if (is_counter_type(text.word(i)) && is_variable_of_file(i))
            return put_at(text, text.line(i), cause);
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i)
            if (is_counter_type(text.word(i)) && is_name(text.token(i + 1)) &&
                text.word(i + 2) == "[")
                return put_at(text, text.line(i), cause);
    // constexpr int BITS = 8;
    for (std::size_t i = 1; i + 3 < count; ++i) {
        const bool is_macro = text.word(i - 1) == "define";
        const std::size_t value = is_macro ? i + 1 : i + 2;
        const bool is_width = is_any(text.word(value), {"8", "8u", "16", "16u"}) &&
                              (is_macro ? text.line(value + 1) != text.line(i)
                                        : text.word(i + 1) == "=" && text.word(value + 1) == ";");
        if (!is_width) continue;
        std::string name(text.word(i));
        std::ranges::transform(name, name.begin(), to_small);
        if (name.find("bit") != std::string::npos && is_used(text.word(i)))
            return put_at(text, text.line(i), cause);
    }
    // unsigned char run = 1; ... ++run;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i) {
            if (!is_counter_type(text.word(i)) || text.word(i + 2) != "=") continue;
            const std::string_view name = text.word(i + 1);
            for (std::size_t k = i + 3; k + 1 < f->close; ++k)
                if (text.word(k) == name &&
                    (is_any(text.word(k + 1), {"++", "+="}) || text.word(k - 1) == "++"))
                    return put_at(text, text.line(i), cause);
        }
}

bool is_emptied_too_late(const Text& text, Cause& cause) {
    const int rounds = count_until_emptied(text);
    if (rounds == 0 || cause.proof != Proof::proven) return false;
    const Range named = text.code.tokens_of_line(rounds);
    const auto names = names_of(text, text.code.tokens_of_line(cause.location.line));
    for (std::size_t i = named.first; i < named.last; ++i) {
        if (!is_name(text.token(i)) || !names.contains(text.word(i))) continue;
        cause.id = "counter_too_narrow";
        cause.sentence = fmt::format(
            "After `{}` rounds a counter of 8 or 16 bits has counted one more than it can hold.",
            text.word(i));
        cause.advice = fmt::format("Empty the counters one round earlier: in line {}.", rounds);
        put_at(text, rounds, cause);
        return true;
    }
    return false;
}

void where_sum_is_declared(const Text& text, Cause& cause) {
    const bool has_doubles = std::ranges::any_of(text.task.arguments, [](const ArgumentSpec& one) {
        return one.role == Role::input && one.dtype == DType::f64;
    });
    if (cause.location.line > 0) return;
    // `launch<unsigned char, float>(...)`: the type is a template's argument.
    if (!text.reached.empty()) {
        const Function& f = *text.reached.front();
        for (std::size_t i = f.open; i + 1 < f.close; ++i)
            if (text.word(i) == "float" && is_any(text.word(i + 1), {">", ","}))
                return put_at(text, text.line(i), cause);
    }
    if (!has_doubles) return;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i)
            if (text.word(i) == "float" && is_name(text.token(i + 1)) &&
                is_any(text.word(i + 2), {"[", "=", ";"}))
                return put_at(text, text.line(i), cause);
}

/// `const size_t count = n / sizeof(uint4);`, and the one loop up to that: what is behind it is
/// left.
void where_groups_are_walked(const Text& text, Cause& cause) {
    const Loop* only = nullptr;
    std::vector<std::vector<Loop>> all;
    for (const Function* f : text.reached) all.push_back(loops_in(text, *f));
    for (const auto& loops : all)
        for (const Loop& loop : loops)
            for (std::size_t i = loop.at;
                 i + 1 < loop.all.last && text.line(i) == text.line(loop.at); ++i) {
                if (text.word(i) != "<" || !is_name(text.token(i + 1))) continue;
                const int made = definition_in(text, text.word(i + 1), text.line(i));
                const std::string written = words_of_line(text, made);
                if (written.find("/sizeof") == std::string::npos) continue;
                if (only != nullptr) return;
                only = &loop;
            }
    if (only == nullptr) return;
    cause.sentence = fmt::format(
        "The loop in line {} takes whole groups alone: the elements behind the last whole one are "
        "left out.",
        text.line(only->at));
    cause.location = {text.code.file(), text.line(only->at), 0};
    cause.end_line = text.line(only->all.last - 1);
}

}  // namespace cugrade::edit
