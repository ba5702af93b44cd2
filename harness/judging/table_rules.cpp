#include "judging/table_rules.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace cugrade::edit {
namespace {

enum class Axis : std::uint8_t { unknown, column, row };

/// From behind the `=` of a name's definition to the end of its first value.
Range first_value_of(const Text& text, std::string_view name, int line) {
    const Range made = text.code.tokens_of_line(definition_in(text, name, line));
    for (std::size_t i = made.first; i + 2 < made.last; ++i) {
        if (text.word(i) != name || text.word(i + 1) != "=") continue;
        std::size_t end = i + 2;
        while (end < made.last && !is_any(text.word(end), {",", ";"}))
            end = text.word(end) == "(" ? text.code.match(end) + 1 : end + 1;
        return {i + 2, std::min(end, made.last)};
    }
    return {};
}

/// Whether an index counts columns, which threadIdx.x does and what is left of a division by the
/// length of a row, or rows.
Axis axis_of(const Text& text, Range index, int line, int depth = 0) {
    constexpr int deepest = 3;
    bool is_column = false, is_row = false;
    for (std::size_t i = index.first; i < index.last; ++i) {
        if (text.word(i) == "threadIdx") {
            is_column |= text.word(i + 2) == "x";
            is_row |= text.word(i + 2) == "y";
        } else if (depth > 0 && text.word(i) == "%") {
            return Axis::column;
        } else if (depth > 0 && text.word(i) == "/") {
            return Axis::row;
        } else if (is_name(text.token(i)) && depth < deepest) {
            const Axis of_name =
                axis_of(text, first_value_of(text, text.word(i), line), line, depth + 1);
            is_column |= of_name == Axis::column;
            is_row |= of_name == Axis::row;
        }
    }
    return is_column == is_row ? Axis::unknown : is_column ? Axis::column : Axis::row;
}

/// The names of a function's shared arrays of two dimensions.
std::set<std::string_view> tables_of(const Text& text, const Function& f) {
    std::set<std::string_view> all;
    for (std::size_t i = f.open; i + 4 < f.close; ++i) {
        if (text.word(i) != "__shared__") continue;
        for (std::size_t k = i + 1; k + 1 < f.close && text.word(k) != ";"; ++k)
            if (is_name(text.token(k)) && text.word(k + 1) == "[" &&
                text.word(text.code.match(k + 1) + 1) == "[")
                all.insert(text.word(k));
    }
    return all;
}

/// What a function is called by: its name, or those of the objects whose operator it is.
std::set<std::string_view> called_by(const Text& text, const Function& f) {
    if (f.name != "operator") return {f.name};
    std::string_view type;
    for (std::size_t i = 1; i < f.at; ++i)
        if (is_any(text.word(i - 1), {"struct", "class"}) && text.word(i + 1) == "{" &&
            text.code.match(i + 1) > f.close)
            type = text.word(i);
    std::set<std::string_view> all;
    for (std::size_t i = 1; !type.empty() && i < text.code.tokens().size(); ++i) {
        const bool is_reference = is_any(text.word(i - 1), {"&", "*"});
        if (text.word(is_reference ? i - 2 : i - 1) == type && is_name(text.token(i)))
            all.insert(text.word(i));
    }
    return all;
}

/// Whether names say that an index counts columns, or rows.
Axis axis_by_name(const Text& text, Range index) {
    bool is_column = false, is_row = false;
    for (std::size_t i = index.first; i < index.last; ++i) {
        is_column |= is_any(text.word(i), {"x", "left", "col", "column"});
        is_row |= is_any(text.word(i), {"y", "top", "row"});
    }
    return is_column == is_row ? Axis::unknown : is_column ? Axis::column : Axis::row;
}

}  // namespace

int where_call_is_turned(const Text& text) {
    for (const Function* f : text.reached) {
        if (f->parameters.size() != 2 || !is_any(f->parameters[0], {"y", "row"}) ||
            !is_any(f->parameters[1], {"x", "col", "column"}))
            continue;
        const std::set<std::string_view> callers = called_by(text, *f);
        for (const Function* one : text.reached)
            for (std::size_t i = one->open; i + 1 < one->close; ++i) {
                if (!callers.contains(text.word(i)) || text.word(i + 1) != "(") continue;
                const auto arguments = arguments_of(text, i + 1);
                if (arguments.size() == 2 && axis_by_name(text, arguments[0]) == Axis::column &&
                    axis_by_name(text, arguments[1]) == Axis::row)
                    return text.line(i);
            }
    }
    return 0;
}

int where_table_is_turned(const Text& text) {
    for (const Function* f : text.reached)
        for (const std::string_view table : tables_of(text, *f)) {
            std::set<int> turned;
            bool has_others = false;
            for (std::size_t i = f->open; i + 2 < f->close; ++i) {
                if (text.word(i) != table || text.word(i + 1) != "[") continue;
                const std::size_t first = text.code.match(i + 1);
                if (text.word(first + 1) != "[") continue;
                const int line = text.line(i);
                const Axis one = axis_of(text, {i + 2, first}, line);
                const Axis other = axis_of(text, {first + 2, text.code.match(first + 1)}, line);
                if (one == Axis::column && other == Axis::row) turned.insert(line);
                has_others |= one == Axis::row && other == Axis::column;
            }
            if (has_others && turned.size() == 1) return *turned.begin();
        }
    return 0;
}

bool is_asked_in_other_order(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    // Of a line that the text has told, there is no more to find.
    if (cause.proof != Proof::proven && cause.sentence.starts_with("Line ")) return false;
    if (f == nullptr || f->parameters.size() != 2 || cause.id != "transposed") return false;
    // `[row * width + column]` of (row, column)
    bool is_consistent = false;
    for (std::size_t i = f->open; i + 4 < f->close; ++i)
        is_consistent |= text.word(i) == f->parameters[0] && text.word(i + 1) == "*" &&
                         text.word(i + 3) == "+" && text.word(i + 4) == f->parameters[1];
    if (!is_consistent) return false;
    const std::set<std::string_view> callers = called_by(text, *f);
    int only = 0;
    for (const Function* one : text.reached)
        for (std::size_t i = one->open; one != f && i + 1 < one->close; ++i) {
            if (!callers.contains(text.word(i)) || text.word(i + 1) != "(" ||
                arguments_of(text, i + 1).size() != 2 || text.line(i) == only)
                continue;
            if (only > 0) return false;
            only = text.line(i);
        }
    if (only == 0) return false;
    cause.advice = fmt::format("Exchange the two arguments in line {}: {} comes first there.", only,
                               f->parameters[0]);
    put_at(text, only, cause);
    return true;
}

bool is_row_too_short(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.proof == Proof::proven ||
        (cause.second && cause.second->line != cause.location.line))
        return false;
    const auto tables = tables_of(text, *f);
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 2 < here.last; ++i) {
        if (!tables.contains(text.word(i)) || text.word(i + 1) != "[") continue;
        const std::size_t last = text.code.match(text.code.match(i + 1) + 1);
        if (text.word(last + 1) != "=") continue;
        const int declared = text.code.origin_of(text.word(i), cause.location.line);
        if (declared == 0) return false;
        cause.id = "array_too_small";
        cause.sentence = fmt::format(
            "Line {} stores elements of `{}` behind the end of their row, which are the first of "
            "the "
            "next one.",
            cause.location.line, text.word(i));
        cause.advice = fmt::format(
            "Make the rows of `{}` as long as the largest index that is used, plus one.",
            text.word(i));
        put_at(text, declared, cause);
        return true;
    }
    return false;
}

}  // namespace cugrade::edit
