// Causes that the source suggests together with the compiler's warnings, with the way in which
// cases differ, and with the patterns of wrong elements.
#include "judging/cause_places.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

/// Whether a function has `name +=` behind that token.
bool is_added_to(const SourceCode& code, const Function& f, std::string_view name,
                 std::size_t from) {
    const auto& t = code.tokens();
    for (std::size_t k = from; k + 1 < f.close; ++k)
        if (t[k].text == name && t[k + 1].text == "+=") return true;
    return false;
}

using Function = SourceCode::Function;
using Launch = SourceCode::Launch;
using Use = SourceCode::Use;

/// By which a number is divided where a limit is made: `const size_t vectors = n / 4;`, and nothing
/// else. 0: it is not.
long length_divided_by(const SourceCode& code, int line) {
    constexpr long least = 2;
    const auto& t = code.tokens();
    const auto [first, last] = code.tokens_of_line(line);
    if (first < last && t[first].text == "for") return 0;
    for (std::size_t i = first + 2; i + 2 < last; ++i)
        if (t[i].text == "/" && t[i - 2].text == "=" && is_name(t[i - 1]) && t[i + 2].text == ";" &&
            code.number_of({i - 1, i}, line) == 0)
            if (const long length = code.number_of({i + 1, i + 2}, line); length >= least)
                return length;
    return 0;
}

/// Whether a name stands in other lines of the function than these two: what computes with a number
/// of vectors takes the rest.
bool is_used_elsewhere(const SourceCode& code, std::string_view name, int made, int line) {
    const Function* f = code.around(line);
    for (std::size_t i = f == nullptr ? 0 : f->open; f != nullptr && i < f->close; ++i)
        if (const Token& one = code.tokens()[i]; one.text == name && one.line != made &&
                                                 one.line != line &&
                                                 code.tokens()[i - 1].text != "<")
            return true;
    return false;
}

/// The number in front of which a limit is divided: `n / 4` in a loop's or an `if`'s condition, or
/// added: `x + 4 > n`. 0: there is none.
/// `made`: the line in which the limit is made, if it is not the condition itself.
long vector_length(const SourceCode& code, SourceCode::Range condition, int line, int& made) {
    static constexpr std::array lengths{2L, 4L, 8L, 16L, 32L};
    const auto& t = code.tokens();
    for (std::size_t i = condition.first; i < condition.last; ++i)
        if (const int origin = is_name(t[i]) ? code.origin_of(t[i].text, line) : 0;
            origin > 0 && origin < line && code.around(origin) == code.around(line))
            if (const long length = length_divided_by(code, origin);
                length > 0 && !is_used_elsewhere(code, t[i].text, origin, line)) {
                made = origin;
                return length;
            }
    // A number of vectors that the host has computed: `words = n / 4`.
    const Function* kernel = code.around(line);
    for (std::size_t i = condition.first; kernel != nullptr && i < condition.last; ++i) {
        const auto at = std::ranges::find(kernel->parameters, t[i].text);
        if (at == kernel->parameters.end()) continue;
        const auto n = static_cast<std::size_t>(at - kernel->parameters.begin());
        for (const Launch& launch : code.launches()) {
            if (launch.kernel != kernel->name || launch.arguments.size() <= n ||
                launch.arguments[n].last != launch.arguments[n].first + 1)
                continue;
            const int launched = t[launch.at].line;
            const int origin = code.origin_of(t[launch.arguments[n].first].text, launched);
            if (origin > 0 && origin < launched && code.around(origin) == code.around(launched))
                if (const long length = length_divided_by(code, origin); length > 0) return length;
        }
    }
    for (std::size_t i = condition.first; i + 1 < condition.last; ++i) {
        // Of a size: `threadIdx.x / 32` is no number of vectors.
        const bool of_size =
            i > condition.first && is_name(t[i - 1]) && (i < 2 || t[i - 2].text != ".");
        const bool shifts = of_size && t[i].text == ">" && t[i + 1].text == ">";
        const bool divides = of_size && t[i].text == "/";
        const bool adds = t[i].text == "+" && i + 2 < condition.last &&
                          is_any(t[i + 2].text, {">", ">=", "<", "<="});
        if (!divides && !adds && !shifts) continue;
        const std::size_t at = i + (shifts ? 2 : 1);
        long number = code.number_of({at, at + 1}, line);
        if (shifts) number = number > 0 && number < 6 ? 1L << number : 0;
        if (std::ranges::find(lengths, number) != lengths.end()) return number;
    }
    return 0;
}

/// So many elements need several blocks in any program. Chosen.
constexpr double many_blocks = 16'384;

/// Where a name gets its type in front of a line: `u32 c = k;`. Else where its value comes from.
int declared_at(const SourceCode& code, std::string_view name, int line) {
    const Function* f = code.around(line);
    const auto& t = code.tokens();
    int found = 0;
    for (std::size_t i = f == nullptr ? t.size() : f->open + 1; i + 1 < t.size(); ++i) {
        if (t[i].line > line) break;
        if (t[i].text == name && is_name(t[i - 1]) && is_any(t[i + 1].text, {"=", ";", "{"}) &&
            !is_any(t[i - 1].text, {"return", "else"}))
            found = t[i].line;
    }
    return found > 0 ? found : code.origin_of(name, line);
}

}  // namespace

std::vector<Cause> CodeOfTask::warned_of(std::string_view output) const {
    struct Warning {
        std::string_view says, id, sentence, advice;
    };
    static constexpr Warning warnings[] = {
        {"is used before its value is set", "uninitialised_variable",
         "`{}` is used before it has a value: the compiler warns of it in line {}.",
         "Give it its first value where it is declared."},
        {"pointless comparison of unsigned integer with zero", "unsigned_index",
         "`{}` is unsigned and never below zero: the comparison in line {} is always false or "
         "always true.",
         "Use a signed type, such as long long, for an index that can be negative."}};
    std::vector<Cause> all;
    for (std::size_t begin = 0; begin < output.size();) {
        const std::size_t end = std::min(output.find('\n', begin), output.size());
        const std::string_view text = output.substr(begin, end - begin);
        begin = end + 1;
        const auto* warning = std::ranges::find_if(warnings, [&](const Warning& one) {
            return text.find(one.says) != std::string_view::npos;
        });
        if (warning == std::end(warnings)) continue;
        for (const SourceCode& code : code_) {
            if (!text.starts_with(code.file() + ":") && !text.starts_with(code.file() + "("))
                continue;
            int line = 0;
            const std::string_view rest = text.substr(code.file().size() + 1);
            std::from_chars(rest.data(), rest.data() + rest.size(), line);
            const Function* f = code.around(line);
            const auto reached = code.reached_from(task_.function);
            if (f == nullptr || std::ranges::find(reached, f) == reached.end()) continue;
            std::string_view name, less, compared;
            if (const std::size_t quote = text.find('"'); quote != std::string_view::npos) {
                name = text.substr(quote + 1);
                name = name.substr(0, name.find('"'));
            } else {
                const auto [first, last] = code.tokens_of_line(line);
                for (std::size_t i = first; i + 2 < last && name.empty(); ++i)
                    if (is_name(code.tokens()[i]) &&
                        is_any(code.tokens()[i + 1].text, {"<", ">="}) &&
                        code.tokens()[i + 2].text == "0") {
                        name = code.tokens()[i].text;
                        compared = code.tokens()[i + 1].text;
                        const auto word = [&](std::size_t back) {
                            return i >= first + back ? code.tokens()[i - back].text
                                                     : std::string_view();
                        };
                        // threadIdx.x - d >= 0
                        const std::size_t size = word(3) == "." ? 3 : 1;
                        if (word(1) == "-" && i >= first + 2 && is_name(code.tokens()[i - 2]) &&
                            is_any(word(2 + size), {"(", "&&", "||", "="}))
                            less = std::string_view(
                                word(1 + size).data(),
                                static_cast<std::size_t>(word(2).data() + word(2).size() -
                                                         word(1 + size).data()));
                    }
            }
            if (name.empty()) continue;
            Cause cause{.id = std::string(warning->id)};
            // A difference of two unsigned numbers is compared otherwise, whatever they are.
            const int declared = less.empty() ? declared_at(code, name, line) : 0;
            cause.location = {code.file(), declared > 0 ? declared : line, 0};
            if (declared > 0 && declared != line)
                cause.second = SourceLocation{code.file(), line, 0};
            const std::string subject =
                less.empty() ? std::string(name) : fmt::format("{} - {}", less, name);
            cause.sentence = fmt::format(fmt::runtime(warning->sentence), subject, line);
            cause.advice = less.empty() ? std::string(warning->advice)
                                        : fmt::format("Compare the two numbers: {} {} {}.", less,
                                                      compared, name);
            cause.evidence = "the compiler's warning";
            if (std::ranges::none_of(all, [&](const Cause& one) {
                    return one.id == cause.id && one.location.line == cause.location.line;
                }))
                all.push_back(std::move(cause));
        }
    }
    return all;
}

/// Fails where a size is no multiple of the number of elements that a thread takes at once.
std::optional<Cause> CodeOfTask::tail(const Symptoms& e, const TaskOutcome& outcome) const {
    for (const auto& [name, unused] :
         task_.cases.empty() ? std::map<std::string, double>() : task_.cases[0].params) {
        (void)unused;
        // All failing cases leave a rest, and a right one leaves none.
        const auto all_leave = [&](long length) {
            bool fails = false, passes = false;
            for (const CaseOutcome& one : outcome.cases) {
                const auto spec = std::ranges::find(task_.cases, one.id, &CaseSpec::id);
                if (spec == task_.cases.end() || one.verdict == Verdict::skipped) continue;
                const auto value = spec->params.find(name);
                if (value == spec->params.end()) return false;
                const bool rest = std::fmod(value->second, static_cast<double>(length)) != 0;
                const bool failed = one.verdict != Verdict::accepted;
                if (failed && !rest && !spec->needs_gpu) return false;
                fails |= failed && rest;
                passes |= !failed && !rest;
            }
            return fails && passes;
        };
        for (const SourceCode& code : code_)
            for (const Function* f : code.reached_from(task_.function)) {
                const auto& t = code.tokens();
                for (std::size_t i = f->open; i + 1 < f->close && i + 1 < t.size(); ++i) {
                    if (!is_any(t[i].text, {"for", "while", "if"}) || t[i + 1].text != "(")
                        continue;
                    const std::size_t close = code.match(i + 1);
                    SourceCode::Range condition{i + 2, close};
                    if (t[i].text == "for") {
                        while (condition.first < close && t[condition.first].text != ";")
                            ++condition.first;
                        ++condition.first;
                        condition.last = condition.first;
                        while (condition.last < close && t[condition.last].text != ";")
                            ++condition.last;
                    }
                    int made = 0;
                    const long length = vector_length(code, condition, t[i].line, made);
                    if (length == 0 || !all_leave(length)) continue;
                    const bool leaves = close + 1 < t.size() && t[close + 1].text == "return";
                    // A function that returns a whole group goes on with what is left.
                    const bool goes_on =
                        leaves && close + 2 < f->close && t[close + 2].text != ";" &&
                        std::any_of(t.begin() + static_cast<std::ptrdiff_t>(close + 2),
                                    t.begin() + static_cast<std::ptrdiff_t>(f->close),
                                    [](const Token& one) { return one.text == "<"; });
                    if (goes_on) continue;
                    const bool has_block = close + 1 < t.size() && t[close + 1].text == "{";
                    const std::size_t end = has_block ? code.match(close + 1) : close;
                    Cause cause{.id = "tail_ignored"};
                    const bool launches = std::ranges::any_of(
                        code.launches(),
                        [&](const Launch& launch) { return i < launch.at && launch.at < end; });
                    // Turns of the host are rounded up; a kernel's loop leaves the rest to what
                    // follows.
                    cause.location = {
                        code.file(),
                        launches && made > 0 ? made : t[leaves || end >= t.size() ? i : end].line,
                        0};
                    cause.sentence = fmt::format(
                        "`{0}` takes {1} elements at a time, and the last `{2} % {1}` are left "
                        "out: a case fails only if `{2}` is no multiple of {1}.",
                        f->name, length, name);
                    cause.advice =
                        launches
                            ? fmt::format("Round the number of turns up: ({0} + {1} - 1) / {1}.",
                                          name, length)
                            : fmt::format(
                                  "Let some threads take what is left one by one: the "
                                  "elements from `{0} / {1} * {1}` on.",
                                  name, length);
                    for (const CaseOutcome* one : e.failing) cause.cases.push_back(one->id);
                    return cause;
                }
            }
    }
    return {};
}

/// A tree that halves, in blocks whose number of threads cannot be halved to 1.
std::optional<Cause> CodeOfTask::halving(const Symptoms& e) const {
    if (!e.has(Verdict::wrong_answer)) return {};
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        const auto reached = code.reached_from(task_.function);
        // In the kernel, or in what it calls: `h /= 2`, `h >>= 1`, `h = h / 2`.
        const auto halves = [&](const Function& kernel) {
            return std::ranges::any_of(code.reached_from(kernel.name), [&](const Function* f) {
                for (std::size_t i = f->open; i + 4 < std::min(f->close, t.size()); ++i)
                    if ((t[i].text == "/=" && t[i + 1].text == "2") ||
                        (t[i].text == ">>=" && t[i + 1].text == "1") ||
                        (t[i].text == "=" && t[i + 1].text == t[i - 1].text &&
                         t[i + 2].text == "/" && t[i + 3].text == "2"))
                        return true;
                return false;
            });
        };
        for (const Launch& launch : code.launches()) {
            if (launch.numbers.size() < 2) continue;
            const auto kernel = std::ranges::find_if(
                reached, [&](const Function* f) { return f->name == launch.kernel && halves(*f); });
            const int line = t[launch.at].line;
            if (kernel == reached.end() ||
                std::ranges::find(reached, code.around(line)) == reached.end())
                continue;
            long threads = code.number_of(launch.numbers[1], line);
            if (const auto seen = e.odd_blocks.find(launch.kernel);
                threads == 0 && seen != e.odd_blocks.end())
                threads = seen->second;
            if (threads <= 2 || (threads & (threads - 1)) == 0) continue;
            Cause cause{.id = "not_a_power_of_two"};
            const auto [first, last] = launch.numbers[1];
            const int declared = last == first + 1 ? code.origin_of(t[first].text, line) : 0;
            cause.location = {code.file(), declared > 0 ? declared : line, 0};
            cause.sentence = fmt::format(
                "`{}` adds up by halves, but its blocks have {} threads: an odd half leaves a "
                "thread out.",
                launch.kernel, threads);
            cause.advice = "Use a power of two, such as 128 or 256, or round halves up and test.";
            for (const CaseOutcome* one : e.failing) cause.cases.push_back(one->id);
            return cause;
        }
    }
    return {};
}

/// The cause that most patterns of wrong elements suggest.
std::optional<Cause> CodeOfTask::by_pattern(const Symptoms& e) const {
    const auto best =
        std::ranges::max_element(e.suggested, {}, [](const auto& one) { return one.second; });
    if (best == e.suggested.end() || !e.suggest(best->first)) return {};
    Cause cause{.id = best->first};
    // One id may have several patterns, and data of little variety show a wrong one, or other
    // numbers: what most cases say counts.
    std::map<std::string, int> said;
    constexpr int without_itself = 1000;  // first the pattern, then its numbers
    const auto without_numbers = [](std::string text) {
        std::erase_if(text, [](char c) { return is_digit(c); });
        return text;
    };
    for (const CaseOutcome* one : e.failing) {
        cause.cases.push_back(one->id);
        if (one->suggested_cause != best->first) continue;
        ++said[one->pattern];
        said.insert({without_numbers(one->pattern), 0}).first->second += without_itself;
    }
    int most = 0;
    for (const CaseOutcome* one : e.failing) {
        if (one->suggested_cause != best->first) continue;
        const int times = said[without_numbers(one->pattern)] + said[one->pattern];
        if (times <= most) continue;
        most = times;
        cause.sentence = one->pattern;
    }
    if (cause.id == "integer_overflow")
        if (const SourceLocation location = narrow_shared_sum(); location.line > 0) {
            cause.id = "accumulator_too_narrow";
            cause.location = location;
        }
    if (cause.id == "accumulator_too_narrow" && cause.location.line == 0)
        cause.location = float_sum();
    if (cause.id == "blocks_not_combined")
        if (const auto sizes = sizes_that_fail(e); sizes && sizes->second > many_blocks) {
            // With that many elements several blocks were combined rightly.
            cause.id = "elements_ignored";
            cause.sentence = fmt::format(
                "All cases up to {0} = {1:.0f} are right, and all from {0} = {2:.0f} on fail: "
                "something takes care of a fixed number of elements or blocks alone.",
                sizes->first, sizes->second, first_failing(e, sizes->first));
        }
    cause.advice = std::string(advice_for(cause.id));
    return cause;
}

/// The size by which the failing cases differ from the others: all of them have more. With the most
/// that is right.
std::optional<std::pair<std::string, double>> CodeOfTask::sizes_that_fail(const Symptoms& e) const {
    if (task_.cases.empty()) return {};
    for (const auto& [name, unused] : task_.cases[0].params) {
        (void)unused;
        double most_right = 0;
        bool has_all = true;
        for (const CaseSpec& spec : task_.cases) {
            const auto value = spec.params.find(name);
            has_all &= value != spec.params.end();
            const bool fails = std::ranges::any_of(
                e.failing, [&](const CaseOutcome* one) { return one->id == spec.id; });
            if (has_all && !fails && !spec.needs_gpu)
                most_right = std::max(most_right, value->second);
        }
        if (has_all && most_right > 0 && first_failing(e, name) > most_right)
            return std::pair(name, most_right);
    }
    return {};
}

double CodeOfTask::first_failing(const Symptoms& e, const std::string& size) const {
    double least = std::numeric_limits<double>::infinity();
    for (const CaseOutcome* one : e.failing) {
        const auto spec = std::ranges::find(task_.cases, one->id, &CaseSpec::id);
        if (spec == task_.cases.end() || !spec->params.contains(size)) continue;
        least = std::min(least, spec->params.at(size));
    }
    return least;
}

/// Where a local float is declared that a loop adds to; nothing if there are several.
SourceLocation CodeOfTask::float_sum() const {
    SourceLocation found;
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open; i + 2 < f->close; ++i) {
                if (t[i].text != "float" || !is_name(t[i + 1]) ||
                    !is_any(t[i + 2].text, {"=", "{"}))
                    continue;
                if (!is_added_to(code, *f, t[i + 1].text, i)) continue;
                if (found.line > 0) return {};
                found = {code.file(), t[i].line, 0};
            }
    }
    return found;
}

/// An array in shared memory of numbers with 32 bits that is added to, or the alias of its type.
SourceLocation CodeOfTask::narrow_shared_sum() const {
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open; i + 3 < f->close && i + 3 < t.size(); ++i) {
                if (t[i].text != "__shared__") continue;
                std::size_t k = i + 1;
                while (k < f->close && t[k].text != "[" && t[k].text != ";") ++k;
                if (t[k].text != "[" || k < i + 3) continue;
                const std::string_view name = t[k - 1].text, type = t[k - 2].text;
                int line = is_narrow(type) && type != "float" ? t[i].line : 0;
                for (std::size_t a = 0; a + 3 < t.size() && line == 0; ++a) {
                    if (t[a].text == "using" && t[a + 1].text == type && is_narrow(t[a + 3].text))
                        line = t[a].line;
                    if (t[a].text == "typedef" && is_narrow(t[a + 1].text) && t[a + 2].text == type)
                        line = t[a].line;
                }
                bool adds = false;
                for (std::size_t a = k; a + 2 < f->close; ++a) {
                    if (t[a].text != name) continue;
                    const bool by_function = t[a - 1].text == "&" || t[a - 1].text == "(";
                    if (by_function && a >= 3) {
                        const std::string_view called =
                            t[a - 2].text == "(" ? t[a - 3].text : t[a - 2].text;
                        adds |= called.starts_with("atomicAdd");
                        for (const Function& own : code.functions())
                            for (std::size_t b = own.open; b < own.close && own.name == called; ++b)
                                adds |= t[b].text == "atomicAdd";
                    }
                    if (t[a + 1].text == "[") {
                        const std::size_t behind = code.match(a + 1) + 1;
                        adds |= behind < t.size() && t[behind].text == "+=";
                    }
                }
                if (line > 0 && adds) return {code.file(), line, 0};
            }
    }
    return {};
}

/// A loop takes several steps at once, and behind it an `if` takes what is left: one step of them.
std::optional<Cause> CodeOfTask::unrolled_rest(const Symptoms& e) const {
    if (!e.has(Verdict::wrong_answer)) return {};
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function))
            for (std::size_t i = f->open; i + 1 < f->close; ++i) {
                if (!is_any(t[i].text, {"for", "while"}) || t[i + 1].text != "(") continue;
                const std::size_t close = code.match(i + 1);
                std::size_t end = close + 1;
                if (t[end].text == "{") end = code.match(end);
                while (t[end].text != "}" && t[end].text != ";" && end < f->close) ++end;
                std::string_view index;
                long steps = 0;
                for (std::size_t k = i + 2; k + 3 < end; ++k)
                    if (t[k].text == "+=" && t[k + 2].text == "*" && is_name(t[k - 1])) {
                        const long number = code.number_of({k + 1, k + 2}, t[k].line);
                        if (number >= 3 && number <= 16) index = t[k - 1].text, steps = number;
                    }
                if (index.empty() || end + 2 >= f->close || t[end + 1].text != "if") continue;
                const std::size_t open = end + 2;
                const auto tests = std::ranges::subrange(
                    t.begin() + static_cast<std::ptrdiff_t>(open),
                    t.begin() + static_cast<std::ptrdiff_t>(code.match(open)));
                if (std::ranges::find(tests, index, &Token::text) == tests.end()) continue;
                Cause cause{.id = "elements_ignored"};
                cause.location = {code.file(), t[end + 1].line, 0};
                cause.sentence = fmt::format(
                    "The loop in line {} takes {} steps at a time, so that up to {} are left, and "
                    "line {} takes one of them.",
                    t[i].line, steps, steps - 1, t[end + 1].line);
                cause.advice = fmt::format("Make a loop of the `if` in line {}, with single steps.",
                                           t[end + 1].line);
                for (const CaseOutcome* one : e.failing) cause.cases.push_back(one->id);
                return cause;
            }
    }
    return {};
}

/// A whole number that is begun with an element of an array of floats, and added to.
std::optional<Cause> CodeOfTask::whole_number(const Symptoms& e) const {
    if (!e.has(Verdict::wrong_answer)) return {};
    for (const SourceCode& code : code_) {
        const auto& t = code.tokens();
        for (const Function* f : code.reached_from(task_.function)) {
            std::set<std::string_view> floats;
            for (std::size_t i = f->at; i + 2 < f->open; ++i)
                if (is_any(t[i].text, {"float", "double"}))
                    for (std::size_t k = i + 1; k < f->open && !is_any(t[k].text, {",", ")"}); ++k)
                        if (is_name(t[k])) floats.insert(t[k].text);
            for (std::size_t i = f->open; i + 4 < f->close; ++i) {
                if (!is_any(t[i].text, {"int", "long", "unsigned", "size_t"}) ||
                    !is_name(t[i + 1]) || t[i + 2].text != "=" || !floats.contains(t[i + 3].text) ||
                    t[i + 4].text != "[")
                    continue;
                if (!is_added_to(code, *f, t[i + 1].text, i)) continue;
                Cause cause{.id = "accumulator_too_narrow"};
                cause.location = {code.file(), t[i].line, 0};
                cause.sentence = fmt::format(
                    "`{}` is a whole number: it begins with an element of `{}`, and drops what "
                    "that has behind the decimal point.",
                    t[i + 1].text, t[i + 3].text);
                cause.advice = fmt::format("Give `{}` the type of the elements.", t[i + 1].text);
                for (const CaseOutcome* one : e.failing) cause.cases.push_back(one->id);
                return cause;
            }
        }
    }
    return {};
}

std::optional<Cause> CodeOfTask::by_cases(const TaskOutcome& outcome, const Symptoms& e) const {
    if (auto cause = policy(e, outcome)) return cause;
    if (auto cause = tail(e, outcome)) return cause;
    if (auto cause = halving(e)) return cause;
    if (auto cause = unrolled_rest(e)) return cause;
    return whole_number(e);
}

}  // namespace cugrade
