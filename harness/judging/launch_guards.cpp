#include "judging/launch_guards.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <set>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

using Function = SourceCode::Function;
using Range = SourceCode::Range;
using Value = std::optional<long long>;

constexpr int deepest_of_calls = 4;         ///< chosen
constexpr int deepest_of_statements = 100;  ///< of braces in each other; chosen
constexpr int deepest_of_values = 40;       ///< of names and parentheses; chosen
// Sources may be hostile. Chosen: no submission of the tests comes near.
constexpr std::size_t most_points = 200;  ///< launches of a function, and guards of one
constexpr int most_values = 4000;         ///< of names, in all evaluations of a search

/// A condition, and the value with which it keeps a launch from running.
struct Guard {
    Range condition;
    std::size_t at = 0;  ///< the token of `if`, `for` or `while`
    bool blocks_if = false;
    bool returns = false;
    bool operator==(const Guard& other) const {
        return at == other.at && blocks_if == other.blocks_if;
    }
};

/// A launch, or a call of a function that has some.
struct Point {
    const Function* callee = nullptr;
    std::size_t at = 0;
    std::vector<Guard> guards;
};

bool launches_at(const Token& token) {
    return token.text == "<<<" || token.text.starts_with("cudaLaunch");
}

/// Evaluates an expression of whole numbers in front of a place of a function.
class Evaluation {
public:
    Evaluation(const SourceCode& code, const Function& f, const KnownValues& known, int& budget,
               int depth = 0)
        : code_(code),
          tokens_(code.tokens()),
          function_(f),
          known_(known),
          budget_(budget),
          depth_(depth) {}

    Value operator()(Range range) {
        at_ = range.first;
        end_ = range.last;
        const Value value = ternary();
        return at_ == end_ ? value : Value();
    }

private:
    [[nodiscard]] std::string_view now() const {
        return at_ < end_ ? tokens_[at_].text : std::string_view();
    }
    bool take(std::string_view text) {
        if (now() != text) return false;
        ++at_;
        return true;
    }

    Value ternary() {
        const Value condition = binary(0);
        if (!take("?")) return condition;
        const Value yes = ternary();
        if (!take(":")) return {};
        const Value no = ternary();
        if (!condition) return {};
        return *condition != 0 ? yes : no;
    }

    static int binding(std::string_view op) {
        static constexpr std::pair<std::string_view, int> rows[] = {
            {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
            {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
            {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
        const auto* row = std::ranges::find(rows, op, [](const auto& one) { return one.first; });
        return row == std::end(rows) ? 0 : row->second;
    }

    static Value apply(std::string_view op, Value a, Value b) {
        // One side can be enough.
        if (op == "&&" && ((a && *a == 0) || (b && *b == 0))) return 0;
        if (op == "||" && ((a && *a != 0) || (b && *b != 0))) return 1;
        if (!a || !b) return {};
        if (op == "||" || op == "&&") return op == "&&" ? 1 : 0;
        if (op == "|") return *a | *b;
        if (op == "^") return *a ^ *b;
        if (op == "&") return *a & *b;
        if (op == "==") return *a == *b ? 1 : 0;
        if (op == "!=") return *a != *b ? 1 : 0;
        if (op == "<") return *a < *b ? 1 : 0;
        if (op == ">") return *a > *b ? 1 : 0;
        if (op == "<=") return *a <= *b ? 1 : 0;
        if (op == ">=") return *a >= *b ? 1 : 0;
        long long out = 0;
        if (op == "+") return __builtin_add_overflow(*a, *b, &out) ? Value() : out;
        if (op == "-") return __builtin_sub_overflow(*a, *b, &out) ? Value() : out;
        if (op == "*") return __builtin_mul_overflow(*a, *b, &out) ? Value() : out;
        if (op == "/" || op == "%") {
            if (*b == 0 || *a == std::numeric_limits<long long>::min()) return {};
            return op == "/" ? *a / *b : *a % *b;
        }
        if (*a < 0 || *b < 0 || *b > 31 || *a > (1LL << 31)) return {};
        return op == "<<" ? *a << *b : *a >> *b;
    }

    Value binary(int least) {
        Value left = unary();
        for (int strength = binding(now()); strength > least; strength = binding(now())) {
            const std::string_view op = now();
            ++at_;
            // `> >` is a shift, and what else this tokenizer parts is not known.
            if (op == ">" && now() == ">") {
                ++at_;
                (void)binary(binding(">>"));
                left.reset();
                continue;
            }
            left = apply(op, left, binary(strength));
        }
        return left;
    }

    Value unary() {
        if (take("!")) {
            const Value value = unary();
            return value ? Value(*value == 0 ? 1 : 0) : Value();
        }
        if (take("-")) {
            const Value value = unary();
            return value && *value > std::numeric_limits<long long>::min() ? Value(-*value)
                                                                           : Value();
        }
        if (take("+")) return unary();
        return primary();
    }

    /// In parentheses or braces, of which the first is taken.
    Value inside(std::size_t close) {
        if (close >= end_ || ++depth_ > deepest_of_values) {
            at_ = end_ + 1;
            return {};
        }
        Evaluation inner(code_, function_, known_, budget_, depth_);
        const Value value = inner({at_, close});
        at_ = close + 1;
        return value;
    }

    static bool is_type(std::string_view word) {
        return is_any(word, {"int", "unsigned", "long", "short", "size_t", "std", "::", "signed",
                             "uint32_t", "int32_t", "uint64_t", "int64_t", "bool", "uint"});
    }

    Value primary() {
        if (at_ >= end_) return {};
        const std::size_t first = at_;
        if (take("(")) {
            const std::size_t close = code_.match(first);
            // A cast of whole numbers, as far as they fit.
            bool casts = close > at_ && close < end_;
            for (std::size_t i = at_; casts && i < close; ++i) casts = is_type(tokens_[i].text);
            if (!casts) return inside(close);
            at_ = close + 1;
            return unary();
        }
        if (is_digit(now()[0])) return number();
        if (!is_name(tokens_[at_])) {
            at_ = end_ + 1;
            return {};
        }
        if (now() == "static_cast") {
            while (at_ < end_ && now() != "(") ++at_;
            if (at_ >= end_) return {};
            ++at_;
            return inside(code_.match(at_ - 1));
        }
        std::size_t last = at_;
        while (last + 2 < end_ && tokens_[last + 1].text == "::") last += 2;
        at_ = last + 1;
        const std::string_view name = tokens_[last].text;
        if (now() == "(" || now() == "{") {
            const std::size_t open = at_++;
            if (is_type(name)) return inside(code_.match(open));
            at_ = std::min(code_.match(open), end_) + 1;
            // All of CUDA's calls have succeeded.
            if (at_ <= end_ && name.starts_with("cuda") && tokens_[open].text == "(") return 0;
            return {};
        }
        if (!is_any(now(), {"", ")", ",", ";", "?", ":"}) && binding(now()) == 0) {
            at_ = end_ + 1;
            return {};
        }
        return of_name(name, first);
    }

    Value number() {
        const std::string_view text = tokens_[at_++].text;
        long long value = 0;
        const auto [rest, error] =
            std::from_chars(text.data(), text.data() + text.size(), value, 10);
        if (error != std::errc{}) return {};
        for (const char* c = rest; c != text.data() + text.size(); ++c)
            if (std::string_view("uUlLzZ").find(*c) == std::string_view::npos) return {};
        return value;
    }

    Value of_name(std::string_view name, std::size_t use) {
        if (name == "true" || name == "false") return name == "true" ? 1 : 0;
        if (name == "cudaSuccess") return 0;
        if (++depth_ > deepest_of_values || --budget_ < 0) return {};
        // Set once, where it is declared: only then its value is known.
        std::size_t set = 0;
        for (std::size_t i = function_.open + 1; i < use; ++i) {
            if (tokens_[i].text != name || i + 1 >= tokens_.size()) continue;
            const std::string_view next = tokens_[i + 1].text;
            const std::string_view before = tokens_[i - 1].text;
            const bool declares = is_name(tokens_[i - 1]) && !is_any(before, {"return", "else"}) &&
                                  is_any(next, {"=", "{", "("});
            const bool changes = (next.size() > 1 && next.back() == '=' &&
                                  !is_any(next, {"==", "<=", ">=", "!="})) ||
                                 is_any(next, {"++", "--", "="}) ||
                                 is_any(before, {"++", "--", "&"});
            if (declares && set == 0)
                set = i;
            else if (changes || declares)
                return {};
        }
        if (set == 0) {
            // An argument, or a constant of the file.
            if (const auto known = known_.find(name); known != known_.end()) return known->second;
            if (std::ranges::find(function_.parameters, name) != function_.parameters.end())
                return {};
            const long value = code_.number_of({use, use + 1}, tokens_[use].line);
            return value == 0 ? Value() : Value(value);
        }
        std::size_t first = set + 2;
        std::size_t last = first;
        if (tokens_[set + 1].text == "=") {
            int depth = 0;
            for (; last < use; ++last) {
                if (is_any(tokens_[last].text, {"(", "[", "{"})) ++depth;
                if (is_any(tokens_[last].text, {")", "]", "}"})) --depth;
                if (depth < 0 || (depth == 0 && is_any(tokens_[last].text, {";", ","}))) break;
            }
        } else {
            last = code_.match(set + 1);
        }
        if (last >= tokens_.size() || last > use) return {};
        return Evaluation(code_, function_, known_, budget_, depth_)({first, last});
    }

    const SourceCode& code_;
    const std::vector<Token>& tokens_;
    const Function& function_;
    const KnownValues& known_;
    int& budget_;
    int depth_;
    std::size_t at_ = 0, end_ = 0;
};

/// The functions that launch something, or call one that does, by name.
std::set<std::string_view> launching_functions(const SourceCode& code) {
    std::set<std::string_view> names, found;
    for (const Function& f : code.functions()) names.insert(f.name);
    std::map<std::string_view, std::set<std::string_view>> callers;
    std::vector<std::string_view> open;
    const auto add = [&](std::string_view name) {
        if (found.insert(name).second) open.push_back(name);
    };
    const auto& tokens = code.tokens();
    for (const Function& f : code.functions())
        for (std::size_t i = f.open; i < std::min(f.close, tokens.size()); ++i) {
            if (launches_at(tokens[i])) add(f.name);
            if (is_name(tokens[i]) && names.contains(tokens[i].text))
                callers[tokens[i].text].insert(f.name);
        }
    while (!open.empty()) {
        const std::string_view name = open.back();
        open.pop_back();
        for (const std::string_view caller : callers[name]) add(caller);
    }
    return found;
}

/// Finds the launches of a function with their guards.
class Walk {
public:
    Walk(const SourceCode& code, const Function& f, const std::set<std::string_view>& launching)
        : code_(code), tokens_(code.tokens()), launching_(launching) {
        std::vector<Guard> guards;
        list(f.open + 1, std::min(f.close, tokens_.size()), guards, 0);
    }
    [[nodiscard]] const std::vector<Point>& points() const { return points_; }

private:
    /// Statements up to `end`. What returns guards the ones behind it.
    void list(std::size_t i, std::size_t end, std::vector<Guard>& guards, int depth) {
        while (i < end) i = std::max(i + 1, statement(i, end, guards, depth));
    }

    std::size_t statement(std::size_t i, std::size_t end, std::vector<Guard>& guards, int depth) {
        if (depth > deepest_of_statements) return end;
        if (i >= end) return end;
        const std::string_view word = tokens_[i].text;
        if (word == "{") {
            const std::size_t close = std::min(code_.match(i), end);
            std::vector<Guard> inner = guards;
            list(i + 1, close, inner, depth + 1);
            return close + 1;
        }
        if (word == "if") return branch(i, end, guards, depth);
        if ((word == "for" || word == "while") && i + 1 < end && tokens_[i + 1].text == "(") {
            const std::size_t close = std::min(code_.match(i + 1), end);
            std::vector<Guard> inner = guards;
            Range condition{i + 2, close};
            if (word == "for") condition = second_part(condition);
            if (condition.first < condition.last)
                inner.push_back({.condition = condition, .at = i, .blocks_if = false});
            return statement(close + 1, end, inner, depth + 1);
        }
        if (word == "do" || word == "else") return statement(i + 1, end, guards, depth + 1);
        std::size_t last = i;
        for (; last < end && tokens_[last].text != ";"; ++last) {
            look_at(last, guards);
            if (tokens_[last].text == "{") {
                // Of a lambda, or an initializer.
                const std::size_t close = std::min(code_.match(last), end);
                std::vector<Guard> inner = guards;
                list(last + 1, close, inner, depth + 1);
                last = close;
            }
        }
        return last + 1;
    }

    std::size_t branch(std::size_t i, std::size_t end, std::vector<Guard>& guards, int depth) {
        std::size_t open = i + 1;
        while (open < end && tokens_[open].text != "(") ++open;
        const std::size_t close = std::min(code_.match(open), end);
        Range condition{open + 1, close};
        // `if (init; condition)`
        if (const Range second = second_part(condition); second.first < second.last)
            condition = second;
        Guard guard{.condition = condition, .at = i, .blocks_if = false};
        std::vector<Guard> inner = guards;
        inner.push_back(guard);
        std::size_t behind = statement(close + 1, end, inner, depth + 1);
        const bool returns = leaves(close + 1, behind);
        guard.blocks_if = true;
        if (behind < end && tokens_[behind].text == "else") {
            inner.back() = guard;
            const std::size_t begin = behind + 1;
            behind = statement(begin, end, inner, depth + 1);
            if (leaves(begin, behind) && !returns) {
                guard.blocks_if = false;
                guard.returns = true;
                if (guards.size() < most_points) guards.push_back(guard);
                return behind;
            }
        }
        if (returns) {
            guard.returns = true;
            if (guards.size() < most_points) guards.push_back(guard);
        }
        return behind;
    }

    [[nodiscard]] Range second_part(Range range) const {
        std::size_t first = range.first;
        int depth = 0;
        const auto next = [&](std::size_t from) {
            for (; from < range.last; ++from) {
                if (is_any(tokens_[from].text, {"(", "[", "{"})) ++depth;
                if (is_any(tokens_[from].text, {")", "]", "}"})) --depth;
                if (depth == 0 && tokens_[from].text == ";") break;
            }
            return from;
        };
        first = next(first);
        if (first >= range.last) return {range.last, range.last};
        return {first + 1, next(first + 1)};
    }

    /// Does the statement end with a return?
    [[nodiscard]] bool leaves(std::size_t first, std::size_t behind) const {
        if (first >= tokens_.size()) return false;
        if (tokens_[first].text != "{") return is_any(tokens_[first].text, {"return", "throw"});
        int depth = 0;
        for (std::size_t i = first; i < std::min(behind, tokens_.size()); ++i) {
            if (tokens_[i].text == "{") ++depth;
            if (tokens_[i].text == "}") --depth;
            if (depth == 1 && is_any(tokens_[i].text, {"return", "throw"}) &&
                is_any(tokens_[i - 1].text, {";", "{", "}"}))
                return true;
        }
        return false;
    }

    void look_at(std::size_t i, const std::vector<Guard>& guards) {
        if (points_.size() >= most_points) return;
        if (launches_at(tokens_[i])) {
            points_.push_back({.callee = nullptr, .at = i, .guards = guards});
            return;
        }
        const bool is_called = is_name(tokens_[i]) && i + 1 < tokens_.size() &&
                               is_any(tokens_[i + 1].text, {"(", "<"});
        if (!is_called || !launching_.contains(tokens_[i].text)) return;
        const auto f = std::ranges::find(code_.functions(), tokens_[i].text, &Function::name);
        points_.push_back({.callee = &*f, .at = i, .guards = guards});
    }

    const SourceCode& code_;
    const std::vector<Token>& tokens_;
    const std::set<std::string_view>& launching_;
    std::vector<Point> points_;
};

struct PlacedGuard {
    const Function* function = nullptr;
    Guard guard;
};

class GuardSearch {
public:
    explicit GuardSearch(const SourceCode& code)
        : code_(code), launching_(launching_functions(code)) {}

    /// Sets `blocking` to the first guard that is known to keep all launches from running.
    void look_into(const Function& f, std::span<const KnownValues> calls, int depth) {
        const Walk walk(code_, f, launching_);
        const auto& points = walk.points();
        if (points.empty() || depth > deepest_of_calls) return;
        has_launch = true;
        std::vector<Guard> common = points.front().guards;
        for (const Point& point : points)
            std::erase_if(common, [&](const Guard& guard) {
                return std::ranges::find(point.guards, guard) == point.guards.end();
            });
        for (const Guard& guard : common) {
            const auto state = of(f, guard, calls);
            if (state == State::blocks) {
                blocking = PlacedGuard{&f, guard};
                return;
            }
            if (state == State::unknown) unknown.push_back({&f, guard});
        }
        if (points.size() > 1 && all_blocked(f, points, calls)) return;
        // All by one function: it decides.
        const Function* callee = points.front().callee;
        const bool by_one =
            std::ranges::all_of(points, [&](const Point& one) { return one.callee == callee; });
        if (callee == nullptr || !by_one || callee == &f) return;
        std::vector<KnownValues> inside(calls.size());
        look_into(*callee, inside, depth + 1);
    }

    std::optional<PlacedGuard> blocking;
    std::vector<PlacedGuard> unknown;
    bool has_launch = false;
    bool all_have_one = false;  ///< each launch its own, of which `unknown` has the last

private:
    enum class State { blocks, lets_through, unknown };
    [[nodiscard]] State of(const Function& f, const Guard& guard,
                           std::span<const KnownValues> calls) {
        State state = State::blocks;
        for (const KnownValues& known : calls) {
            const Value value = Evaluation(code_, f, known, budget_)(guard.condition);
            if (value && (*value != 0) != guard.blocks_if) return State::lets_through;
            if (!value) state = State::unknown;
        }
        return calls.empty() ? State::unknown : state;
    }

    /// Each by a condition of its own: the last one is what should have been for the rest.
    bool all_blocked(const Function& f, const std::vector<Point>& points,
                     std::span<const KnownValues> calls) {
        for (const Point& point : points) {
            const auto by = std::ranges::find_if(point.guards, [&](const Guard& guard) {
                return of(f, guard, calls) == State::blocks;
            });
            if (by == point.guards.end()) return false;
            last_ = *by;
        }
        unknown.assign(1, PlacedGuard{&f, last_});
        all_have_one = true;
        return true;
    }

    const SourceCode& code_;
    std::set<std::string_view> launching_;
    int budget_ = most_values;
    Guard last_;
};

std::string condition_text(const SourceCode& code, Range range) {
    std::string out;
    for (std::size_t i = range.first; i < range.last; ++i) {
        const std::string_view token = code.tokens()[i].text;
        const bool is_tight = out.empty() ||
                              is_any(token, {"(", ")", ",", ".", "->", "::", "[", "]"}) ||
                              is_any(code.tokens()[i - 1].text, {"(", "!", ".", "->", "::", "["});
        if (!is_tight) out += ' ';
        out += token;
    }
    return out;
}

}  // namespace

std::optional<LaunchGuard> guard_of_launches(const SourceCode& code, std::string_view function,
                                             std::span<const std::string> parameters,
                                             std::span<const KnownValues> calls) {
    const auto f = std::ranges::find(code.functions(), function, &Function::name);
    if (f == code.functions().end()) return {};
    // By the names that the submission gives them.
    std::vector<KnownValues> known;
    for (const KnownValues& call : calls) {
        KnownValues& own = known.emplace_back();
        for (std::size_t n = 0; n < std::min(parameters.size(), f->parameters.size()); ++n)
            if (const auto value = call.find(parameters[n]); value != call.end())
                own.emplace(f->parameters[n], value->second);
    }
    GuardSearch search(code);
    search.look_into(*f, known, 0);
    if (!search.has_launch) return {};
    LaunchGuard out{.location = {code.file(), 0, 0}};
    if (!search.blocking && search.unknown.empty()) return out;
    const PlacedGuard& found = search.blocking ? *search.blocking : search.unknown.front();
    out.location.line = code.tokens()[found.guard.at].line;
    out.condition = condition_text(code, found.guard.condition);
    out.is_certain = search.blocking || (search.unknown.size() == 1 && !search.all_have_one);
    out.returns = found.guard.returns;
    return out;
}

}  // namespace cugrade
