#include "judging/value_rules.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "judging/cause_of_change.hpp"
#include "judging/scan_rules.hpp"
#include "judging/table_rules.hpp"

namespace cugrade::edit {
namespace {
/// The lines in which a function returns something that none of its parameters and variables is in;
/// empty: it returns something else, too.
std::vector<Range> constants_returned(const Text& text, const Function& f) {
    std::vector<Range> all;
    for (std::size_t i = f.open; i < f.close; ++i) {
        if (text.word(i) == "=") return {};
        if (text.word(i) != "return") continue;
        const Range value{i + 1, behind(text, i + 1) - 1};
        for (std::size_t k = value.first; k < value.last; ++k)
            if (text.word(k) == "[" ||
                std::ranges::find(f.parameters, text.word(k)) != f.parameters.end())
                return {};
        if (value.first < value.last) all.push_back(value);
    }
    return all;
}

/// The definition of the only name of a line that stands for a constant of its function: `x =
/// ~0u;`.
int constant_used_in(const Text& text, Range line) {
    int found = 0;
    for (std::size_t i = line.first; i < line.last; ++i) {
        if (!is_name(text.token(i))) continue;
        const int made = definition_in(text, text.word(i), text.line(i));
        if (made == 0 || made == text.line(i) || made == found) continue;
        const Range definition = text.code.tokens_of_line(made);
        std::size_t k = definition.first;
        while (k < definition.last && text.word(k) != "=") ++k;
        bool is_constant = k + 1 < definition.last && text.word(definition.first) != "for";
        for (++k; k < definition.last && text.word(k) != ";"; ++k)
            is_constant &= !is_name(text.token(k)) || !std::islower(text.word(k)[0]);
        if (!is_constant) continue;
        if (found > 0) return 0;
        found = made;
    }
    return found;
}

/// The line of the only macro that stands for a value there; 0: there is none, or several.
int macro_used_in(const Text& text, Range line) {
    int found = 0;
    for (std::size_t k = 1; k + 2 < text.code.tokens().size(); ++k) {
        if (text.word(k) != "define" || text.word(k - 1) != "#" || text.word(k + 2) == "(" ||
            text.line(k + 2) != text.line(k))
            continue;
        bool is_used = false;
        for (std::size_t i = line.first; i < line.last; ++i)
            is_used |= text.word(i) == text.word(k + 1);
        if (!is_used) continue;
        if (found > 0) return 0;
        found = text.line(k);
    }
    return found;
}

/// Where `dim3 block(side, side)` stands in front of a line of its function; 0: nowhere.
int object_made_in(const Text& text, std::string_view name, int line) {
    const Function* f = text.code.around(line);
    int found = 0;
    for (std::size_t i = f == nullptr ? 0 : f->open + 1; f != nullptr && i < f->close; ++i)
        if (text.word(i) == name && text.word(i - 1) == "dim3" && text.line(i) < line &&
            is_any(text.word(i + 1), {"(", "{"}))
            found = text.line(i);
    return found;
}

bool is_number(std::string_view word) {
    return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

bool has_number(const Text& text, Range range) {
    for (std::size_t i = range.first; i < range.last; ++i)
        if (is_number(text.word(i))) return true;
    return false;
}

/// Whether all numbers of a line stand in the head of a loop: `for (int d = 16; d; d /= 2) v = ...`
bool has_number_only_in_loop(const Text& text, Range line) {
    if (line.first >= line.last || text.word(line.first) != "for") return !has_number(text, line);
    return !has_number(text, {text.code.match(line.first + 1), line.last});
}

/// Inside of the structure, or the other braces, in which the function of a line stands; empty: in
/// none.
Range braces_around(const Text& text, int line) {
    const Function* here = text.code.around(line);
    int closed = 0;
    for (std::size_t i = here == nullptr ? 0 : here->at; i-- > 0;) {
        if (text.word(i) == "}") ++closed;
        if (text.word(i) == "{" && closed-- == 0) return {i, text.code.match(i)};
    }
    return {};
}

/// The only constant of a class: `static constexpr float neutral = ...;`. Its line; 0: there is
/// none, or several.
int only_constant_in(const Text& text, Range braces) {
    int found = 0;
    for (std::size_t i = braces.first; i + 1 < braces.last; ++i) {
        if (text.word(i) != "static" || !is_any(text.word(i + 1), {"constexpr", "const"})) continue;
        std::size_t k = i + 2;
        while (k < braces.last && !is_any(text.word(k), {"=", "(", ";", "{"})) ++k;
        if (!is_any(text.word(k), {"=", "{"})) continue;
        if (found > 0) return 0;
        found = text.line(i);
    }
    return found;
}

/// The function of the same name within the range; if there is none, the one that is given.
const Function* same_name_in(const Text& text, Range range, const Function& given) {
    for (const Function& one : text.code.functions())
        if (one.name == given.name && is_in(range, one.at)) return &one;
    return &given;
}

/// Where a kernel takes a number for an element that is not there: `i < n ? in[i] : 0`; 0: nowhere,
/// or in several lines.
int only_number_chosen(const Text& text) {
    int found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 2 < f->close; ++i) {
            if (text.word(i) != ":") continue;
            // `: 0` or `: T(0)`
            const bool is_cast =
                text.word(i + 2) == "(" && is_number(text.word(i + 3)) && text.word(i + 4) == ")";
            if (!(is_cast ? is_name(text.token(i + 1)) : is_number(text.word(i + 1))) ||
                !is_any(text.word(i + (is_cast ? 5 : 2)), {";", ")", ","}))
                continue;
            if (found > 0 && found != text.line(i)) return 0;
            found = text.line(i);
        }
    return found;
}

bool is_all_ones(std::string_view value) {
    return value.find('~') != std::string_view::npos || value.starts_with("0xf") ||
           value.starts_with("0xF") || value.find("MAX") != std::string_view::npos || value == "-1";
}

}  // namespace

void where_first_value_is_made(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    // `m = {0, none};`
    for (std::size_t i = here.first; i + 2 < here.last; ++i)
        if (is_name(text.token(i)) && text.word(i + 1) == "=" && text.word(i + 2) == "{" &&
            is_number(text.word(i + 3)))
            return;
    const Range braces = braces_around(text, cause.location.line);
    const Function* made = nullptr;
    bool is_only_one = true;
    const auto look_at = [&](std::size_t i) {
        const Function* f = function_called_at(text, i);
        if (f != nullptr) f = same_name_in(text, braces, *f);
        if (f == nullptr || constants_returned(text, *f).empty()) return;
        is_only_one &= made == nullptr || made == f;
        made = f;
    };
    for (std::size_t i = here.first; i < here.last; ++i) look_at(i);
    if (made == nullptr) {
        if (const int constant = constant_used_in(text, here))
            return put_near(text, constant, cause);
        // `const N from[10] = {0, 0, ones, 0};`
        for (const std::string_view name : names_of(text, here)) {
            const Range list =
                text.code.tokens_of_line(definition_in(text, name, cause.location.line));
            if (names_of(text, list).empty() || words(text, list).find("={") == std::string::npos)
                continue;
            if (const int constant = constant_used_in(text, list))
                return put_near(text, constant, cause);
        }
        if (const int macro = macro_used_in(text, here)) return put_at(text, macro, cause);
        for (const Function* f : text.reached)
            for (std::size_t i = f->open; i < f->close; ++i) look_at(i);
    }
    if (made == nullptr)
        if (const int member = only_constant_in(text, braces)) return put_at(text, member, cause);
    if (made == nullptr && has_number_only_in_loop(text, here))
        if (const int chosen = only_number_chosen(text)) return put_at(text, chosen, cause);
    if (made == nullptr || !is_only_one) return;
    std::vector<Range> values = constants_returned(text, *made);
    if (values.size() > 1 && cause.advice.find("all ones") != std::string::npos)
        std::erase_if(values, [&](Range one) { return !is_all_ones(words(text, one)); });
    if (values.size() == 1) put_at(text, text.line(values.front().first), cause);
}

void where_swap_is_tried_again(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    for (const Condition& one : conditions_in(text, *f)) {
        bool is_named = false;
        int first = 0, second = 0;
        bool compares = false;
        for (std::size_t i = f->open; i < f->close; ++i) {
            if (text.word(i) == "atomicCAS") {
                is_named |= text.line(i) == cause.location.line;
                if (i < one.at) first = text.line(i);
                if (is_in(one.body, i)) second = text.line(i);
            }
            compares |= i > one.at && i < one.body.first && is_any(text.word(i), {"!=", "=="});
        }
        const bool is_of_two = cause.location.line == first || cause.location.line == second;
        if (!is_named || !is_of_two || first == 0 || second == 0 || !compares) continue;
        const int line = text.line(one.at);
        cause.sentence = fmt::format(
            "The `atomicCAS` that failed is tried again in line {}, but only once: if another "
            "thread was faster again, nothing is stored, and this thread's value is lost.",
            second);
        cause.advice = fmt::format(
            "Make a loop of the `if` in line {}: try again as long as the returned value is not "
            "the expected one.",
            line);
        return put_between(text, line, second, cause);
    }
    if (const int head = text.lines.head_of_statement(cause.location.line);
        head > 0 && head < cause.location.line)
        put_between(text, head, cause.location.line, cause);
}

void where_swap_is_tried_once(const Text& text, Cause& cause) {
    if (cause.proof == Proof::proven) return;
    if (is_total_of_first_lane(text, cause)) return;
    for (const Function* f : text.reached) {
        const auto swap = [&] {
            for (std::size_t i = f->open; i < f->close; ++i)
                if (text.word(i) == "atomicCAS") return i;
            return std::size_t{0};
        }();
        const auto names = names_of(text, {f->open, f->close});
        const bool loops = names.contains("while") || names.contains("for") || names.contains("do");
        // A function that says whether it has taken something is called in a loop.
        const bool gives_nothing_back = f->at > 0 && text.word(f->at - 1) == "void";
        if (swap == 0 || loops || !gives_nothing_back) continue;
        const int line = text.line(swap);
        cause.id = "no_retry";
        tell_swap_tried_once(line, cause);
        const int head = text.lines.head_of_statement(line);
        return put_between(text, head, line, cause);
    }
}

namespace {

/// The line in which the device is asked for a number that the line compares with; 0: none.
int asked_of_device(const Text& text, int line) {
    const auto names = names_of(text, text.code.tokens_of_line(line));
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    for (std::size_t i = f->open; i + 3 < f->close && text.line(i) < line; ++i)
        if (text.word(i) == "cudaDeviceGetAttribute" && text.word(i + 1) == "(" &&
            text.word(i + 2) == "&" && names.contains(text.word(i + 3)))
            return text.line(i);
    return 0;
}

/// `16 * 1024;`
bool is_made_of_numbers(const Text& text, int line) {
    const Range there = text.code.tokens_of_line(line);
    std::size_t i = there.first;
    while (i < there.last && !is_any(text.word(i), {"=", "{"})) ++i;
    const bool is_macro = i == there.last && text.word(there.first + 1) == "define";
    i = is_macro ? there.first + 3 : i + 1;
    bool has_one = false;
    for (; i < there.last && !is_any(text.word(i), {";", "}"}); ++i) {
        if (is_name(text.token(i))) return false;
        has_one |= is_number(text.word(i));
    }
    return has_one;
}

/// The number that the file gives a name and that the host computes a size from; 0: none.
int constant_of_size(const Text& text, Range size, int line) {
    for (const std::string_view name : names_of(text, size)) {
        const int made = definition_in(text, name, line);
        if (made == 0 || made >= line) continue;
        int constant = 0;
        const Range there = text.code.tokens_of_line(made);
        for (std::size_t i = there.first; i < there.last; ++i) {
            if (!is_name(text.token(i)) || text.word(i) == name) continue;
            const int origin = text.code.origin_of(text.word(i), made);
            if (origin > 0 && text.code.around(origin) == nullptr &&
                is_made_of_numbers(text, origin))
                constant = origin;
        }
        if (constant > 0) return constant;
    }
    return 0;
}

}  // namespace

void where_launch_is_sized(const Text& text, Cause& cause) {
    if (cause.id == "launch_refused")
        if (const int asked = asked_of_device(text, cause.location.line))
            return put_near(text, asked, cause);
    // The first line of the statement, or the one with the launch.
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    if (launch == nullptr) launch = text.code.launch_at(cause.end_line);
    if (launch == nullptr || launch->numbers.size() < 2) return;
    const bool is_shared = cause.sentence.find("shared memory") != std::string::npos;
    if (is_shared && launch->numbers.size() < 3) return;
    if (is_shared)
        if (const int limit = constant_of_size(text, launch->numbers[2], cause.location.line))
            return put_at(text, limit, cause);
    // The names of the number, those of their definitions, and so on.
    int first = cause.location.line;
    std::set<std::string_view> seen, next = names_of(text, launch->numbers[is_shared ? 2 : 1]);
    // Chosen: more than a launch is made of, and few enough to look each of them up.
    constexpr std::size_t most_names = 32;
    while (!next.empty() && seen.size() < most_names) {
        const std::string_view name = *next.begin();
        next.erase(next.begin());
        if (!seen.insert(name).second) continue;
        int made = definition_in(text, name, cause.location.line);
        if (made == 0) made = object_made_in(text, name, cause.location.line);
        if (made == 0 || made >= cause.location.line) continue;
        first = std::min(first, made);
        next.merge(names_of(text, text.code.tokens_of_line(made)));
    }
    put_near(text, first, cause);
}

void where_numbers_are_exchanged(const Text& text, Cause& cause) {
    if (is_asked_in_other_order(text, cause)) return;
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    const Function* host = text.code.around(cause.location.line);
    if (launch == nullptr || host == nullptr) return;
    const auto is_two_of_the_callers = [&](int line) {
        const std::set<std::string_view> names = names_of(text, text.code.tokens_of_line(line));
        return std::ranges::count_if(host->parameters, [&](std::string_view one) {
                   return names.contains(one);
               }) >= 2;
    };
    for (const Range argument : launch->arguments)
        for (const std::string_view name : names_of(text, argument)) {
            int made = definition_in(text, name, cause.location.line);
            if (made == 0) made = object_made_in(text, name, cause.location.line);
            if (made > 0 && made < cause.location.line && is_two_of_the_callers(made))
                return put_at(text, made, cause);
        }
}

std::optional<Cause> divided_to_nothing(const Text& text) {
    const auto number_at = [&](std::size_t i) {
        int value = -1;
        const std::string_view word = text.word(i);
        (void)std::from_chars(word.data(), word.data() + word.size(), value);
        const bool is_integer = word.find_first_of(".eEfF") == std::string_view::npos;
        return is_integer ? value : -1;
    };
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            const int part = number_at(i + 1), whole = number_at(i + 3);
            if (!is_any(text.word(i), {"+", "-"}) || text.word(i + 2) != "/" || part <= 0 ||
                whole <= part || is_any(text.word(i - 1), {"(", "=", ",", "return"}))
                continue;
            std::string name(f->name);
            for (std::size_t k = i; k > f->open && !is_any(text.word(k), {";", "{", "}"}); --k)
                if (text.word(k) == "=" && is_name(text.token(k - 1))) name = text.word(k - 1);
            const bool is_radius = name == "r" || name.find("rad") != std::string::npos ||
                                   name.find("Rad") != std::string::npos ||
                                   name.find("half") != std::string::npos;
            Cause cause{.id = is_radius ? "radius_wrong" : "wrong_element"};
            cause.location = {text.code.file(), text.line(i), 0};
            cause.sentence = fmt::format(
                "Line {} divides {} by {} first, and in integers that is 0: division comes before "
                "addition and subtraction.",
                text.line(i), part, whole);
            cause.advice = fmt::format("Put what is to be divided in parentheses: (x {} {}) / {}.",
                                       text.word(i), part, whole);
            return cause;
        }
    return {};
}

/// `w >= limit ? limit : w + 1`: at the limit it stays.
bool stays_at_limit(const Text& text, std::size_t i) {
    const auto is = [&](std::size_t at, std::string_view word) { return text.word(at) == word; };
    const std::string_view value = text.word(i - 3), limit = text.word(i - 1);
    const bool stays = is_any(text.word(i - 2), {">=", "=="}) && is(i + 1, limit) &&
                       is(i + 2, ":") && is(i + 3, value) && is(i + 4, "+") && is(i + 5, "1");
    const bool rises = is(i - 2, "<") && is(i + 1, value) && is(i + 2, "+") && is(i + 3, "1") &&
                       is(i + 4, ":") && is(i + 5, limit);
    return is(i, "?") && (stays || rises);
}

void where_it_saturates(const Text& text, Cause& cause) {
    if (cause.location.line > 0) return;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 3; i < f->close; ++i)
            if (stays_at_limit(text, i)) {
                cause.sentence = fmt::format("What has come to `{}` stays there in line {}.",
                                             text.word(i - 1), text.line(i));
                cause.advice = "Compare with the task what comes after the largest number.";
                return put_at(text, text.line(i), cause);
            }
    const auto saturates = [&](std::size_t i) {
        const std::string_view word = text.word(i);
        // __vaddus4, __vsubss2; __saturatef
        const bool is_packed =
            word.starts_with("__v") && (word.find("us") != std::string_view::npos ||
                                        word.find("ss") != std::string_view::npos);
        if (is_packed || is_any(word, {"__saturatef", "clamp"})) return true;
        if (!is_any(word, {"min", "umin", "fminf", "fmin"}) || text.word(i + 1) != "(")
            return false;
        return std::ranges::any_of(arguments_of(text, i + 1), [&](Range one) {
            return is_any(words(text, one), {"255", "255u", "0xff", "0xffu", "255.0f", "255.f",
                                             "255.0", "65535", "65535u", "0xffff", "127",
                                             "UCHAR_MAX", "USHRT_MAX", "UINT_MAX", "INT_MAX"});
        });
    };
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i < f->close; ++i)
            if (saturates(i)) return put_at(text, text.line(i), cause);
    // `times < limit ? times : limit`
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 3; i + 3 < f->close; ++i)
            if (text.word(i) == "?" && is_any(text.word(i - 2), {"<", "<="}) &&
                text.word(i + 1) == text.word(i - 3) && text.word(i + 3) == text.word(i - 1))
                return put_at(text, text.line(i), cause);
}

namespace {

/// atomicInc with as many as there are blocks as its largest value.
bool where_count_wraps(const Text& text, Cause& cause) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 3 < f->close; ++i) {
            if (text.word(i) != "atomicInc" || text.word(i + 1) != "(") continue;
            const auto arguments = arguments_of(text, i + 1);
            if (arguments.size() != 2 || words(text, arguments[1]) != "gridDim.x") continue;
            const std::string counter = words(text, arguments[0]);
            cause.sentence = fmt::format(
                "`{}` is not back at 0 when the kernel ends: atomicInc goes back to 0 only behind "
                "its second argument, one more than there are blocks.",
                counter.starts_with('&') ? counter.substr(1) : counter);
            cause.advice = "Give atomicInc the largest value of the count: gridDim.x - 1.";
            put_at(text, text.line(i), cause);
            return true;
        }
    return false;
}

}  // namespace

namespace {

/// It is set by the host, but not in every call: below a condition in front of the launch.
bool is_set_below_condition(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return false;
    const Range here = text.code.tokens_of_line(cause.location.line);
    bool sets = false;
    for (std::size_t i = here.first; i < here.last; ++i)
        sets |= text.word(i).starts_with("cudaMemset");
    const auto conditions = conditions_in(text, *f);
    const auto around = std::ranges::find_if(
        conditions, [&](const Condition& one) { return is_in(one.body, here.first); });
    if (!sets || around == conditions.end()) return false;
    for (const SourceCode::Launch& one : text.code.launches()) {
        if (one.at < around->body.last || one.at > f->close) continue;
        const int launch = text.line(one.at);
        cause.advice = fmt::format(
            "Set it in every call: before the launch in line {}, below no condition.", launch);
        // Both ends of the way that it has to go, if one sees them together.
        constexpr int in_sight = 5;
        const int set = cause.location.line;
        put_between(text, launch - set <= in_sight ? set : text.lines.line_before(launch), launch,
                    cause);
        return true;
    }
    return false;
}

}  // namespace

namespace {

/// An array is kept from call to call, and only some calls allocate it: `if (work == nullptr)`. A
/// kernel left an array behind its end, so it was too small, not too old.
bool is_kept_too_small(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.instance.find("past the end of") == std::string::npos) return false;
    for (const Condition& one : conditions_in(text, *f)) {
        if (text.line(one.at) != cause.location.line) continue;
        bool allocates = false;
        for (std::size_t i = one.body.first; i < one.body.last; ++i)
            allocates |= text.word(i).starts_with("cudaMalloc");
        if (!allocates) return false;
        cause.id = "array_too_small";
        cause.sentence = fmt::format(
            "Line {} keeps the array of an earlier call where this call needs a larger one.",
            cause.location.line);
        cause.advice =
            "Compare the size that this call needs with the size that was allocated, in the same "
            "unit, and allocate anew where it does not suffice.";
        return true;
    }
    return false;
}

/// A variable of the device that is declared in the line, and that kernels only add to and read:
/// it is set back behind the last line that reads it.
void where_it_is_used_last(const Text& text, Cause& cause) {
    const Range declared = text.code.tokens_of_line(cause.location.line);
    std::string_view name;
    for (std::size_t i = declared.first; i + 1 < declared.last && name.empty(); ++i)
        if (is_name(text.token(i)) && is_any(text.word(i + 1), {"=", ";", "{"}))
            name = text.word(i);
    int last = 0;
    for (std::size_t i = 1; !name.empty() && i < text.code.tokens().size(); ++i) {
        if (text.word(i) != name || text.line(i) == cause.location.line) continue;
        const std::string_view next = text.word(i + 1);
        if (next == "=" || next.ends_with("=")) return;  // somebody sets it
        if (text.word(i - 1) == "&") continue;
        if (text.code.around(text.line(i)) == nullptr) return;
        last = text.line(i);
    }
    if (last == 0) return;
    cause.advice = fmt::format("Set `{}` back behind line {}, which reads it last.", name, last);
    put_at(text, last, cause);
}

}  // namespace

void where_count_begins_again(const Text& text, Cause& cause) {
    if (is_kept_too_small(text, cause)) return;
    if (where_count_wraps(text, cause) || is_set_below_condition(text, cause)) return;
    if (cause.location.line <= 0 || text.code.around(cause.location.line) != nullptr) return;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 3 < f->close; ++i) {
            if (!is_any(text.word(i), {"atomicAdd", "atomicInc"}) || text.word(i + 2) != "&")
                continue;
            const std::string_view name = text.word(i + 3);
            const int declared = text.code.origin_of(name, text.line(i));
            // A ticket is compared with the number of blocks, in this statement or the next one.
            bool counts_blocks = false, is_set = false;
            int statements = 0;
            for (std::size_t k = i; k < f->close && statements < 2; ++k) {
                counts_blocks |= text.word(k) == "gridDim" || text.word(k) == "group_dim";
                statements += text.word(k) == ";" ? 1 : 0;
            }
            for (std::size_t k = f->open; k < f->close; ++k)
                is_set |= text.word(k) == name && text.word(k + 1) == "=";
            if (!counts_blocks || is_set || text.code.around(declared) != nullptr) continue;
            cause.advice = fmt::format(
                "Let the last block set `{}` back to 0 before the kernel ends in line {}.", name,
                text.line(f->close));
            return put_between(text, text.line(i), text.line(f->close), cause);
        }
    where_it_is_used_last(text, cause);
}

}  // namespace cugrade::edit
