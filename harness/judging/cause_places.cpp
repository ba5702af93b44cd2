#include "judging/cause_places.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace cugrade {
namespace {

using Function = SourceCode::Function;
using Launch = SourceCode::Launch;
using Use = SourceCode::Use;

/// What a statement on the line adds to, or sets: `sum` of `sum += x`. Empty: nothing.
std::string_view assigned_at(const SourceCode& code, int line) {
    const auto [first, last] = code.tokens_of_line(line);
    for (std::size_t i = first + 1; i < last; ++i)
        if (is_any(code.tokens()[i].text, {"+=", "-=", "=", "*=", "|="}) &&
            is_name(code.tokens()[i - 1]) && (i < 2 || !is_any(code.tokens()[i - 2].text, {"."})))
            return code.tokens()[i - 1].text;
    return {};
}

/// The variable that a value is collected in: set on the line, or compared there and set below.
std::string_view collected_at(const SourceCode& code, int line) {
    if (const auto name = assigned_at(code, line);
        !name.empty() && code.tokens_of_line(line).first < code.tokens().size())
        return name;
    const auto [first, last] = code.tokens_of_line(line);
    for (std::size_t i = first; i < last; ++i)
        for (const int below : {1, 2, 3})
            if (is_name(code.tokens()[i]) &&
                assigned_at(code, line + below) == code.tokens()[i].text)
                return code.tokens()[i].text;
    return {};
}

/// Where a variable of at most 32 bits gets its value in front of the line; 0: there is none.
int narrow_declaration(const SourceCode& code, std::string_view name, int line) {
    const Function* f = code.around(line);
    const auto& t = code.tokens();
    int found = 0;
    for (std::size_t i = f == nullptr ? 1 : f->open; i + 1 < t.size() && t[i].line <= line; ++i)
        if (t[i].text == name && is_narrow(t[i - 1].text) && t[i + 1].text == "=" &&
            (t[i - 1].text != "int" || (i > 1 && t[i - 2].text != "(")))
            found = t[i].line;
    return found;
}

/// `m = {0, none};` shortly above a line, where the variable that collects is set to a number once
/// more. 0: nowhere.
int number_assigned_above(const SourceCode& code, std::string_view name, int line) {
    constexpr int nearby = 6;
    const auto& t = code.tokens();
    const Function* f = code.around(line);
    int found = 0;
    for (std::size_t i = f == nullptr ? t.size() : f->open + 1; i + 2 < t.size(); ++i) {
        if (t[i].line > line) break;
        if (t[i].text != name || t[i + 1].text != "=" || line - t[i].line > nearby) continue;
        const std::size_t first = i + (t[i + 2].text == "{" ? 3 : 2);
        // Not where it is declared.
        if (is_digit(t[first].text[0]) && (!is_name(t[i - 1]) || t[i - 1].text == "else"))
            found = t[i].line;
    }
    return found;
}

struct SetAgain {
    int line = 0;
    std::string_view name;
};
/// `run = 0;` on a line or shortly below it, of a variable that is counted up elsewhere.
SetAgain set_again_at(const SourceCode& code, int line) {
    constexpr int nearby = 8;
    const auto& t = code.tokens();
    const Function* f = code.around(line);
    if (f == nullptr) return {};
    const auto is_counted = [&](std::string_view name) {
        for (std::size_t k = 1; k + 1 < t.size(); ++k)
            if (t[k].text == name &&
                (is_any(t[k - 1].text, {"++"}) || is_any(t[k + 1].text, {"++", "+="})))
                return true;
        return false;
    };
    for (std::size_t i = f->open + 1; i + 3 < f->close && t[i].line <= line + nearby; ++i)
        if (t[i].line >= line && is_name(t[i]) && t[i + 1].text == "=" &&
            is_any(t[i + 2].text, {"0", "0u", "0U"}) && t[i + 3].text == ";" &&
            is_any(t[i - 1].text, {";", "{", "}", ")", "else"}) && is_counted(t[i].text))
            return {t[i].line, t[i].text};
    return {};
}

/// The line in which a class declares its member; 0: none does, or several.
int member_declaration(const SourceCode& code, std::string_view name) {
    const auto& t = code.tokens();
    int found = 0;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (t[i].text != name || !is_name(t[i - 1]) ||
            !is_any(t[i + 1].text, {"=", ";", "{", "["}) || !code.is_member(i))
            continue;
        if (found > 0) return 0;
        found = t[i].line;
    }
    return found;
}

/// If the token is in the body of `auto load = [&](...) {...};`, the last call of it in front of
/// `end`; else the token itself.
std::size_t last_call_of_lambda(const SourceCode& code, const Function& f, std::size_t token,
                                std::size_t end) {
    const auto& t = code.tokens();
    for (std::size_t i = f.open; i + 3 < token; ++i) {
        if (t[i].text != "auto" || t[i + 2].text != "=" || t[i + 3].text != "[") continue;
        std::size_t body = code.match(i + 3);
        while (body < token && t[body].text != "{") ++body;
        if (body >= token || code.match(body) < token) continue;
        std::size_t call = token;
        for (std::size_t k = code.match(body); k + 1 < end; ++k)
            if (t[k].text == t[i + 1].text && t[k + 1].text == "(") call = k;
        return call;
    }
    return token;
}

/// What is behind the first element in a range of tokens: "=" of `s[y][x] = 0`.
std::string_view assigned_element(const SourceCode& code, std::size_t first, std::size_t last) {
    const auto& t = code.tokens();
    std::size_t i = first;
    while (i < last && t[i].text != "[") ++i;
    while (i < last && t[i].text == "[") i = code.match(i) + 1;
    return i < last ? t[i].text : std::string_view();
}

/// Does the name stand in brackets on the line?
bool is_index_at(const SourceCode& code, int line, std::string_view name) {
    const auto& t = code.tokens();
    const auto [first, last] = code.tokens_of_line(line);
    for (std::size_t i = first; i < last; ++i) {
        if (t[i].text != "[") continue;
        for (std::size_t k = i; k < std::min(code.match(i), last); ++k)
            if (t[k].text == name) return true;
    }
    return false;
}

}  // namespace

/// What to do, where a pattern of wrong elements alone suggests the cause.
std::string_view advice_for(std::string_view id) {
    static constexpr std::pair<std::string_view, std::string_view> rows[] = {
        {"accumulator_too_narrow", "Add up in a type with more bits: a double, or a long long."},
        {"blocks_not_combined",
         "Combine the results of the blocks: by atomics, or by one more kernel after this one."},
        {"counter_too_narrow", "Count in a type with 32 bits."},
        {"tree_level_missing", "Let the last distance of the loop be 1."},
        {"wrong_stride", "Step by blockDim.x * gridDim.x times what a thread takes in one round."},
        {"elements_ignored",
         "Look for a size that is fixed, such as one result per thread of one block, and loop."},
        {"ghost_policy", "Compare what stands for elements outside of the data with the task."},
        {"grid_too_small", "Round the number of blocks up: (n + threads - 1) / threads."},
        {"halo_missing", "Load the elements on all sides of the tile, too."},
        {"inclusive_exclusive",
         "Store the sum before the element is added for an exclusive scan, after it for an "
         "inclusive one."},
        {"integer_overflow", "Widen an operand before the operation: (long long)a * b."},
        {"mask_reversed", "Let the mask's index grow with that of the elements it belongs to."},
        {"not_a_power_of_two", "Use a power of two, such as 128 or 256, or take the rest, too."},
        {"saturated", "Leave the limit away: a conversion to the smaller type wraps around."},
        {"signed_byte", "Use unsigned char, or convert to it first."},
        {"tail_ignored", "Let some threads take the elements that are left one by one."},
        {"transposed", "The row's number times the length of a row, plus the column."},
        {"uninitialised_output", "Let every element be stored by some thread."},
        {"wrong_identity", "Start a maximum from the lowest number of its type, -INFINITY."},
        {"wrong_result_returned", "Return what was there before the operation."},
        {"wrong_element", "Compute the index on paper for thread 0, thread 1 and the last one."}};
    const auto* it = std::ranges::find(rows, id, [](const auto& row) { return row.first; });
    return it == std::end(rows) ? std::string_view() : it->second;
}

CodeOfTask::CodeOfTask(const TaskSpec& task, std::span<const SourceFile> source) : task_(task) {
    for (const SourceFile& file : source) code_.emplace_back(file);
}

const SourceCode* CodeOfTask::code_at(const SourceLocation& location) const {
    const auto it = std::ranges::find(code_, location.file, &SourceCode::file);
    return it == code_.end() ? nullptr : &*it;
}

bool CodeOfTask::reaches(const SourceLocation& location) const {
    const SourceCode* code = location.line > 0 ? code_at(location) : nullptr;
    const Function* f = code != nullptr ? code->around(location.line) : nullptr;
    if (f == nullptr) return true;
    const auto reached = code->reached_from(task_.function);
    return reached.empty() || std::ranges::find(reached, f) != reached.end();
}

CodeOfTask::Lines CodeOfTask::uses(const SourceCode& code, Role role, Use use,
                                   std::string_view argument) const {
    Lines all;
    for (std::size_t n = 0; n < task_.arguments.size(); ++n) {
        const ArgumentSpec& one = task_.arguments[n];
        if (one.role != role || (!argument.empty() && one.name != argument)) continue;
        const Lines lines = code.uses_of(task_.function, n, use);
        all.insert(all.end(), lines.begin(), lines.end());
    }
    return all;
}

void CodeOfTask::place(Cause& cause) const {
    const SourceCode* code = code_at(cause.location);
    const auto move_to = [&](int line) {
        if (line > 0 && line != cause.location.line) {
            cause.location.line = line;
            cause.location.column = 0;
        }
    };
    if (cause.id == "state_kept_between_calls") return place_kept_state(cause);
    if (cause.id == "uninitialised_output") return place_unset_output(cause);
    if (cause.id == "child_not_in_tail") return place_child(cause);
    if (cause.id == "mask_reversed" || cause.id == "transposed") return place_order(cause);
    if (cause.id == "input_changed")
        for (const SourceCode& one : code_)
            if (const Lines stored = uses(one, Role::input, Use::stored); !stored.empty())
                cause.location = {one.file(), stored.front(), 0};
    if (cause.id == "wrong_element" && cause.location.line > 0 &&
        rounded_down().line == cause.location.line) {
        cause.id = "grid_too_small";
        cause.sentence = fmt::format(
            "The number of blocks is rounded down in line {}: elements at the end have no thread.",
            cause.location.line);
        cause.advice = advice_for(cause.id);
    }
    if (cause.location.line == 0 && is_any(cause.id, {"grid_too_small", "tail_ignored"}))
        if (const SourceLocation rounded = rounded_down(); rounded.line > 0) {
            cause.id = "grid_too_small";
            cause.advice = advice_for(cause.id);
            cause.location = rounded;
        }
    if (cause.location.line == 0 &&
        is_any(cause.id, {"inclusive_exclusive", "wrong_result_returned", "blocks_not_combined"}))
        return place_result(cause);
    if (code == nullptr || cause.location.line == 0) return;
    if (cause.id == "grid_too_small") {
        if (const Launch* launch = code->launch_at(cause.location.line))
            move_to(code->division_of(launch->numbers[0], cause.location.line));
        // What is divided may be rounded down already.
        const auto [first, last] = code->tokens_of_line(cause.location.line);
        for (std::size_t i = first; i + 1 < last; ++i) {
            const Token& one = code->tokens()[i];
            if (!is_name(one) || code->tokens()[i + 1].text == "(") continue;
            const int made = code->origin_of(one.text, cause.location.line);
            if (made == 0 || made >= cause.location.line ||
                code->around(made) != code->around(cause.location.line))
                continue;
            const auto [from, to] = code->tokens_of_line(made);
            const auto has = [&](std::string_view word) {
                return std::any_of(code->tokens().begin() + static_cast<std::ptrdiff_t>(from),
                                   code->tokens().begin() + static_cast<std::ptrdiff_t>(to),
                                   [&](const Token& t) { return t.text == word; });
            };
            if (!has("/") || has("+") || has("%")) {
                // Rounded up twice: then it is the count that leaves some out.
                constexpr int just_above = 2;
                if (has("/") && cause.location.line - made <= just_above &&
                    std::any_of(code->tokens().begin() + static_cast<std::ptrdiff_t>(first),
                                code->tokens().begin() + static_cast<std::ptrdiff_t>(last),
                                [](const Token& t) { return t.text == "+"; })) {
                    cause.end_line = cause.location.line;
                    return move_to(made);
                }
                continue;
            }
            // Or what is left over gets a thread where the blocks are counted.
            constexpr int nearby = 4;
            if (cause.location.line - made <= nearby) cause.end_line = cause.location.line;
            return move_to(made);
        }
    } else if (cause.id == "wrong_identity" || cause.id == "accumulator_too_narrow") {
        const bool is_first_value = cause.id == "wrong_identity";
        if (is_first_value && cause.evidence.find(" to 1 in line") != std::string::npos)
            if (const SetAgain set = set_again_at(*code, cause.location.line); set.line > 0) {
                cause.id = "elements_ignored";
                cause.sentence = fmt::format(
                    "`{}` starts again at 0 in line {}: the element with which it starts is not "
                    "counted.",
                    set.name, set.line);
                cause.advice = "Let it start at 1 there.";
                return move_to(set.line);
            }
        if (cause.sentence.find("into a type") != std::string::npos) {
            const auto [first, last] = code->tokens_of_line(cause.location.line);
            for (std::size_t i = first; i < last; ++i)
                if (is_name(code->tokens()[i]))
                    if (const int line =
                            narrow_declaration(*code, code->tokens()[i].text, cause.location.line))
                        return move_to(line);
        }
        const auto name = is_first_value ? collected_at(*code, cause.location.line)
                                         : assigned_at(*code, cause.location.line);
        if (name.empty()) return;
        if (is_first_value)
            if (const int again = number_assigned_above(*code, name, cause.location.line))
                return move_to(again);
        const int origin = code->origin_of(name, cause.location.line);
        move_to(origin > 0 ? origin : member_declaration(*code, name));
    } else if (cause.id == "wrong_shuffle_mask") {
        const auto [first, last] = code->tokens_of_line(cause.location.line);
        for (std::size_t i = first; i + 3 < last; ++i) {
            if (!code->tokens()[i].text.ends_with("_sync") || code->tokens()[i + 1].text != "(" ||
                !is_name(code->tokens()[i + 2]) || code->tokens()[i + 3].text != ",")
                continue;
            const std::string_view mask = code->tokens()[i + 2].text;
            const int made = code->origin_of(mask, cause.location.line);
            // A constant of the file that other calls use, too, is right for those, and one that
            // names all lanes is what it says.
            const auto [begin, end] = code->tokens_of_line(made);
            const std::span written = std::span(code->tokens()).subspan(begin, end - begin);
            const bool names_all = std::ranges::any_of(written, [](const Token& one) {
                return is_any(one.text, {"0xffffffff", "0xffffffffu", "0xFFFFFFFF", "0xFFFFFFFFu"});
            });
            if (code->around(made) == nullptr &&
                (names_all || std::ranges::count(code->tokens(), mask, &Token::text) > 2))
                continue;
            // What lanes have said of themselves is right where they said it.
            const bool is_asked = std::ranges::any_of(written, [](const Token& one) {
                return one.text.ends_with("_sync") || one.text == "__activemask";
            });
            if (!is_asked) move_to(made);
        }
    } else if (cause.id == "missing_bounds_check") {
        place_missing_check(*code, cause);
    } else if (cause.id == "halo_missing") {
        place_halo(*code, cause);
    }
}

/// A number of blocks that is divided and not rounded up.
SourceLocation CodeOfTask::rounded_down() const {
    for (const SourceCode& code : code_) {
        const auto reached = code.reached_from(task_.function);
        for (const Launch& launch : code.launches()) {
            const int line = code.tokens()[launch.at].line;
            if (launch.numbers.empty() ||
                std::ranges::find(reached, code.around(line)) == reached.end())
                continue;
            const int divided = code.division_of(launch.numbers[0], line);
            const auto [first, last] = code.tokens_of_line(divided);
            const bool adds = std::any_of(
                code.tokens().begin() + static_cast<std::ptrdiff_t>(first),
                code.tokens().begin() + static_cast<std::ptrdiff_t>(last), [](const Token& one) {
                    return is_any(one.text, {"+", "%", "++", "+="});
                });
            if (divided > 0 && !adds) return {code.file(), divided, 0};
        }
    }
    return {};
}

/// The check goes behind the statement that makes the index, or into the `if` around the access.
void CodeOfTask::place_missing_check(const SourceCode& code, Cause& cause) const {
    const Function* f = code.around(cause.location.line);
    if (f == nullptr || cause.advice.starts_with("Change "))
        return;  // of a comparison: it is there
    const auto& t = code.tokens();
    std::set<std::string_view> names;
    const auto [first, last] = code.tokens_of_line(cause.location.line);
    for (std::size_t i = first; i < last; ++i)
        if (t[i].text == "[")
            for (std::size_t k = i + 1; k < std::min(code.match(i), last); ++k)
                if (is_name(t[k])) names.insert(t[k].text);
    int best = 0;
    for (std::size_t i = first; i < last; ++i)
        if (t[i].text == "if") best = cause.location.line;  // the check is there, and wrong
    for (std::size_t i = f->open; i < first && i + 1 < t.size(); ++i) {
        if (t[i].text != "if" || t[i + 1].text != "(") continue;
        const std::size_t close = code.match(i + 1);
        const bool is_around =
            close + 1 < t.size() && t[close + 1].text == "{" && code.match(close + 1) > first;
        const bool tests = std::any_of(t.begin() + static_cast<std::ptrdiff_t>(i),
                                       t.begin() + static_cast<std::ptrdiff_t>(close),
                                       [&](const Token& one) { return names.contains(one.text); });
        if (is_around && tests) best = t[i].line;
    }
    if (best == 0)
        for (std::size_t i = f->open + 1; i < first && i + 1 < t.size(); ++i)
            if (names.contains(t[i].text) && t[i + 1].text == "=" && is_name(t[i - 1]))
                best = t[i].line;
    if (best == 0 || best == cause.location.line) return;
    // Somewhere between the index and the access, where both can be seen at once.
    const bool is_head = std::ranges::any_of(
        t, [&](const Token& one) { return one.line == best && one.text == "if"; });
    if (!is_head) {
        constexpr int nearby = 12;
        if (cause.location.line - best > nearby) return;
        cause.end_line = cause.location.line;
    }
    cause.location.line = best;
    cause.location.column = 0;
}

bool CodeOfTask::calls_any(std::initializer_list<std::string_view> functions) const {
    for (const SourceCode& code : code_)
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t k = f->open; k < f->close; ++k)
                if (is_any(code.tokens()[k].text, functions)) return true;
    return false;
}

/// The first launch in a function that is launched itself.
void CodeOfTask::place_child(Cause& cause) const {
    for (const SourceCode& code : code_)
        for (const Launch& launch : code.launches()) {
            const int line = code.tokens()[launch.at].line;
            const Function* owner = code.around(line);
            if (owner == nullptr || !reaches({code.file(), line, 0}) ||
                std::ranges::none_of(code.launches(), [&](const Launch& other) {
                    return other.kernel == owner->name;
                }))
                continue;
            cause.location = {code.file(), line, 0};
            return;
        }
}

/// An output that is added to is set in front of the launch; one that nobody stores is stored where
/// its neighbours are.
void CodeOfTask::place_unset_output(Cause& cause) const {
    const bool is_added_to = std::ranges::count(cause.explains, "uninitialised_read") > 0;
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        const Launch* launch =
            code.file() == cause.location.file ? code.launch_at(cause.location.line) : nullptr;
        if (!is_added_to) {
            // A launch that is not made each time, or else the first store.
            for (const Function* f : code.reached_from(task_.function))
                for (const Launch& one : code.launches()) {
                    if (one.at < f->open || one.at > f->close || one.at < 2) continue;
                    if (t[one.at - 1].text == ")" &&
                        t[code.tokens_of_line(t[one.at].line).first].text == "if") {
                        cause.location = {code.file(), t[one.at].line, 0};
                        return;
                    }
                }
            const Lines stored = uses(code, Role::output, Use::stored);
            if (stored.empty()) continue;
            cause.location = {code.file(), stored.front(), 0};
            return;
        }
        if (launch == nullptr) continue;
        std::size_t open = launch->at;
        int depth = 0;
        while (open > 0) {
            --open;
            if (t[open].text == "}") ++depth;
            if (t[open].text == "{" && depth-- == 0) break;
        }
        cause.end_line = cause.location.line;
        cause.location = {code.file(), t[open].line, 0};
        return;
    }
}

namespace {

/// The macros in whose definition a name occurs: `#define TAP(i, j) mask[(i) * width + (j)]`.
std::set<std::string_view> macros_with(const SourceCode& code, std::string_view name) {
    const auto& t = code.tokens();
    std::set<std::string_view> all;
    for (std::size_t i = 1; i + 1 < t.size(); ++i)
        if (t[i].text == "define" && t[i - 1].text == "#")
            for (std::size_t k = i + 2; k < t.size() && t[k].line == t[i].line; ++k)
                if (t[k].text == name) all.insert(t[i + 1].text);
    return all;
}

/// The only macro that computes an index into an array: `#define AT(i, k) table[(k) * n + (i)]`.
std::vector<int> index_macro(const SourceCode& code, std::string_view array) {
    const auto& t = code.tokens();
    std::set<int> lines;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {
        if (t[i].text != "define" || t[i - 1].text != "#") continue;
        for (std::size_t k = i + 2; k + 1 < t.size() && t[k].line == t[i].line; ++k)
            if (t[k].text == array && t[k + 1].text == "[") lines.insert(t[i].line);
    }
    return lines.size() == 1 ? std::vector<int>{*lines.begin()} : std::vector<int>();
}

}  // namespace

/// Where kernels read the constant memory that an argument is copied to.
CodeOfTask::Lines CodeOfTask::reads_of_copy(const SourceCode& code,
                                            std::string_view argument) const {
    const auto& t = code.tokens();
    const auto reached = code.reached_from(task_.function);
    Lines lines;
    for (const Function* f : reached)
        for (std::size_t i = f->open; i + 4 < f->close; ++i) {
            if (!t[i].text.starts_with("cudaMemcpyToSymbol") || t[i + 1].text != "(" ||
                t[i + 3].text != "," || t[i + 4].text != argument)
                continue;
            const std::set<std::string_view> readers = macros_with(code, t[i + 2].text);
            for (const Function* kernel : reached)
                for (std::size_t k = kernel->open; k + 1 < kernel->close; ++k)
                    if ((t[k].text == t[i + 2].text && t[k + 1].text == "[") ||
                        (readers.contains(t[k].text) && t[k + 1].text == "("))
                        lines.push_back(t[k].line);
        }
    std::ranges::sort(lines);
    return lines;
}

/// The only line of the task in which an index is a row's number times a length, and more; empty:
/// there are several, or none.
CodeOfTask::Lines CodeOfTask::only_plane_index(const SourceCode& code) const {
    const auto& t = code.tokens();
    std::set<int> lines;
    for (const Function* f : code.reached_from(task_.function))
        for (std::size_t i = f->open; i + 1 < f->close; ++i) {
            if (t[i].text != "[") continue;
            bool times = false, plus = false;
            for (std::size_t k = i; k < code.match(i); ++k) {
                times |= t[k].text == "*";
                plus |= t[k].text == "+";
            }
            if (times && plus) lines.insert(t[i].line);
        }
    return lines.size() == 1 ? Lines{*lines.begin()} : Lines();
}

/// The only line with an index such as `width - 1 - k`, where k is counted up by a loop. 0: there
/// is none, or several.
int CodeOfTask::only_line_counting_down(const SourceCode& code) const {
    const auto& t = code.tokens();
    int found = 0;
    // `tile[y - dy][x - dx]` beside `mask[r + dy][r + dx]`
    for (const Function* f : code.reached_from(task_.function))
        for (std::size_t i = f->open + 1; i + 2 < f->close; ++i) {
            if (t[i].text != "-" || !is_name(t[i + 1]) || t[i + 2].text != "]") continue;
            const auto [first, last] = code.tokens_of_line(t[i].line);
            for (std::size_t k = first; k + 2 < last; ++k)
                if (t[k].text == "+" && t[k + 1].text == t[i + 1].text && t[k + 2].text == "]")
                    return t[i].line;
        }
    for (const Function* f : code.reached_from(task_.function))
        for (std::size_t i = f->open + 1; i + 4 < f->close; ++i) {
            if (!is_name(t[i]) || t[i + 1].text != "-" || t[i + 2].text != "1" ||
                t[i + 3].text != "-" || !is_name(t[i + 4]) || is_any(t[i - 1].text, {"*", "+"}))
                continue;
            bool is_counted = false;
            for (std::size_t k = f->open + 1; k < i; ++k)
                is_counted |= t[k].text == "++" &&
                              (t[k - 1].text == t[i + 4].text || t[k + 1].text == t[i + 4].text);
            if (!is_counted || t[i].line == found) continue;
            if (found > 0) return 0;
            found = t[i].line;
        }
    return found;
}

/// Where an input is read in the wrong order: not where it is copied to shared memory, but where
/// the copy is read; and if the other array's index counts down there, in that line.
void CodeOfTask::place_order(Cause& cause) const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const ArgumentSpec& argument : task_.arguments) {
            if (argument.role != Role::input ||
                cause.sentence.find("`" + argument.name + "`") == std::string::npos)
                continue;
            Lines lines = uses(code, Role::input, Use::read, argument.name);
            if (lines.empty()) lines = reads_of_copy(code, argument.name);
            if (lines.empty() && cause.id == "mask_reversed")
                if (const int down = only_line_counting_down(code)) lines = {down};
            if (lines.empty() && cause.id == "transposed") lines = only_plane_index(code);
            if (lines.empty() && cause.id == "transposed") lines = index_macro(code, argument.name);
            if (lines.empty()) continue;
            int line = lines.front();
            // Handed on in a structure: it is read where its member is.
            if (code.launch_at(line) != nullptr && cause.id == "transposed")
                if (const Lines planes = only_plane_index(code); !planes.empty())
                    line = planes.front();
            const auto [first, last] = code.tokens_of_line(line);
            for (std::size_t i = first; i + 1 < last; ++i) {
                // `tile[i] = mask[i];` takes it as it is.
                if (t[i].text != "=" || i < 1 || t[i - 1].text != "]") continue;
                std::size_t name = i - 1;
                while (name > first && t[name].text != "[") --name;
                const std::string_view copy = name > first ? t[name - 1].text : "";
                const Function* f = code.around(line);
                for (std::size_t k = last; f != nullptr && k + 1 < f->close; ++k)
                    if (t[k].text == copy && t[k + 1].text == "[" &&
                        t[std::min(code.match(k + 1) + 1, f->close)].text != "=") {
                        line = t[k].line;
                        break;
                    }
            }
            if (cause.id == "mask_reversed")
                for (int near = line; near >= std::max(1, line - 3); --near) {
                    const auto range = code.tokens_of_line(near);
                    const bool counts_down = [&] {
                        for (std::size_t i = range.first; i + 1 < range.last; ++i)
                            if (t[i].text == "-" && is_name(t[i + 1]) &&
                                is_index_at(code, line, t[i + 1].text))
                                return true;
                        return false;
                    }();
                    if (counts_down) {
                        line = near;
                        break;
                    }
                    if (near == line - 3 || near == 1)
                        if (const int down = only_line_counting_down(code)) line = down;
                }
            cause.location = {code.file(), line, 0};
            return;
        }
    }
}

/// The store of the output; or, for what is missing after all, the last launch.
void CodeOfTask::place_result(Cause& cause) const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        if (cause.id == "blocks_not_combined") {
            int last = 0;
            for (const Function* f : code.reached_from(task_.function))
                for (const Launch& one : code.launches())
                    if (f->open < one.at && one.at < f->close)
                        last = std::max(last, t[one.at].line);
            if (last > 0) cause.location = {code.file(), last, 0};
            continue;
        }
        if (cause.id == "wrong_result_returned") {
            for (const Function* f : code.reached_from(task_.function)) {
                int returns = 0;
                bool swaps = false;
                for (std::size_t i = f->open; i < f->close && i < t.size(); ++i) {
                    // atomicCAS, and not a function of the student's, atomic_add
                    swaps |= t[i].text.starts_with("atomic") && t[i].text.size() > 6 &&
                             t[i].text[6] >= 'A' && t[i].text[6] <= 'Z';
                    if (t[i].text == "return" && t[i + 1].text != ";") returns = t[i].line;
                }
                if (swaps && returns > 0) {
                    cause.location = {code.file(), returns, 0};
                    return;
                }
            }
        }
        const Lines stored = uses(code, Role::output, Use::stored);
        if (stored.empty()) continue;
        cause.location = {code.file(), stored.front(), 0};
        return;
    }
}

/// From the read of a shared array to its last store before.
void CodeOfTask::place_halo(const SourceCode& code, Cause& cause) const {
    const auto& t = code.tokens();
    const Function* f = code.around(cause.location.line);
    if (f == nullptr) return;
    const auto [first, last] = code.tokens_of_line(cause.location.line);
    // A store in a macro: behind its last use.
    if (first + 2 < last && t[first].text == "#" && t[first + 1].text == "define") {
        for (std::size_t i = last; i < f->close; ++i)
            if (t[i].text == t[first + 2].text) cause.location.line = t[i].line;
        cause.location.column = 0;
        return;
    }
    // A store in a lambda that loads one part at a time: behind its last call the rest is missing.
    if (last > first && is_any(assigned_element(code, first, last), {"="}))
        if (const std::size_t call = last_call_of_lambda(code, *f, first, f->close);
            call != first) {
            cause.location.line = t[call].line;
            cause.location.column = 0;
            return;
        }
    std::set<std::string_view> shared;
    for (std::size_t i = f->open; i < first; ++i)
        if (t[i].text == "__shared__")
            for (std::size_t k = i; k < first && t[k].text != ";"; ++k)
                if (t[k].text == "[") {
                    shared.insert(t[k - 1].text);
                    break;
                }
    for (std::size_t i = first; i + 1 < last; ++i)
        if (shared.contains(t[i].text) && t[i + 1].text == "[" &&
            assigned_element(code, i, last) == "=")
            return;  // it is the last store
    bool reads = false;
    for (std::size_t i = first; i < last; ++i) reads |= shared.contains(t[i].text);
    if (!reads) return;
    for (std::size_t i = f->open; i + 1 < first; ++i) {
        if (!shared.contains(t[i].text) || t[i + 1].text != "[") continue;
        std::size_t behind = i + 1;
        while (behind < first && t[behind].text == "[") behind = code.match(behind) + 1;
        if (behind < first && t[behind].text == "=")
            cause.location.line = t[last_call_of_lambda(code, *f, i, first)].line;
    }
    cause.location.column = 0;
}

}  // namespace cugrade
