#include "judging/barrier_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judging/table_rules.hpp"

namespace cugrade::edit {
namespace {

/// Whether the element of a name in front of a bracket is set, or changed by an atomic function.
bool is_stored(const Text& text, std::size_t name) {
    if (name >= 2 && text.word(name - 1) == "&" && text.word(name - 2) == "(" && name >= 3 &&
        text.word(name - 3).starts_with("atomic"))
        return true;
    std::size_t behind_index = name + 1;
    while (text.word(behind_index) == "[") behind_index = text.code.match(behind_index) + 1;
    return is_any(text.word(behind_index), {"=", "+=", "-=", "|=", "^=", "*=", "++"});
}

struct Arrays {
    std::set<std::string_view> read, stored;
};
/// `__shared__ float carry;`
std::set<std::string_view> shared_variables(const Text& text, const Function& f) {
    std::set<std::string_view> all;
    for (std::size_t i = f.open; i + 2 < f.close; ++i)
        for (std::size_t k = i + 1; text.word(i) == "__shared__" && text.word(k) != ";"; ++k)
            if (is_name(text.token(k)) && is_any(text.word(k + 1), {";", ","}))
                all.insert(text.word(k));
    return all;
}

/// Variables in shared memory are arrays of one element.
Arrays arrays_in(const Text& text, Range range) {
    Arrays out;
    if (const Function* f = text.code.around(text.line(range.first)))
        for (const std::string_view name : shared_variables(text, *f))
            for (std::size_t i = range.first; i < range.last; ++i)
                if (text.word(i) == name) (is_stored(text, i) ? out.stored : out.read).insert(name);
    for (std::size_t i = range.first; i + 1 < range.last; ++i)
        // (`int s[64]` declares it.)
        if (is_name(text.token(i)) && text.word(i + 1) == "[" &&
            (i == 0 || !is_name(text.token(i - 1)) || is_any(text.word(i - 1), {"return", "else"})))
            (is_stored(text, i) ? out.stored : out.read).insert(text.word(i));
    return out;
}

/// The loops of a function around a token, the outermost first: from `for` to behind the body.
std::vector<Range> loops_around(const Text& text, const Function& f, std::size_t token) {
    std::vector<Range> all;
    for (const Loop& loop : loops_in(text, f))
        if (is_in(loop.all, token)) all.push_back(loop.all);
    return all;
}

/// "after line 12" becomes "after line 15", in what is told and where.
void put_after(int line, Cause& cause) {
    const std::string old = fmt::format("after line {}", cause.location.line);
    for (std::string* told : {&cause.sentence, &cause.advice})
        if (const std::size_t at = told->find(old); at != std::string::npos)
            told->replace(at, old.size(), fmt::format("after line {}", line));
    cause.location.line = line;
    cause.location.column = 0;
}

bool is_barrier(std::string_view word) { return is_any(word, {"__syncthreads", "sync"}); }

bool has_barrier(const Text& text, Range range) {
    for (std::size_t i = range.first; i < range.last; ++i)
        if (is_barrier(text.word(i))) return true;
    return false;
}

bool is_told_after(const Cause& cause) {
    return cause.proof == Proof::proven &&
           cause.advice.find(fmt::format(" after line {},", cause.location.line)) !=
               std::string::npos;
}

/// The barrier goes to the end of a loop's body, from behind a line on.
void put_at_end(const Text& text, Range loop, int behind, Cause& cause) {
    const int end = text.line(loop.last - 1);
    cause.sentence = fmt::format(
        "A barrier is missing at the end of the loop in line {}: a thread that is ahead begins the "
        "next round while others still work on this one.",
        text.line(loop.first));
    cause.advice = fmt::format(
        "Put __syncthreads() after line {}, where all threads of the block come by.", end - 1);
    cause.location = {text.code.file(), std::min(behind, end - 1), 0};
    cause.end_line = end;
    cause.second.reset();
}

/// Two accesses in the body of a loop, with a barrier between them: it is the next round that comes
/// too early.
bool is_next_round_too_early(const Text& text, const Function& f, Cause& cause) {
    if (cause.proof == Proof::proven || !cause.second ||
        cause.second->file != cause.location.file || text.code.around(cause.second->line) != &f)
        return false;
    const auto [first, last] = std::minmax(cause.location.line, cause.second->line);
    const Range from = text.code.tokens_of_line(first), to = text.code.tokens_of_line(last);
    const auto around_first = loops_around(text, f, from.first);
    for (const Range& loop : around_first) {
        if (!is_in(loop, to.first) || text.word(loop.last - 1) != "}" ||
            depends_on_thread(text, loop) || names_of(text, loop).contains("continue"))
            continue;
        std::size_t behind = to.last;
        for (const Range& inner : loops_around(text, f, to.first))
            if (inner.first > loop.first) behind = std::max(behind, inner.last);
        if (!has_barrier(text, {from.last, to.first}) || has_barrier(text, {behind, loop.last}))
            continue;
        put_at_end(text, loop, text.line(behind - 1), cause);
        return true;
    }
    return false;
}

/// A barrier that helps in front of all that a loop does with arrays: one writes it at the end of
/// the loop's body, where the first round does not wait for nothing.
bool is_at_begin_of_round(const Text& text, const Function& f, Cause& cause) {
    if (!is_told_after(cause)) return false;
    const Range here = text.code.tokens_of_line(cause.location.line);
    const auto loops = loops_around(text, f, here.first);
    if (loops.empty()) return false;
    const Range loop = loops.back();
    const std::size_t body = text.code.match(loop.first + 1) + 1;
    if (text.word(body) != "{" || depends_on_thread(text, loop) ||
        names_of(text, loop).contains("continue") || here.last <= body)
        return false;
    const Arrays in_front = arrays_in(text, {f.open, loop.first}),
                 until_here = arrays_in(text, {loop.first, here.last}),
                 stored = arrays_in(text, {here.last, loop.last});
    if (!until_here.stored.empty() ||
        std::ranges::any_of(until_here.read,
                            [&](std::string_view name) { return stored.stored.contains(name); }))
        return false;
    for (const std::string_view name : stored.stored)
        if (in_front.read.contains(name) || in_front.stored.contains(name)) return false;
    if (!has_barrier(text, {here.last, loop.last})) return false;
    // Up to where the round is over with what the next one overwrites.
    std::size_t last_use = 0;
    for (std::size_t i = here.last; i + 1 < loop.last; ++i)
        if (text.word(i + 1) == "[" && stored.stored.contains(text.word(i))) last_use = i;
    if (last_use == 0) return false;
    std::size_t behind = last_use;
    for (const Range& inner : loops_around(text, f, last_use))
        if (inner.first > loop.first) behind = std::max(behind, inner.last - 1);
    if (has_barrier(text, {behind, loop.last})) return false;
    put_at_end(text, loop, text.line(behind), cause);
    return true;
}

}  // namespace

bool depends_on_thread(const Text& text, Range statement) {
    const std::size_t end = text.code.match(statement.first + 1);
    const auto says_thread = [](std::string_view word) {
        return is_any(word, {"threadIdx", "thread_rank", "rank", "lane", "tid"});
    };
    for (std::size_t i = statement.first; i < end; ++i) {
        if (says_thread(text.word(i))) return true;
        if (!is_name(text.token(i))) continue;
        const int made = definition_in(text, text.word(i), text.line(i));
        if (made == 0 || made == text.line(i)) continue;
        const Range definition = text.code.tokens_of_line(made);
        for (std::size_t k = definition.first; k < definition.last; ++k)
            if (says_thread(text.word(k))) return true;
    }
    return false;
}

void behind_the_loop(const Text& text, Cause& cause) {
    if (cause.evidence.find(fmt::format("the loop that ends in line {} ", cause.location.line)) ==
        std::string::npos)
        return;
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    const auto loops = loops_around(text, *f, text.code.tokens_of_line(cause.location.line).first);
    if (loops.empty()) return;
    const int end = text.line(loops.back().last - 1);
    if (end > cause.location.line) put_after(end, cause);
}

void where_barrier_can_stand(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || is_row_too_short(text, cause)) return;
    if (is_next_round_too_early(text, *f, cause) || is_at_begin_of_round(text, *f, cause)) return;
    const Range here = text.code.tokens_of_line(cause.location.line);
    const auto loops = loops_around(text, *f, here.first);
    const Arrays own = arrays_in(text, here);
    // A statement that races with itself.
    const bool is_of_itself = cause.proof != Proof::proven &&
                              (!cause.second || cause.second->line == cause.location.line);
    if (!is_of_itself && !is_told_after(cause)) return;
    if (loops.empty() || is_of_itself) {
        // row[t] = row[t - 1];
        for (const std::string_view name : own.stored) {
            if (!own.read.contains(name)) continue;
            cause.id = "in_place";
            cause.sentence = fmt::format(
                "Line {} reads elements of `{}` that other threads overwrite in the same "
                "statement.",
                cause.location.line, name);
            cause.advice = fmt::format(
                "Do it in two steps: read into a variable, __syncthreads(), and then store to "
                "`{}`.",
                name);
            return;
        }
        return;
    }
    int line = cause.location.line;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        const Arrays all = arrays_in(text, *loop);
        const auto is_in_both = [&](std::string_view name) {
            return all.read.contains(name) && all.stored.contains(name);
        };
        const bool needs_both = std::ranges::any_of(own.read, is_in_both) ||
                                std::ranges::any_of(own.stored, is_in_both);
        const bool has_arrays = !own.read.empty() || !own.stored.empty();
        if (!depends_on_thread(text, *loop) && (needs_both || !has_arrays)) break;
        line = text.line(loop->last - 1);
    }
    if (line != cause.location.line) put_after(line, cause);
}

int loop_left_by_threads(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    const std::size_t here = text.code.tokens_of_line(line).first;
    for (const Range& loop : loops_around(text, *f, here)) {
        if (text.line(loop.first) >= line || !depends_on_thread(text, loop)) continue;
        const bool is_below_condition =
            std::ranges::any_of(conditions_in(text, *f), [&](const Condition& one) {
                return is_in(loop, one.at) && (is_in(one.body, here) || is_in(one.other, here));
            });
        return is_below_condition ? 0 : text.line(loop.first);
    }
    return 0;
}

void which_barrier_is_held_back(const Text& text, Cause& cause) {
    if (!cause.second || cause.second->file != cause.location.file) return;
    const auto is_held_back = [&](int line) {
        const Function* f = text.code.around(line);
        const Range here = text.code.tokens_of_line(line);
        if (f == nullptr || !has_barrier(text, here)) return -1;
        for (const Condition& one : conditions_in(text, *f))
            if ((is_in(one.body, here.first) || is_in(one.other, here.first)) &&
                depends_on_thread(text, {one.at, one.body.first}))
                return 1;
        return 0;
    };
    if (is_held_back(cause.location.line) == 0 && is_held_back(cause.second->line) == 1)
        std::swap(cause.location, *cause.second);
}

void tell_loop_left_by_threads(int loop, Cause& cause) {
    cause.id = "divergent_barrier";
    cause.sentence = fmt::format(
        "Threads of a block leave the loop in line {} after different numbers of rounds, and there "
        "is a barrier in it: who has left does not come to it, and does not do its part.",
        loop);
    cause.advice = fmt::format(
        "Let all threads of the block make the same rounds: count in line {} with what is the same "
        "for all of them, and put what only some must do below an `if`.",
        loop);
    cause.location.line = loop;
    cause.location.column = cause.end_line = 0;
    cause.second.reset();
}

bool is_left_by_threads(const Text& text, Cause& cause) {
    if (cause.proof == Proof::proven) return false;
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            const std::size_t head = text.code.match(loop.at + 1);
            bool asks_size = false;
            // A size that comes from the host is no multiple of the threads.
            for (std::size_t i = loop.at; i < head; ++i)
                asks_size |=
                    is_any(text.word(i), {"<", "<="}) &&
                    std::ranges::find(f->parameters, text.word(i + 1)) != f->parameters.end();
            if (!asks_size || !has_barrier(text, {head, loop.all.last}) ||
                !depends_on_thread(text, loop.all))
                continue;
            cause.location = {text.code.file(), text.line(loop.at), 0};
            tell_loop_left_by_threads(text.line(loop.at), cause);
            return true;
        }
    return false;
}

namespace {

/// `y[i] = x;` of an output, of which two threads have stored the same element: no atomic function
/// mends that, but another index.
bool is_stored_twice(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    const bool is_of_one_line = !cause.second || cause.second->line == cause.location.line;
    if (f == nullptr || cause.proof == Proof::proven || !is_of_one_line || text.reached.empty())
        return false;
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 3 < here.last; ++i) {
        if (!is_name(text.token(i)) || text.word(i + 1) != "[") continue;
        const std::size_t close = text.code.match(i + 1);
        const bool is_output =
            std::ranges::any_of(text.task.arguments, [&](const ArgumentSpec& one) {
                return one.role == Role::output &&
                       cause.sentence.find("`" + one.name + "`") != std::string::npos;
            });
        if (text.word(close + 1) != "=" || !is_output) continue;
        // An index that data say is not one that somebody has computed wrongly.
        const auto names = names_of(text, {i + 2, close});
        std::string index = words(text, {i + 2, close});
        int made = cause.location.line;
        for (const std::string_view name : names)
            if (const int line = definition_in(text, name, cause.location.line); line > 0) {
                index += words_of_line(text, line);
                made = line;
            }
        if (names.empty() || index.find('[') != std::string::npos ||
            index.find("atomic") != std::string::npos)
            return false;
        const bool has_step = index.find('*') != std::string::npos;
        cause.id = has_step ? "wrong_stride" : "wrong_element";
        cause.sentence = fmt::format(
            "Two threads store the same element in line {}: the index that line {} makes is not "
            "another one for each of them.",
            cause.location.line, made);
        cause.advice = fmt::format(
            "Write down the index in line {} for two neighbouring threads, and for two rounds of a "
            "loop around it.",
            made);
        if (names.size() == 1) put_near(text, made, cause);
        return true;
    }
    return false;
}

}  // namespace

void which_atomic_there_is(const Text& text, Cause& cause) {
    if (is_stored_twice(text, cause)) return;
    if (cause.advice.find("`atomicAdd`") == std::string::npos) return;
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    for (const std::string_view name :
         arrays_in(text, text.code.tokens_of_line(cause.location.line)).stored)
        for (std::size_t i = f->at; i < f->close && text.line(i) <= cause.location.line; ++i) {
            if (text.word(i) != name) continue;
            std::size_t type = i - 1;
            while (is_any(text.word(type), {"*", "&", "__restrict__", "const"})) --type;
            const bool is_signed = text.word(type) == "int64_t" ||
                                   (text.word(type) == "long" && text.word(type - 1) == "long" &&
                                    text.word(type - 2) != "unsigned");
            if (!is_signed) continue;
            cause.advice = fmt::format(
                "Use `atomicAdd` in line {}, on (unsigned long long*): there is none for signed "
                "numbers of 64 bits, and the bits are the same.",
                cause.location.line);
            return;
        }
}

void up_to_the_next_use(const Text& text, Cause& cause) {
    constexpr int nearby = 12;
    const int line = cause.location.line;
    if (cause.end_line != 0 ||
        cause.advice.find(fmt::format(" after line {}", line)) == std::string::npos)
        return;
    cause.end_line = text.lines.line_after(line);
    const Function* f = text.code.around(line);
    if (f == nullptr) return;
    Range here = text.code.tokens_of_line(line);
    for (const Loop& loop : loops_in(text, *f))
        if (text.line(loop.all.last - 1) == line) here = loop.all;
    const auto [read, stored] = arrays_in(text, here);
    // What is read here must stay until then; what is stored here is not to be read before.
    for (std::size_t i = here.last; i + 1 < f->close && text.line(i) - line <= nearby; ++i) {
        if (text.word(i + 1) != "[") continue;
        if (stored.contains(text.word(i)) || (read.contains(text.word(i)) && is_stored(text, i))) {
            cause.end_line = std::max(cause.end_line, text.line(i));
            return;
        }
    }
    // It is the next round of a loop that stores.
    for (const Range& loop : loops_around(text, *f, here.first)) {
        const int end = text.line(loop.last - 1);
        if (end <= line || end - line > nearby || read.empty()) continue;
        cause.end_line = std::max(cause.end_line, end);
        return;
    }
}

}  // namespace cugrade::edit
