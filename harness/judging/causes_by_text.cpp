// Causes of results that differ between schedules, which no checker sees because each access by
// itself is ordered: something is read after its lock was given back, or looked at before an atomic
// changes it. And an element that is overwritten before it is read, though a copy of it was made.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "judging/cause_of_change.hpp"
#include "judging/cause_places.hpp"

namespace cugrade {
namespace {

using Function = SourceCode::Function;

bool is_atomic(const Token& one) { return one.text.starts_with("atomic"); }

/// Whether a function does nothing but give a lock back: it exchanges or adds, and does not ask.
bool releases(const SourceCode& code, std::string_view name) {
    for (const Function& f : code.functions()) {
        if (f.name != name) continue;
        bool gives = false, asks = false;
        for (std::size_t i = f.open; i < f.close; ++i) {
            const std::string_view word = code.tokens()[i].text;
            gives |= word == "atomicExch" || word == "atomicAdd";
            asks |= is_any(word, {"atomicCAS", "while", "for", "do", "return"});
        }
        return gives && !asks;
    }
    return false;
}

/// Whether a function waits for a lock and takes it.
bool takes(const SourceCode& code, std::string_view name) {
    for (const Function& f : code.functions()) {
        if (f.name != name) continue;
        bool swaps = false, waits = false;
        for (std::size_t i = f.open; i < f.close; ++i) {
            const std::string_view word = code.tokens()[i].text;
            swaps |= word == "atomicCAS" || word == "atomicExch" || word == "atomicAdd";
            waits |= is_any(word, {"while", "for", "do"});
        }
        return swaps && waits;
    }
    return false;
}

/// The names that are read in a range, through brackets or an arrow: `balance[i]`, `p->balance`.
std::set<std::string> data_read(const SourceCode& code, std::size_t first, std::size_t last) {
    const auto& t = code.tokens();
    std::set<std::string> all;
    for (std::size_t i = first; i + 2 < last; ++i) {
        if (!is_name(t[i])) continue;
        if (t[i + 1].text == "->" && is_name(t[i + 2])) {
            if (!is_any(t[i + 3].text, {"="}))
                all.insert(fmt::format("{}->{}", t[i].text, t[i + 2].text));
        } else if (t[i + 1].text == "[") {
            if (!is_any(t[std::min(code.match(i + 1) + 1, t.size() - 1)].text, {"="}))
                all.insert(std::string(t[i].text));
        }
    }
    return all;
}

/// What is stored there in the same way.
std::set<std::string> data_stored(const SourceCode& code, std::size_t first, std::size_t last) {
    const auto& t = code.tokens();
    std::set<std::string> all;
    for (std::size_t i = first; i + 3 < last; ++i) {
        if (!is_name(t[i])) continue;
        if (t[i + 1].text == "->" && is_any(t[i + 3].text, {"=", "+=", "-="}))
            all.insert(fmt::format("{}->{}", t[i].text, t[i + 2].text));
        if (t[i + 1].text == "[" &&
            is_any(t[std::min(code.match(i + 1) + 1, t.size() - 1)].text, {"=", "+=", "-="}))
            all.insert(std::string(t[i].text));
    }
    return all;
}

}  // namespace

/// Data that are stored while a lock is held, and read again behind the line that gives it back.
std::optional<Cause> CodeOfTask::read_after_release() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function)) {
            std::size_t last_release = 0, end = 0;
            for (std::size_t i = f->open; i + 1 < f->close; ++i) {
                if (t[i + 1].text != "(") continue;
                const bool is_own = t[i].text == "atomicExch" && i > f->open &&
                                    is_any(t[i - 1].text, {";", "{", "}", ")"});
                if (!is_own && !releases(code, t[i].text)) continue;
                last_release = i;
                end = code.match(i + 1);
            }
            if (last_release == 0) continue;
            const auto held = data_stored(code, f->open, last_release);
            for (std::size_t i = end; i + 2 < f->close; ++i) {
                std::size_t stop = i;
                while (stop < f->close && !is_any(t[stop].text, {";", "{", "}"})) ++stop;
                for (const std::string& name : data_read(code, i, stop + 1)) {
                    if (!held.contains(name)) continue;
                    Cause cause{.id = "lock_not_held"};
                    cause.location = {code.file(), t[end].line, 0};
                    cause.end_line = t[i].line;
                    cause.sentence = fmt::format(
                        "`{}` is read in line {}, after the lock was given back in line {}: "
                        "another thread may have changed it in between.",
                        name, t[i].line, t[end].line);
                    cause.advice = fmt::format("Read it before line {}, while the lock is held.",
                                               t[last_release].line);
                    return cause;
                }
                i = stop;
            }
        }
    }
    return {};
}

/// Data that are stored while a lock is held, and were read before it was taken, not since.
std::optional<Cause> CodeOfTask::read_before_taking() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function)) {
            std::size_t taken = 0, released = 0;
            for (std::size_t i = f->open; i + 1 < f->close; ++i) {
                if (t[i + 1].text != "(") continue;
                if (taken == 0 && takes(code, t[i].text)) taken = i;
                if (taken > 0 && (t[i].text == "atomicExch" || releases(code, t[i].text)))
                    released = i;
            }
            if (taken == 0 || released == 0) continue;
            const auto held = data_stored(code, taken, released);
            const auto since = data_read(code, taken, released);
            for (std::size_t i = f->open; i < taken;) {
                std::size_t stop = i;
                while (stop < taken && !is_any(t[stop].text, {";", "{", "}"})) ++stop;
                for (const std::string& name : data_read(code, i, stop + 1)) {
                    if (!held.contains(name) || since.contains(name)) continue;
                    Cause cause{.id = "lock_not_held"};
                    cause.location = {code.file(), t[i].line, 0};
                    cause.end_line = t[taken].line;
                    cause.sentence = fmt::format(
                        "`{}` is read in line {}, before the lock is taken in line {}: another "
                        "thread may change it in between.",
                        name, t[i].line, t[taken].line);
                    cause.advice = fmt::format("Read it behind line {}, while the lock is held.",
                                               t[taken].line);
                    return cause;
                }
                i = stop + 1;
            }
        }
    }
    return {};
}

std::optional<Cause> CodeOfTask::unused_copy() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        const auto same = [&](std::size_t a, std::size_t b, std::size_t count) {
            for (std::size_t k = 0; k < count; ++k)
                if (t[a + k].text != t[b + k].text) return false;
            return true;
        };
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open + 1; i + 4 < f->close; ++i) {
                // float t = x[a];
                if (!is_name(t[i - 1]) || !is_name(t[i]) || t[i + 1].text != "=" ||
                    !is_name(t[i + 2]) || t[i + 3].text != "[")
                    continue;
                const std::size_t element = i + 2, close = code.match(i + 3);
                if (close + 1 >= f->close || t[close + 1].text != ";") continue;
                const std::size_t count = close + 1 - element;
                bool is_used = false, is_overwritten = false;
                std::size_t again = 0;
                for (std::size_t k = element + count; k + count < f->close; ++k) {
                    is_used |= t[k].text == t[i].text;
                    if (!same(k, element, count)) continue;
                    if (t[k + count].text == "=")
                        is_overwritten = true;
                    else if (is_overwritten && again == 0)
                        again = k;
                }
                if (is_used || again == 0) continue;
                Cause cause{.id = "wrong_element"};
                cause.location = {code.file(), t[again].line, 0};
                cause.second = SourceLocation{code.file(), t[i].line, 0};
                cause.sentence = fmt::format(
                    "Line {} keeps an element in `{}`, which nobody uses; line {} reads the "
                    "element "
                    "again, after it was overwritten.",
                    t[i].line, t[i].text, t[again].line);
                cause.advice = fmt::format("Use `{}` in line {}.", t[i].text, t[again].line);
                return cause;
            }
    }
    return {};
}

/// A word is asked for in a condition, and changed below it by an atomic function of its own.
std::optional<Cause> CodeOfTask::looked_at_first() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open; i + 3 < f->close; ++i) {
                if (t[i].text != "if" || t[i + 1].text != "(") continue;
                const std::size_t close = code.match(i + 1);
                std::set<std::string_view> asked;
                for (std::size_t k = i + 2; k + 2 < close; ++k) {
                    if (is_atomic(t[k]) && t[k].text != "atomicCAS" && is_name(t[k + 2]))
                        asked.insert(t[k + 2].text);
                    if (t[k].text == "*" && is_name(t[k + 1])) asked.insert(t[k + 1].text);
                }
                std::size_t end = close + 1;
                while (end < f->close && t[end].text != ";" && t[end].text != "{") ++end;
                if (end < t.size() && t[end].text == "{") end = code.match(end);
                for (std::size_t k = close; k + 2 < end; ++k) {
                    if (!is_atomic(t[k]) || t[k].text == "atomicCAS" ||
                        !asked.contains(t[k + 2].text))
                        continue;
                    Cause cause{.id = "missing_atomic"};
                    cause.location = {code.file(), t[i].line, 0};
                    cause.end_line = t[k].line;
                    cause.sentence = fmt::format(
                        "`{}` is looked at in line {}, and changed in line {}: each is "
                        "indivisible, but another thread may change it in between.",
                        t[k + 2].text, t[i].line, t[k].line);
                    cause.advice =
                        "Do both as one step: a loop around atomicCAS that computes the new value "
                        "from the one it has seen.";
                    cause.explains = {"missing_atomic"};
                    return cause;
                }
            }
    }
    return {};
}

/// Whether a thread waits in a loop for what an atomic function says.
bool CodeOfTask::takes_locks() const {
    for (const SourceCode& code : code_)
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open; i + 1 < f->close; ++i) {
                const Token& one = code.tokens()[i];
                if (one.text == "atomicCAS") return true;
                if (one.text != "while" || code.tokens()[i + 1].text != "(") continue;
                for (std::size_t k = i + 2; k < code.match(i + 1); ++k)
                    if (is_atomic(code.tokens()[k])) return true;
            }
    return false;
}

namespace {

/// Whether a token is in the parentheses of an atomic function, which takes it by value.
bool is_given_to_atomic(const SourceCode& code, std::size_t k) {
    const auto& t = code.tokens();
    constexpr std::size_t longest_call = 64;
    int depth = 0;
    for (std::size_t at = k; at > 1 && k - at < longest_call;) {
        --at;
        if (t[at].text == ")") ++depth;
        if (t[at].text == "(" && depth-- == 0) return is_atomic(t[at - 1]);
    }
    return false;
}

}  // namespace

std::optional<Cause> CodeOfTask::zero_that_stays() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (std::size_t i = 1; i + 3 < t.size(); ++i) {
            const bool is_declared = is_name(t[i]) && is_name(t[i - 1]) &&
                                     !is_any(t[i - 1].text, {"return", "else", "do"});
            if (!is_declared || t[i + 1].text != "=" ||
                !is_any(t[i + 2].text, {"0", "0u", "0U", "0ull", "0ULL", "0.0", "0.0f", "0.f"}) ||
                t[i + 3].text != ";")
                continue;
            // In its function, or in the type that it is a member of.
            const Function* f = code.around(t[i].line);
            const std::size_t end = f != nullptr ? f->close : t.size();
            // Nothing but products and conjunctions follow: each is 0 again.
            int kept = 0, changed = 0;
            for (std::size_t k = f != nullptr ? i + 1 : 0; k + 1 < end; ++k) {
                if (k == i || t[k].text != t[i].text) continue;
                if (is_any(t[k + 1].text, {"&=", "*="}))
                    ++kept;
                else if (t[k + 1].text == "=" || t[k + 1].text.ends_with("=") ||
                         is_any(t[k + 1].text, {"++", "--"}) ||
                         (k > 0 && is_any(t[k - 1].text, {"++", "--", "&"})) ||
                         (k > 0 && is_any(t[k - 1].text, {"(", ","}) &&
                          is_any(t[k + 1].text, {")", ","}) && !is_given_to_atomic(code, k)))
                    ++changed;
            }
            if (kept == 0 || changed > 0) continue;
            Cause cause{.id = "wrong_identity"};
            cause.location = {code.file(), t[i].line, 0};
            cause.sentence = fmt::format(
                "`{}` begins as 0 in line {}, and stays 0 whatever is combined with it.", t[i].text,
                t[i].line);
            cause.advice =
                "Begin with what is neutral: 1 for a product, all ones (~0) for a bitwise and.";
            return cause;
        }
    }
    return {};
}

/// A function computes a new value, and gives up if its compare-and-swap fails.
std::optional<Cause> CodeOfTask::swap_not_repeated() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function)) {
            if (f->at == 0 || t[f->at - 1].text != "void") continue;  // it says whether it did it
            std::size_t swap = 0;
            bool loops = false;
            for (std::size_t i = f->open; i + 1 < f->close; ++i) {
                loops |= is_any(t[i].text, {"while", "for", "do"});
                if (t[i].text != "atomicCAS" || t[i + 1].text != "(" || swap > 0) continue;
                // A lock is swapped for a number.
                const std::size_t last = code.match(i + 1) - 1;
                if (last > i + 2 && !(t[last - 1].text == "," && is_digit(t[last].text[0])))
                    swap = i;
            }
            if (swap == 0 || loops) continue;
            Cause cause{.id = "no_retry"};
            cause.location = {code.file(), t[swap].line, 0};
            tell_swap_tried_once(t[swap].line, cause);
            return cause;
        }
    }
    return {};
}

/// A kernel launches another one that may begin at any time, on memory that its own blocks store.
std::optional<Cause> CodeOfTask::launched_at_once() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Launch& launch : code.launches()) {
            const Function* parent = code.around(t[launch.at].line);
            const auto reached = code.reached_from(task_.function);
            if (parent == nullptr || launch.numbers.size() < 4 ||
                std::ranges::find(reached, parent) == reached.end() ||
                t[launch.numbers[3].first].text != "cudaStreamFireAndForget")
                continue;
            for (const SourceCode::Range& argument : launch.arguments) {
                if (argument.last != argument.first + 1) continue;
                const std::string_view name = t[argument.first].text;
                for (std::size_t i = parent->open; i + 1 < launch.at; ++i) {
                    if (t[i].text != name || t[i + 1].text != "[") continue;
                    const std::size_t behind = code.match(i + 1) + 1;
                    if (behind >= t.size() || t[behind].text != "=") continue;
                    Cause cause{.id = "child_not_in_tail"};
                    cause.location = {code.file(), t[launch.at].line, 0};
                    cause.sentence = fmt::format(
                        "`{}` may begin as soon as it is launched, while other blocks have not yet "
                        "stored their part of `{}`, in line {}.",
                        launch.kernel, name, t[i].line);
                    cause.advice =
                        "Launch it into cudaStreamTailLaunch: it then runs after all blocks of the "
                        "grid that launches it.";
                    return cause;
                }
            }
        }
    }
    return {};
}

std::optional<Cause> CodeOfTask::by_text(const Symptoms& e) const {
    if (!e.has(Verdict::nondeterministic)) return {};
    std::optional<Cause> cause;
    if (takes_locks()) cause = read_after_release();
    if (!cause && takes_locks()) cause = read_before_taking();
    if (!cause) cause = swap_not_repeated();
    if (!cause) cause = looked_at_first();
    if (!cause) cause = launched_at_once();
    if (!cause) return {};
    for (const CaseOutcome* one : e.failing) cause->cases.push_back(one->id);
    cause->explains.emplace_back(name(Verdict::nondeterministic));
    return cause;
}

}  // namespace cugrade
