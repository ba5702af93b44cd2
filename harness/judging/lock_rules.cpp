#include "judging/lock_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "build/lexical.hpp"

namespace cugrade::edit {
namespace {

/// Whether the function gives a lock back behind the line.
bool is_released_behind(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return true;
    for (std::size_t i = f->open; i < f->close; ++i) {
        if (text.line(i) <= line || text.word(i + 1) != "(") continue;
        if (text.word(i) == "atomicExch") return true;
        for (const Function& called : text.code.functions())
            if (called.name == text.word(i) &&
                names_of(text, {called.open, called.close}).contains("atomicExch"))
                return true;
    }
    return false;
}

/// Whether the call at a token gives a lock back and takes none.
bool gives_back(const Text& text, std::size_t i) {
    if (text.word(i + 1) != "(") return false;
    if (text.word(i) == "atomicExch") return true;
    const Function* called = function_called_at(text, i);
    if (called == nullptr) return false;
    const auto names = names_of(text, {called->open, called->close});
    return names.contains("atomicExch") && !names.contains("atomicCAS");
}

/// The loop in which lanes take their locks, with the release right behind it: the first lane that
/// has its lock waits in the loop for the others.
bool given_back_behind(const Text& text, const Loop& loop, Cause& cause) {
    constexpr int nearby = 3;
    for (std::size_t i = loop.at; i < loop.all.last; ++i)
        if (gives_back(text, i)) return false;
    const int end = text.line(loop.all.last - 1);
    for (std::size_t i = loop.all.last; text.line(i) > 0 && text.line(i) <= end + nearby; ++i) {
        if (!gives_back(text, i)) continue;
        std::size_t inside = loop.all.last - 1;
        while (inside > loop.at && text.word(inside) == "}") --inside;
        cause.second = cause.location;
        put_between(text, text.line(inside), text.line(i), cause);
        cause.advice = fmt::format(
            "Give the lock back in the loop, as soon as the lane is through, and not in line {}: "
            "who waits in the loop for the other lanes keeps it from them.",
            text.line(i));
        return true;
    }
    return false;
}

/// The other members of the class that has a member of this name.
std::set<std::string_view> members_beside(const Text& text, std::string_view name) {
    std::set<std::string_view> all;
    const auto& t = text.code.tokens();
    const auto is_declared = [&](std::size_t i) {
        return is_name(t[i]) && text.code.is_member(i) &&
               is_any(text.word(i + 1), {";", "=", "{", "["});
    };
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i].text != name || !is_declared(i)) continue;
        std::size_t first = i, last = i;
        while (first > 0 && text.code.is_member(first - 1)) --first;
        while (last + 1 < t.size() && text.code.is_member(last + 1)) ++last;
        for (std::size_t k = first; k <= last; ++k)
            if (k != i && is_declared(k)) all.insert(t[k].text);
    }
    return all;
}

/// `serving` of `while (atomicAdd(&lock->serving, 0) != mine)`; empty: the line does not wait.
std::string_view waited_for(const Text& text, int line) {
    const Range here = text.code.tokens_of_line(line);
    if (here.first >= here.last || !is_any(text.word(here.first), {"while", "for", "do"}))
        return {};
    for (std::size_t i = here.first; i + 2 < here.last; ++i) {
        if (!text.word(i).starts_with("atomic") || text.word(i + 1) != "(") continue;
        std::string_view name;
        for (std::size_t k = i + 2; k < here.last && text.word(k) != ","; ++k)
            if (is_name(text.token(k))) name = text.word(k);
        return name;
    }
    return {};
}

}  // namespace

void where_all_lanes_are_asked(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    for (const Loop& loop : loops_in(text, *f)) {
        if (text.line(loop.at) > cause.location.line ||
            text.line(loop.all.last - 1) < cause.location.line)
            continue;
        for (std::size_t i = loop.at; i < loop.all.last; ++i)
            if (is_any(text.word(i), {"__all_sync", "all"}) && text.word(i + 1) == "(")
                return put_at(text, text.line(i), cause);
        if (given_back_behind(text, loop, cause)) return;
    }
}

namespace {

/// `Guard{lock};`: an object that ends with its statement.
bool is_guard_without_name(const Text& text, Cause& cause) {
    const auto has_destructor = [&](std::string_view type) {
        for (const Function& f : text.code.functions())
            if (f.name == type && f.at > 0 && text.word(f.at - 1) == "~") return true;
        return false;
    };
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 1 < f->close; ++i) {
            if (!is_any(text.word(i - 1), {";", "{", "}", ")", "else"}) ||
                !is_name(text.token(i)) || !is_any(text.word(i + 1), {"{", "("}) ||
                text.word(text.code.match(i + 1) + 1) != ";" || !has_destructor(text.word(i)))
                continue;
            cause.sentence = fmt::format(
                "The `{}` of line {} has no name, so it ends with its own statement: the lock is "
                "given back before the next line.",
                text.word(i), text.line(i));
            cause.advice = fmt::format("Give it a name: {} held{}.", text.word(i),
                                       words(text, {i + 1, text.code.match(i + 1) + 1}));
            put_at(text, text.line(i), cause);
            return true;
        }
    return false;
}

/// The only line in which a function is called; 0: there are several, or none, or it is launched.
int only_call_of(const Text& text, const Function& f) {
    int found = 0;
    for (const Function* caller : text.reached)
        for (std::size_t i = caller->open; i < caller->close; ++i) {
            if (text.word(i) != f.name || open_of_call(text, i) == 0 || text.line(i) == found)
                continue;
            if (found > 0) return 0;
            found = text.line(i);
        }
    return std::ranges::any_of(text.code.launches(),
                               [&](const auto& one) { return one.kernel == f.name; })
               ? 0
               : found;
}

/// What a function only reads for its caller is read too early, or too late, where that calls it.
void where_reader_is_called(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    const Function* other = cause.second ? text.code.around(cause.second->line) : nullptr;
    if (f == nullptr || other == nullptr || f == other || cause.second->file != text.code.file())
        return;
    const int call = only_call_of(text, *f);
    if (call == 0 || text.code.around(call) != other) return;
    cause.location = {text.code.file(), call, 0};
}

}  // namespace

void where_lock_is_not_held(const Text& text, Cause& cause) {
    if (is_guard_without_name(text, cause)) return;
    where_reader_is_called(text, cause);
    if (!cause.second || cause.second->file != cause.location.file ||
        !is_released_behind(text, cause.location.line) ||
        is_released_behind(text, cause.second->line))
        return;
    std::swap(cause.location, *cause.second);
}

void where_others_give_it_back(const Text& text, Cause& cause) {
    constexpr int most_lines = 3;
    const Range here = text.code.tokens_of_line(cause.location.line);
    if (text.word(here.first) != "}") return;
    for (std::size_t i = here.first; i > 0 && text.line(i) + most_lines >= cause.location.line;
         --i) {
        const std::string_view word = text.word(i);
        if (text.word(i + 1) != "(" || text.line(i) == cause.location.line) continue;
        if (word == "atomicExch" || word.find("unlock") != std::string_view::npos ||
            word.find("release") != std::string_view::npos)
            return put_between(text, text.line(i), cause.location.line, cause);
    }
}

namespace {

/// `unsigned counts[8];` of a class, which the line uses: nobody gives it a first value.
void where_member_is_declared(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i < here.last; ++i)
        for (std::size_t k = 1; is_name(text.token(i)) && k + 1 < text.code.tokens().size(); ++k)
            if (text.word(k) == text.word(i) && is_any(text.word(k + 1), {"[", ";"}) &&
                is_name(text.token(k - 1)) && text.code.is_member(k)) {
                cause.advice = fmt::format("Give it a first value: `{}{} = {{}};`.", text.word(k),
                                           text.word(k + 1) == "[" ? "[...]" : "");
                return put_at(text, text.line(k), cause);
            }
}

}  // namespace

void where_lock_is_set(const Text& text, Cause& cause) {
    const std::string_view name =
        cause.proof == Proof::proven ? waited_for(text, cause.location.line) : std::string_view();
    if (name.empty()) return where_member_is_declared(text, cause);
    cause.id = "lock_not_initialised";
    cause.sentence = fmt::format(
        "Line {} waits for `{}`, which nobody has set to free: new memory holds garbage.",
        cause.location.line, name);
    cause.advice =
        "Set it before the first kernel that uses it (cudaMemset after cudaMalloc), in each call.";
    const auto beside = members_beside(text, name);
    int set = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 1 < f->close; ++i)
            if (beside.contains(text.word(i)) && is_any(text.word(i - 1), {"->", "."}) &&
                text.word(i + 1) == "=" && text.line(i) != cause.location.line)
                set = text.line(i);
    if (set == 0) return;
    cause.advice =
        fmt::format("Set `{}` there, too, where line {} sets what is beside it.", name, set);
    put_at(text, set, cause);
}

namespace {

bool may_take(const Text& text, std::size_t call, int depth = 0) {
    constexpr int deepest = 2;
    if (open_of_call(text, call) == 0) return false;
    if (is_any(text.word(call), {"atomicCAS", "atomicExch"})) return true;
    const Function* f = function_called_at(text, call);
    if (f == nullptr || depth > deepest) return false;
    for (std::size_t i = f->open; i < f->close; ++i)
        if (may_take(text, i, depth + 1)) return true;
    return false;
}

/// The only flag that a comparison sets, `two = a != b;`, and on which the taking of a lock
/// depends, `if (two && !take(second))`. 0: there is none.
int flag_that_decides(const Text& text) {
    int found = 0;
    for (std::size_t i = 1; i + 5 < text.code.tokens().size(); ++i) {
        if (text.word(i + 1) != "=" || !is_name(text.token(i)) || text.word(i + 5) != ";" ||
            !is_any(text.word(i + 3), {"==", "!="}))
            continue;
        const std::string_view flag = text.word(i);
        bool decides = false;
        for (const Function& f : text.code.functions())
            for (const Condition& one : conditions_in(text, f)) {
                bool asks = false, takes = false;
                for (std::size_t k = one.at; k < one.body.last; ++k) {
                    asks |= k < one.body.first && text.word(k) == flag;
                    takes |= may_take(text, k);
                }
                decides |= asks && takes;
            }
        if (!decides) continue;
        if (found > 0) return 0;
        found = text.line(i);
    }
    return found;
}

}  // namespace

void where_number_of_locks_is_made(const Text& text, Cause& cause) {
    if (const int flag = flag_that_decides(text); flag > 0 && flag != cause.location.line) {
        cause.location = {text.code.file(), flag, 0};
        return;
    }
    // `while (held < needed && take(locks + need[held]))`
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (!is_any(text.word(i), {"<", "<=", "!="}) || !is_name(text.token(i + 1))) continue;
        const int made = definition_in(text, text.word(i + 1), cause.location.line);
        const Range line = text.code.tokens_of_line(made);
        for (std::size_t k = line.first; made > 0 && k + 2 < line.last; ++k)
            if (text.word(k) == text.word(i + 1) && text.word(k + 1) == "=" &&
                is_digit(text.word(k + 2)[0]))
                return put_near(text, made, cause);
    }
}

void where_order_is_chosen(const Text& text, Cause& cause) {
    // `if (f > t) { first = ...; second = ...; }` in front of the calls that take both
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    const auto taken = names_of(text, text.code.tokens_of_line(cause.location.line));
    int chosen = 0;
    for (const Condition& one : conditions_in(text, *f)) {
        if (text.line(one.at) >= cause.location.line) continue;
        bool compares = false, sets = false;
        for (std::size_t i = one.at; i < one.body.first; ++i)
            compares |= is_any(text.word(i), {"<", ">"});
        for (std::size_t i = one.body.first; i + 1 < one.body.last; ++i)
            sets |= text.word(i + 1) == "=" && taken.contains(text.word(i));
        if (compares && sets) chosen = text.line(one.at);
    }
    put_near(text, chosen, cause);
}

bool is_part_of_lock_cleared(const Text& text, Cause& cause) {
    // `cudaMemset(lock, 0, sizeof(unsigned))`: in bytes, and too few of them.
    const Range here = text.code.tokens_of_line(cause.location.line);
    std::size_t call = here.first;
    while (call < here.last && !text.word(call).starts_with("cudaMemset")) ++call;
    const auto arguments = call < here.last ? arguments_of(text, call + 1) : std::vector<Range>();
    if (arguments.size() < 3 || text.word(arguments[2].first) != "sizeof" ||
        text.code.match(arguments[2].first + 1) + 1 != arguments[2].last)
        return false;
    bool waits = false;
    for (const Function& f : text.code.functions())
        for (int line = text.line(f.open); line <= text.line(f.close); ++line)
            waits |= !waited_for(text, line).empty();
    if (!waits) return false;
    cause.id = "lock_not_initialised";
    cause.sentence =
        fmt::format("Line {} sets {} alone: the rest of the lock stays what was in the memory.",
                    cause.location.line, words(text, arguments[2]));
    cause.advice = "Set all of it: give the size of the lock's type.";
    return true;
}

}  // namespace cugrade::edit
