#include "judging/shared_rules.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "build/lexical.hpp"
#include "judging/barrier_rules.hpp"
#include "judging/loop_rules.hpp"
#include "judging/step_rules.hpp"

namespace cugrade::edit {
namespace {

/// The head of the outermost of the loops that have nothing in them but one another, of which one
/// begins in the line.
int outermost_of_nest(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return line;
    const auto loops = loops_in(text, *f);
    int found = line;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        std::size_t body = text.code.match(loop->at + 1) + 1;
        if (text.word(body) == "{") ++body;
        if (is_any(text.word(body), {"for", "while"}) && text.line(body) == found)
            found = text.line(loop->at);
    }
    return found;
}

/// A line reads what another function sets, in one place: there too few elements are set.
bool is_set_by_another_function(const Text& text, Cause& cause) {
    const Function* reader = text.code.around(cause.location.line);
    if (reader == nullptr) return false;
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (text.word(i + 1) != "[" || !is_name(text.token(i))) continue;
        // Others have their own arrays of this name.
        bool is_member = false;
        for (std::size_t k = 0; k < text.code.tokens().size(); ++k)
            is_member |= text.word(k) == text.word(i) && text.code.is_member(k);
        if (!is_member) continue;
        int found = 0;
        bool is_one = true;
        for (const Function& f : text.code.functions())
            for (std::size_t k = f.open; k + 1 < f.close; ++k) {
                if (text.word(k) != text.word(i) || text.word(k + 1) != "[" ||
                    text.word(text.code.match(k + 1) + 1) != "=")
                    continue;
                is_one = is_one && found == 0 && &f != reader;
                found = text.line(k);
            }
        if (!is_one || found == 0) continue;
        cause.advice = fmt::format("Line {} sets only a part of `{}`: set all of its elements.",
                                   found, text.word(i));
        put_at(text, found, cause);
        return true;
    }
    return false;
}

/// The elements that lie outside of the data are not stored at all: `if (y >= 0 && x >= 0)
/// tile[row][column] = ...;`, without an `else`.
bool is_stored_inside_alone(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return false;
    const int last = std::max(cause.location.line, cause.end_line) + 2;
    for (const Condition& one : conditions_in(text, *f)) {
        const std::size_t at = one.body.first;
        if (text.line(at) < cause.location.line || text.line(at) > last || one.other.last > 0 ||
            text.word(at + 1) != "[")
            continue;
        bool asks_for_inside = false;
        for (std::size_t i = one.at; i + 1 < at; ++i)
            asks_for_inside |= text.word(i) == ">=" && text.word(i + 1) == "0";
        if (!asks_for_inside) continue;
        cause.id = "uninitialised_shared";
        cause.sentence = fmt::format(
            "Line {} stores only elements that lie inside of the data: the places of the tile for "
            "those outside keep what was there.",
            text.line(at));
        cause.advice = "Store there what the task wants for an element outside, too.";
        cause.end_line = 0;
        cause.location = {text.code.file(), text.line(at), 0};
        return true;
    }
    return false;
}

/// The loop around a store that makes as many rounds as a number says: for larger tiles they are
/// too few. 0: there is none.
int loop_of_fixed_rounds(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    constexpr int nearby = 10;
    int found = 0;
    for (const Loop& loop : loops_in(text, *f)) {
        if (text.line(loop.at) >= line || text.line(loop.all.last - 1) < line ||
            line - text.line(loop.at) > nearby)
            continue;
        for (std::size_t i = loop.at; i + 2 < text.code.match(loop.at + 1); ++i)
            if (text.word(i) == "<" && is_digit(text.word(i + 1)[0]) && text.word(i + 2) == ";")
                found = text.line(loop.at);
    }
    return found;
}

/// A line reads what is only stored by `if (there) cell[p] = ...;`, without an `else`: the
/// elements for which that does not hold keep what was there.
bool is_stored_for_some(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    std::set<std::string_view> read;
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (text.word(i + 1) != "[" || !is_name(text.token(i))) continue;
        if (text.word(text.code.match(i + 1) + 1) == "=") return false;
        read.insert(text.word(i));
    }
    int found = 0;
    for (const Function& f : text.code.functions())
        for (const Condition& one : conditions_in(text, f)) {
            const std::size_t at = one.body.first;
            if (!read.contains(text.word(at)) || text.word(at + 1) != "[" ||
                text.word(text.code.match(at + 1) + 1) != "=" || one.other.last > 0 ||
                depends_on_thread(text, {one.at, at}))
                continue;
            if (found > 0) return false;
            found = text.line(at);
        }
    if (found == 0 || found == cause.location.line) return false;
    cause.advice = fmt::format(
        "Line {} stores an element only where its condition holds: store a value where it does "
        "not, too.",
        found);
    put_at(text, found, cause);
    return true;
}

}  // namespace

bool is_stored_further_on(const Text& text, int line, Cause& cause) {
    Range here = text.code.tokens_of_line(line);
    const Function* reader = text.code.around(line);
    if (reader == nullptr) return false;
    for (const Loop& loop : loops_in(text, *reader))
        if (text.line(loop.at) == line) here = loop.all;
    std::set<std::string_view> read;
    for (std::size_t k = here.first; k + 1 < here.last; ++k)
        if (is_name(text.token(k)) && text.word(k + 1) == "[") read.insert(text.word(k));
    struct Stores {
        int count = 0, further_on = 0;
    };
    std::map<std::string_view, Stores> stores;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            if (text.word(i) != "[" || !read.contains(text.word(i - 1))) continue;
            const std::size_t close = text.code.match(i);
            if (text.word(close + 1) != "=" || (f == reader && i >= here.first)) continue;
            Stores& of = stores[text.word(i - 1)];
            ++of.count;
            if (text.word(close - 1) == "1" && text.word(close - 2) == "+")
                of.further_on = text.line(i);
        }
    int found = 0;
    for (const auto& [name, of] : stores)
        // Another one may store at the place that is left out.
        if (of.count == 1 && of.further_on > 0) found = of.further_on;
    if (found == 0) return false;
    const int head = text.lines.line_after(text.lines.line_before_branches(found));
    // Chosen: what one looks at as one piece, in which the store can stand anywhere.
    constexpr int nearby = 6;
    const bool is_one_piece = text.code.around(found) == reader && line - found <= nearby;
    put_between(text, std::min(found, head), is_one_piece ? line : found, cause);
    cause.second = SourceLocation{text.code.file(), line, 0};
    cause.advice = fmt::format(
        "Line {} stores each element one place further on. Store the place that this leaves out, "
        "too.",
        found);
    return true;
}

void behind_the_last_store(const Text& text, Cause& cause) {
    if (is_left_by_threads(text, cause) || steps_along_another_axis(text, cause) ||
        steps_over_elements(text, cause) || is_stored_inside_alone(text, cause))
        return;
    if (const int loop = loop_of_fixed_rounds(text, cause.location.line))
        return put_between(text, loop, cause.location.line, cause);
    const int end = text.lines.line_behind_branches(cause.location.line);
    if (end > cause.location.line && cause.end_line < end)
        cause.end_line = text.lines.line_after(end);
    // A part of the halo may be loaded by too few threads: that says the condition.
    const int head = text.lines.head_of_statement(cause.location.line);
    if (head < cause.location.line && text.lines.is_below(cause.location.line, head)) {
        cause.end_line = std::max(cause.end_line, cause.location.line);
        cause.location.line = outermost_of_nest(text, head);
    }
}

void from_condition_to_store(const Text& text, Cause& cause) {
    if (is_left_by_threads(text, cause) || steps_along_another_axis(text, cause)) return;
    if (steps_over_elements(text, cause)) return;
    if (is_stored_further_on(text, cause.location.line, cause)) return;
    if (is_stored_for_some(text, cause) || is_set_by_another_function(text, cause)) return;
    const int head = text.lines.head_of_statement(cause.location.line);
    if (head < cause.location.line)
        put_between(text, head, std::max(cause.end_line, cause.location.line), cause);
}

namespace {

/// The token of the array's name where an array is declared: `float tile[SIDE]`; 0: nowhere.
std::size_t array_declared(const Text& text, std::string_view name) {
    for (std::size_t i = 1; i + 1 < text.code.tokens().size(); ++i)
        if (text.word(i) == name && text.word(i + 1) == "[" && is_name(text.token(i - 1)) &&
            !is_any(text.word(i - 1), {"return", "else"}))
            return i;
    return 0;
}

/// To the declaration of an array, or on to where its length is made: `#define SIDE (TILE +
/// RADIUS)`.
void put_at_length(const Text& text, std::size_t declared, Cause& cause) {
    put_at(text, text.line(declared), cause);
    Range lengths{declared + 1, declared + 1};
    while (text.word(lengths.last) == "[") lengths.last = text.code.match(lengths.last) + 1;
    if (words(text, lengths).find('+') != std::string::npos) return;
    int made = 0;
    for (const std::string_view name : names_of(text, lengths))
        if (const int line = text.code.origin_of(name, text.line(declared));
            line > 0 && line < text.line(declared))
            made = std::max(made, line);
    if (made == 0) return;
    if (words_of_line(text, made).find_first_of("+*") == std::string::npos) {
        // A number alone may be that of something else, too: between the two.
        constexpr int at_once = 16;
        if (text.line(declared) - made <= at_once)
            put_between(text, made, text.line(declared), cause);
        return;
    }
    put_at(text, made, cause);
    // And the numbers that it is computed from, in the lines above.
    constexpr int nearby = 4;
    int first = made;
    for (const std::string_view name : names_of(text, text.code.tokens_of_line(made)))
        if (const int line = text.code.origin_of(name, made); line > 0 && made - line < nearby)
            first = std::min(first, line);
    if (first < made) put_between(text, first, made, cause);
}

/// Of an array that a kernel declares, where it does.
bool is_declared_in_kernel(const Text& text, Cause& cause) {
    constexpr std::string_view before = "elements in `";
    const std::size_t at = cause.evidence.find(before);
    if (at == std::string::npos) return false;
    const std::string_view rest = std::string_view(cause.evidence).substr(at + before.size());
    const std::string_view name = rest.substr(0, rest.find('`'));
    for (const Function* f : text.reached) {
        if (cause.sentence.find(fmt::format("of `{}`", f->name)) == std::string::npos) continue;
        for (std::size_t i = f->open + 1; i + 1 < f->close; ++i)
            if (text.word(i) == name && text.word(i + 1) == "[" && is_name(text.token(i - 1))) {
                put_at_length(text, i, cause);
                return true;
            }
    }
    return false;
}

/// From an access past the end of shared memory to the length of the array that the line names.
bool is_declared_too_short(const Text& text, Cause& cause) {
    if (cause.proof == Proof::proven) return false;
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (!is_name(text.token(i)) || text.word(i + 1) != "[") continue;
        const std::size_t declared = array_declared(text, text.word(i));
        if (declared == 0) continue;
        cause.sentence = fmt::format("Line {} takes elements of `{}` behind its end.",
                                     cause.location.line, text.word(i));
        cause.advice = fmt::format("Make `{}` as long as the largest index that is used, plus one.",
                                   text.word(i));
        put_at_length(text, declared, cause);
        return true;
    }
    return false;
}

}  // namespace

void where_shared_size_is_made(const Text& text, Cause& cause) {
    if (is_declared_in_kernel(text, cause) || is_declared_too_short(text, cause)) return;
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    if (launch == nullptr || launch->numbers.size() < 3) return;
    Range size = launch->numbers[2];
    int made = 0;
    if (const Function* f = function_called_at(text, size.first)) {
        for (std::size_t i = f->open; i < f->close; ++i)
            if (text.word(i) == "return") {
                size = {i + 1, behind(text, i + 1) - 1};
                made = text.line(i);
            }
    } else if (size.last == size.first + 1 && is_name(text.token(size.first))) {
        made = definition_in(text, text.word(size.first), cause.location.line);
        size = text.code.tokens_of_line(made);
    }
    bool is_in_bytes = names_of(text, size).contains("sizeof");
    for (const Function& kernel : text.code.functions()) {
        if (kernel.name != launch->kernel || is_in_bytes) continue;
        // An array of bytes that nothing else is made of.
        bool casts = false, has_bytes = false;
        for (std::size_t i = kernel.open; i < kernel.close; ++i) {
            casts |= casts_pointer(text, text.line(i));
            if (text.word(i) != "extern") continue;
            for (std::size_t k = i; k < kernel.close && text.word(k) != ";"; ++k)
                has_bytes |= is_any(text.word(k), {"char", "uint8_t", "int8_t", "uchar", "byte"});
        }
        is_in_bytes = has_bytes && !casts;
    }
    if (is_in_bytes) {
        cause.id = "array_too_small";
        cause.sentence = fmt::format(
            "`{}` is launched with too little dynamic shared memory: it uses more bytes than the "
            "third number in <<<>>>.",
            launch->kernel);
        cause.advice =
            "Add up all that the kernel keeps there: the largest index that it uses, plus one.";
    }
    if (made > 0) put_near(text, made, cause);
}

}  // namespace cugrade::edit
