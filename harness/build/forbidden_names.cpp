// Theory of operation. The tokens of the submission are read from left to right. Aliases of
// namespaces, using directives and the namespaces that are open give each name its meanings; one
// that a rule covers convicts. Scopes of aliases and directives are not followed: they hold to the
// end of the text. A function of the submission's own with a forbidden one's short name leaves the
// decision to the PTX and the symbols.
#include "build/forbidden_names.hpp"

#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cugrade {
namespace {

/// Reads the names of the submission's own text from left to right.
class NameScanner {
public:
    NameScanner(const std::vector<CompiledRule>& rules, const Preprocessed& text)
        : rules_(rules), text_(text), tokens_(text.tokens) {
        match_brackets();
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (is_definition(i)) own_.insert(std::string(tokens_[i].text));
    }

    std::optional<std::string> scan() {
        for (at_ = 0; at_ < tokens_.size() && !problem_;) {
            if (!is_identifier(at_)) {
                count_brace();
                ++at_;
            } else if (tokens_[at_].text == "namespace") {
                namespace_name();
            } else {
                name();
            }
        }
        return problem_;
    }

private:
    using Chain = std::vector<std::string>;
    static constexpr std::size_t most_parts = 64;  // chosen

    [[nodiscard]] bool is_identifier(std::size_t i) const {
        return i < tokens_.size() && tokens_[i].kind == SourceToken::Kind::identifier;
    }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].text == text;
    }
    [[nodiscard]] static bool is_keyword(std::string_view word) {
        constexpr std::array<std::string_view, 30> words{
            "return",   "else",          "do",       "case",      "throw",    "sizeof",
            "alignof",  "new",           "delete",   "not",       "and",      "or",
            "xor",      "bitand",        "bitor",    "compl",     "not_eq",   "and_eq",
            "or_eq",    "xor_eq",        "goto",     "co_await",  "co_yield", "typeid",
            "noexcept", "__extension__", "operator", "co_return", "requires", "alignas"};
        return std::ranges::find(words, word) != words.end();
    }

    void match_brackets() {
        closing_.assign(tokens_.size(), tokens_.size());
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is(i, "(")) open.push_back(i);
            if (!is(i, ")") || open.empty()) continue;
            closing_[open.back()] = i;
            open.pop_back();
        }
    }

    /// `name(...) {`, with qualifiers between: the submission defines a function of this name.
    [[nodiscard]] bool is_definition(std::size_t i) const {
        if (!is_identifier(i) || !is(i + 1, "(")) return false;
        if (i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "new"))) return false;
        std::size_t end = closing_[i + 1] + 1;
        while (is(end, "const") || is(end, "noexcept") || is(end, "override") || is(end, "final"))
            ++end;
        return is(end, "{");
    }

    /// a::b::c from `at_` on, which moves behind it.
    Chain chain() {
        Chain out;
        if (is(at_, "::")) ++at_;
        while (is_identifier(at_)) {
            out.emplace_back(tokens_[at_++].text);
            if (!is(at_, "::")) break;
            const std::size_t next = at_ + (is(at_ + 1, "template") ? 2 : 1);
            if (!is_identifier(next)) break;
            at_ = next;
        }
        return out;
    }

    /// With the alias in front replaced by what it stands for.
    [[nodiscard]] Chain resolved(Chain name) const {
        for (int hops = 0; hops < 16 && !name.empty(); ++hops) {
            const auto alias = aliases_.find(name.front());
            if (alias == aliases_.end()) break;
            Chain longer = alias->second;
            longer.insert(longer.end(), name.begin() + 1, name.end());
            name = std::move(longer);
        }
        drop_inline_namespaces(name);
        // No rule has so many parts, and aliases of aliases could make any number of them.
        if (name.size() > most_parts) name.resize(most_parts);
        return name;
    }

    /// The name itself, and in each namespace that is open or used and matters.
    [[nodiscard]] std::vector<Chain> meanings(const Chain& name) const {
        std::vector<Chain> out{resolved(name)};
        for (Chain longer : around_) {
            longer.insert(longer.end(), name.begin(), name.end());
            drop_inline_namespaces(longer);
            out.push_back(std::move(longer));
        }
        return out;
    }

    /// The beginnings of what rules cover that names in this namespace could complete. There are
    /// few of them, however many namespaces a submission opens and uses.
    [[nodiscard]] std::set<Chain> begun_in(Chain space) const {
        space.emplace_back();
        drop_inline_namespaces(space);
        space.pop_back();
        std::set<Chain> out;
        if (space == Chain{"std"}) out.insert(space);  // has the functions of C
        for (const CompiledRule& rule : rules_)
            for (const CallPattern& call : rule.calls) {
                const auto common = std::ptrdiff_t(std::min(call.parts.size(), space.size()));
                if (std::equal(space.begin(), space.begin() + common, call.parts.begin()))
                    out.emplace(space.begin(), space.begin() + common);
            }
        return out;
    }

    void look_around() {
        around_ = used_;
        for (const Opened& one : opened_) around_.insert(one.begun.begin(), one.begun.end());
    }

    void tell(std::size_t token, std::string_view what, const SourceRule& rule) {
        if (!problem_)
            problem_ =
                fmt::format("{}: {}", text_.place_of(tokens_[token]).text(), ruled_out(what, rule));
    }

    void tell_namespace(std::size_t token, const std::vector<Chain>& names) {
        for (const Chain& meaning : names)
            for (const CompiledRule& rule : rules_)
                for (const CallPattern& call : rule.calls)
                    if (!call.has_parameters && call.covers_namespace(meaning))
                        tell(token, fmt::format("{}", fmt::join(meaning, "::")), *rule.rule);
    }

    /// `using namespace a::b;`, `namespace a = b::c;`, `namespace a::b {`
    void namespace_name() {
        const std::size_t begin = at_;
        const bool is_using = begin > 0 && is(begin - 1, "using");
        ++at_;
        const Chain first = chain();
        if (first.empty()) return;
        if (!is_using && is(at_, "=")) {
            ++at_;
            const Chain target = chain();
            tell_namespace(begin, meanings(target));
            if (first.size() == 1 && first != target) aliases_[first[0]] = resolved(target);
            return;
        }
        if (is_using) {
            tell_namespace(begin, meanings(first));
            used_.merge(begun_in(resolved(first)));
            look_around();
            return;
        }
        Chain inside = opened_.empty() ? Chain() : opened_.back().name;
        inside.insert(inside.end(), first.begin(), first.end());
        drop_inline_namespaces(inside);
        tell_namespace(begin, {inside});
        if (inside.size() > most_parts) inside.resize(most_parts);
        auto begun = begun_in(inside);
        opened_.push_back({braces_, std::move(inside), std::move(begun)});
        look_around();
    }

    void count_brace() {
        if (is(at_, "{")) ++braces_;
        if (!is(at_, "}")) return;
        --braces_;
        const std::size_t before = opened_.size();
        while (!opened_.empty() && opened_.back().braces >= braces_) opened_.pop_back();
        if (opened_.size() != before) look_around();
    }

    /// `void printf(int)` names no function of others. If it should be one, calling it leaves its
    /// symbol; only what the compiler itself implements leaves none.
    [[nodiscard]] bool is_declaration(std::size_t i) const {
        return i > 0 && is_identifier(i - 1) && !is_keyword(tokens_[i - 1].text) &&
               is(i + 1, "(") && !tokens_[i].text.starts_with("__");
    }

    void name() {
        const std::size_t begin = at_;
        const bool is_member = begin > 0 && (is(begin - 1, ".") || is(begin - 1, "->"));
        // a<b>::c: only the compiler knows what c belongs to.
        const bool is_tail = begin > 1 && is(begin - 1, "::") &&
                             (is(begin - 2, ">") ||
                              (is_identifier(begin - 2) && !is_keyword(tokens_[begin - 2].text)));
        const Chain whole = chain();
        if (whole.empty()) {
            ++at_;
            return;
        }
        if (is_member || is_tail || (whole.size() == 1 && is_declaration(at_ - 1))) return;
        const bool is_call = is(at_, "(") || is(at_, "<");
        // Names that begin with two underscores belong to the compiler: nobody else defines them.
        const bool is_own =
            whole.size() == 1 && own_.contains(whole[0]) && !whole[0].starts_with("__");
        const auto all = meanings(whole);
        for (const CompiledRule& rule : rules_)
            for (const CallPattern& call : rule.calls) {
                if (call.has_parameters || is_own) continue;
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const Chain& meaning = all[i];
                    // Without its namespace, only what is called is taken for the function.
                    const bool is_short = i > 0 && whole.size() == 1;
                    const bool in_std = call.is_global() && meaning.size() == 2 &&
                                        meaning[0] == "std" && meaning[1] == call.parts[0];
                    if ((call.covers(meaning) || in_std) && (!is_short || is_call))
                        return tell(begin, fmt::format("{}", fmt::join(meaning, "::")), *rule.rule);
                }
            }
    }

    const std::vector<CompiledRule>& rules_;
    const Preprocessed& text_;
    const std::vector<SourceToken>& tokens_;
    std::size_t at_ = 0;
    std::set<std::string> own_;
    std::map<std::string, Chain> aliases_;
    std::set<Chain> used_;    ///< begun_in() the namespaces of using directives
    std::set<Chain> around_;  ///< these, and those of the namespaces around the current place
    std::vector<std::size_t> closing_;  ///< where the bracket that a token opens is closed
    struct Opened {
        int braces;
        Chain name;
        std::set<Chain> begun;  ///< begun_in(name)
    };
    std::vector<Opened> opened_;  ///< the namespaces around the current place, whole names
    int braces_ = 0;
    std::optional<std::string> problem_;
};

}  // namespace

std::string ruled_out(std::string_view what, const SourceRule& rule) {
    return rule.message.empty() ? fmt::format("{} is ruled out", what)
                                : fmt::format("{} is ruled out: {}", what, rule.message);
}

std::vector<CompiledRule> compiled(const std::vector<SourceRule>& rules) {
    std::vector<CompiledRule> out;
    for (const SourceRule& rule : rules) {
        out.push_back({&rule, {}});
        for (const std::string& call : rule.calls) out.back().calls.emplace_back(call);
    }
    return out;
}

std::optional<std::string> find_forbidden_name(const std::vector<CompiledRule>& rules,
                                               const Preprocessed& text) {
    return NameScanner(rules, text).scan();
}

}  // namespace cugrade
