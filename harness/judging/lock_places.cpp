#include "judging/lock_places.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "judging/source_code.hpp"
#include "judging/source_places.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

using Function = SourceCode::Function;

/// A call in the text, and for what it is made.
struct Call {
    std::size_t at = 0;  ///< the token of the function's name
    std::string_view name;
    std::string lock;   ///< what it is called for, and the first argument: "acc.lo", "locks[a]"
    std::string value;  ///< the second argument
};

std::string text_between(const SourceCode& code, std::size_t first, std::size_t last) {
    std::string all;
    for (std::size_t i = first; i < last; ++i) all += code.tokens()[i].text;
    return all;
}

/// The object in front of a member function's name: "a.guard" of "a.guard.lock()".
std::string receiver_of(const SourceCode& code, std::size_t name) {
    const auto& t = code.tokens();
    std::size_t first = name;
    while (first >= 2 && is_any(t[first - 1].text, {".", "->"})) {
        first -= 2;
        if (!is_any(t[first].text, {"]", ")"})) continue;
        int depth = 0;
        do {
            if (is_any(t[first].text, {"]", ")"})) ++depth;
            if (is_any(t[first].text, {"[", "("})) --depth;
        } while (depth > 0 && first-- > 0);
        if (first > 0) --first;  // to the array's name
    }
    return first == name ? std::string() : text_between(code, first, name - 1);
}

std::optional<Call> call_at(const SourceCode& code, std::size_t i) {
    const auto& t = code.tokens();
    if (i + 1 >= t.size() || !is_name(t[i]) || t[i + 1].text != "(") return {};
    const std::size_t close = code.match(i + 1);
    if (close >= t.size()) return {};
    Call call{.at = i, .name = t[i].text, .lock = receiver_of(code, i), .value = {}};
    std::vector<std::size_t> ends;
    int depth = 0;
    for (std::size_t k = i + 1; k <= close; ++k) {
        if (is_any(t[k].text, {"(", "[", "{"})) ++depth;
        if ((depth == 1 && t[k].text == ",") || k == close) ends.push_back(k);
        if (is_any(t[k].text, {")", "]", "}"})) --depth;
    }
    std::string first = text_between(code, i + 2, ends[0]);
    if (first.starts_with("&")) first.erase(0, 1);
    call.lock += "." + first;
    if (ends.size() > 1) call.value = text_between(code, ends[0] + 1, ends[1]);
    return call;
}

bool is_atomic(std::string_view name) { return name.starts_with("atomic"); }

/// A function of the student's that may give a lock back.
bool may_release(const SourceCode& code, std::string_view name) {
    return std::ranges::any_of(code.functions(), [&](const Function& f) {
        if (f.name != name) return false;
        for (std::size_t i = f.open; i < f.close; ++i)
            if (is_atomic(code.tokens()[i].text) || code.tokens()[i].text == "__threadfence")
                return true;
        return false;
    });
}

/// The function of one link of a chain, and the call by which it takes the lock.
struct Level {
    const SourceCode* code = nullptr;
    const Function* function = nullptr;
    Call take;
};

std::optional<Level> level_of(const std::vector<SourceCode>& all, const CallChain& chain,
                              std::size_t n, std::string_view taker) {
    const auto code = std::ranges::find(all, chain[n].file, &SourceCode::file);
    if (code == all.end()) return {};
    const Function* f = code->around(chain[n].line);
    if (f == nullptr) return {};
    for (std::size_t i = f->open; i < f->close; ++i) {
        if (code->tokens()[i].line != chain[n].line) continue;
        const auto call = call_at(*code, i);
        if (call && (n == 0 ? is_atomic(call->name) : call->name == taker))
            return Level{&*code, f, *call};
    }
    return {};
}

std::vector<Level> levels_of(const std::vector<SourceCode>& all, const CallChain& chain) {
    std::vector<Level> levels;
    std::string_view taker;
    for (std::size_t n = 0; n < chain.size(); ++n) {
        const auto level = level_of(all, chain, n, taker);
        if (!level) break;
        levels.push_back(*level);
        taker = level->function->name;
    }
    return levels;
}

/// Where the function gives back, behind the taking, what it took.
std::vector<std::size_t> releases_in(const Level& level) {
    std::vector<std::size_t> all;
    const auto& t = level.code->tokens();
    const Call& take = level.take;
    for (std::size_t i = level.code->match(take.at + 1); i < level.function->close; ++i) {
        const auto call = call_at(*level.code, i);
        const bool is_same = call && call->lock == take.lock;
        if (is_same && (is_atomic(call->name)
                            ? call->name != take.name || call->value != take.value
                            : call->name != take.name && may_release(*level.code, call->name)))
            all.push_back(i);
        // `*lock = 0`, `locks[a] = 0`
        if (t[i].text == "=" && i > 0) {
            std::size_t first = i;
            while (first > level.function->open &&
                   !is_any(t[first - 1].text, {";", "{", "}", ")", "*"}))
                --first;
            if ("." + text_between(*level.code, first, i) == take.lock) all.push_back(i);
        }
    }
    return all;
}

/// Behind a statement that begins at the token, with its `else`.
std::size_t behind_statement(const SourceCode& code, std::size_t i, int depth = 0) {
    constexpr int deepest = 100;
    const auto& t = code.tokens();
    if (i >= t.size() || depth > deepest) return t.size();
    if (t[i].text == "{") return code.match(i) + 1;
    if (is_any(t[i].text, {"if", "for", "while"}) && i + 1 < t.size() && t[i + 1].text == "(") {
        const std::size_t behind = behind_statement(code, code.match(i + 1) + 1, depth + 1);
        if (t[i].text == "if" && behind < t.size() && t[behind].text == "else")
            return behind_statement(code, behind + 1, depth + 1);
        return behind;
    }
    while (i < t.size() && t[i].text != ";")
        i = is_any(t[i].text, {"(", "[", "{"}) ? code.match(i) + 1 : i + 1;
    return i + 1;
}

/// An `if` or a loop: its condition, what depends on it, and its `else`.
struct Branch {
    std::size_t at = 0, body = 0, behind_body = 0, behind = 0;
    [[nodiscard]] bool has_in_body(std::size_t i) const { return body <= i && i < behind_body; }
    [[nodiscard]] bool has_in_else(std::size_t i) const { return behind_body <= i && i < behind; }
    [[nodiscard]] bool has_in_condition(std::size_t i) const { return at < i && i < body; }
};

std::vector<Branch> branches_of(const Level& level, std::initializer_list<std::string_view> words) {
    std::vector<Branch> all;
    const auto& t = level.code->tokens();
    for (std::size_t i = level.function->open; i + 1 < level.function->close; ++i) {
        if (!is_any(t[i].text, words)) continue;
        const bool has_condition = t[i + 1].text == "(";
        const std::size_t body = has_condition ? level.code->match(i + 1) + 1 : i + 1;
        const std::size_t behind_body = behind_statement(*level.code, body);
        all.push_back({i, body, behind_body, behind_statement(*level.code, i)});
    }
    return all;
}

/// The innermost braces around a token: from its opening one to its closing one.
SourceCode::Range block_around(const Level& level, std::size_t token) {
    SourceCode::Range found{level.function->open, level.function->close};
    for (std::size_t i = level.function->open + 1; i < token; ++i)
        if (level.code->tokens()[i].text == "{")
            if (const std::size_t close = level.code->match(i); close > token) found = {i, close};
    return found;
}

/// Whether every way from the taking to the token has come by a release.
bool is_released_before(const Level& level, const std::vector<Branch>& ifs,
                        const std::vector<std::size_t>& releases, std::size_t token) {
    return std::ranges::any_of(releases, [&](std::size_t release) {
        if (release >= token) return false;
        const auto block = block_around(level, release);
        if (block.first > token || token > block.last) return false;
        // Alone under a condition, without braces.
        return std::ranges::none_of(ifs, [&](const Branch& one) {
            return (one.has_in_body(release) && !one.has_in_body(token)) ||
                   (one.has_in_else(release) && !one.has_in_else(token));
        });
    });
}

/// A `return` and the like behind the taking that leaves without a release.
std::optional<std::size_t> early_way_out(const Level& level, LostBy lost,
                                         const std::vector<std::size_t>& releases) {
    const auto& t = level.code->tokens();
    const std::size_t take = level.take.at;
    const auto ifs = branches_of(level, {"if"});
    const auto loops = branches_of(level, {"for", "while", "do"});
    for (std::size_t i = take; i < releases.back(); ++i) {
        const bool returns = t[i].text == "return";
        // Out of a loop that has the taking in it, or back to its head.
        const bool leaves_loop = is_any(t[i].text, {"break", "continue"}) && [&] {
            const Branch* innermost = nullptr;
            for (const Branch& one : loops)
                if (one.has_in_body(i)) innermost = &one;
            return innermost != nullptr && innermost->has_in_body(take);
        }();
        const bool is_way =
            lost == LostBy::ending ? returns || (leaves_loop && t[i].text == "break") : leaves_loop;
        if (!is_way) continue;
        // Where the lock is not free: `if (!try_lock()) continue;`
        const bool has_failed = std::ranges::any_of(ifs, [&](const Branch& one) {
            return one.has_in_condition(take) && one.has_in_body(i) &&
                   std::ranges::none_of(releases,
                                        [&](std::size_t r) { return one.has_in_body(r); });
        });
        const bool is_in_else = std::ranges::any_of(ifs, [&](const Branch& one) {
            return one.has_in_else(i) && (one.has_in_body(take) || one.has_in_condition(take));
        });
        if (!has_failed && !is_in_else && !is_released_before(level, ifs, releases, i)) return i;
    }
    return {};
}

/// A release under a condition, without another one where the condition does not hold.
std::optional<std::size_t> release_left_out(const Level& level, LostBy lost,
                                            const std::vector<std::size_t>& releases) {
    const auto ifs = branches_of(level, {"if"});
    for (auto release = releases.rbegin(); release != releases.rend(); ++release)
        for (auto one = ifs.rbegin(); one != ifs.rend(); ++one) {
            if (one->at <= level.take.at || !one->has_in_body(*release)) continue;
            const bool has_other = std::ranges::any_of(
                releases, [&](std::size_t other) { return one->has_in_else(other); });
            const auto block = block_around(level, one->at);
            const bool comes_after = std::ranges::any_of(releases, [&](std::size_t other) {
                return other >= one->behind && other < block.last &&
                       std::ranges::none_of(ifs, [&](const Branch& outer) {
                           return (outer.has_in_body(one->at) && !outer.has_in_body(other)) ||
                                  (outer.has_in_body(other) && !outer.has_in_body(one->at));
                       });
            });
            if (has_other || comes_after) continue;
            return lost == LostBy::coming_back ? one->behind_body - 1 : *release;
        }
    return {};
}

std::vector<SourceCode> codes_of(std::span<const SourceFile> source) {
    std::vector<SourceCode> all;
    for (const SourceFile& file : source) all.emplace_back(file);
    return all;
}

SourceLocation location_at(const Level& level, std::size_t token) {
    return {level.code->file(), level.code->tokens()[token].line, 0};
}

/// Whether a function is there to take a lock: it gives none back and does nothing else that is
/// seen in memory.
bool only_takes(const Level& level) {
    const auto& t = level.code->tokens();
    for (std::size_t i = level.function->open; i < level.function->close; ++i)
        if (is_any(t[i].text, {"]"}) && is_any(t[i + 1].text, {"=", "+=", "-=", "++"}))
            return false;
    return t[level.function->at > 1 ? level.function->at - 2 : 0].text != "__global__" &&
           releases_in(level).empty();
}

}  // namespace

std::optional<SourceLocation> missed_release(const CallChain& taken, LostBy lost,
                                             std::span<const SourceFile> source) {
    const std::vector<SourceCode> all = codes_of(source);
    for (const Level& level : levels_of(all, taken)) {
        const auto releases = releases_in(level);
        if (releases.empty()) continue;
        auto token = early_way_out(level, lost, releases);
        if (!token) token = release_left_out(level, lost, releases);
        if (token) return location_at(level, *token);
        return {};
    }
    return {};
}

SourceLocation call_that_takes(const CallChain& taken, std::span<const SourceFile> source) {
    const std::vector<SourceCode> all = codes_of(source);
    const auto levels = levels_of(all, taken);
    for (std::size_t n = 0; n < levels.size(); ++n)
        if (!only_takes(levels[n]) || n + 1 == levels.size()) return taken[n];
    return taken.front();
}

SourceLocation decision_to_take(const CallChain& taken, std::span<const SourceFile> source) {
    SourceLocation call = call_that_takes(taken, source);
    const SourceText text(text_of(call.file, source));
    for (const int line : {call.line, text.head_of_branch(call.line)})
        for (const std::string& name : names_in(call.file, line, source)) {
            const auto made = definition_of(name, call.file, line, source);
            if (!made || made->line == call.line) continue;
            // A flag: its definition compares.
            const std::vector<SourceFile> files(source.begin(), source.end());
            const auto file = std::ranges::find(files, call.file, &SourceFile::name);
            const auto tokens = tokens_of(file->text);
            const bool compares = std::ranges::any_of(tokens, [&](const Token& one) {
                return one.line == made->line && is_any(one.text, {"==", "!="});
            });
            if (compares) return *made;
        }
    return call;
}

}  // namespace cugrade
