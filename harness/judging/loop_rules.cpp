#include "judging/loop_rules.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "build/lexical.hpp"
#include "judging/step_rules.hpp"

namespace cugrade::edit {
namespace {

bool halves(const Text& text, Range range) {
    for (std::size_t i = range.first; i < range.last; ++i)
        if ((text.word(i) == "/=" && text.word(i + 1) == "2") ||
            (text.word(i) == ">>=" && text.word(i + 1) == "1"))
            return true;
    return false;
}

bool has_step(const Text& text, const Loop& loop) {
    for (std::size_t i = loop.at; i < text.code.match(loop.at + 1); ++i)
        if (text.word(i) == "+=") return true;
    return false;
}

/// The innermost loop in which an input is read, or the innermost one with a step that is no `++`;
/// 0: there is none.
std::size_t loop_over_input(const Text& text, bool with_step = false) {
    std::size_t found = 0;
    for (std::size_t n = 0; n < text.task.arguments.size(); ++n) {
        if (text.task.arguments[n].role != Role::input) continue;
        for (const int line : text.code.uses_of(text.task.function, n, SourceCode::Use::read)) {
            const Function* f = text.code.around(line);
            if (f == nullptr || found > 0) continue;
            for (const Loop& loop : loops_in(text, *f))
                if (text.line(loop.at) <= line && line <= text.line(loop.all.last - 1) &&
                    (!with_step || has_step(text, loop)))
                    found = loop.at;
        }
    }
    return found;
}

/// Whether a loop halves or doubles its distance in each round: `d *= 2`, `d >>= 1`, `d += d`.
bool changes_level(const Text& text, std::size_t loop) {
    const std::size_t end = behind(text, text.code.match(loop + 1) + 1);
    for (std::size_t i = loop; i + 1 < end; ++i) {
        const std::string_view word = text.word(i), next = text.word(i + 1);
        if ((is_any(word, {"/=", "*="}) && next == "2") ||
            (is_any(word, {">>=", "<<="}) && next == "1") ||
            (word == "+=" && i > loop && next == text.word(i - 1)))
            return true;
    }
    return false;
}

/// The last number of "the first 16 of each 32"; 2 if there is none.
int period_of(std::string_view sentence) {
    constexpr std::string_view each = " of each ";
    const std::size_t at = sentence.find(each);
    int period = 2;
    if (at != std::string_view::npos)
        std::from_chars(sentence.data() + at + each.size(), sentence.data() + sentence.size(),
                        period);
    return period;
}

}  // namespace

void where_step_is_made(const Text& text, Cause& cause) {
    if (const Function* f = text.code.around(cause.location.line))
        for (const Loop& loop : loops_in(text, *f)) {
            const int last = text.line(loop.all.last - 1);
            if (cause.location.line < text.line(loop.at) || cause.location.line > last) continue;
            if (const int line = step_too_short(text, loop)) {
                put_at(text, line, cause);
                return tell_step_too_short(text, loop, cause);
            }
        }
    if (cause.location.line == 0)
        if (const std::size_t loop = loop_over_input(text, true); loop > 0)
            cause.location = {text.code.file(), text.line(loop), 0};
    if (cause.sentence.starts_with("Each round")) {
        // The compiler adds the step where it likes; it is written in the head.
        const Function* f = text.code.around(cause.location.line);
        int head = 0;
        if (f != nullptr)
            for (const Loop& loop : loops_in(text, *f))
                if (text.line(loop.at) <= cause.location.line &&
                    cause.location.line <= text.line(loop.all.last - 1) && has_step(text, loop))
                    head = text.line(loop.at);
        if (head == 0) return;
        rename_line(cause.sentence, cause.location.line, head);
        cause.location = {text.code.file(), head, 0};
    }
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 2 < here.last; ++i) {
        if (text.word(i) != "+=" || !is_name(text.token(i + 1)) ||
            !is_any(text.word(i + 2), {";", ")"}))
            continue;
        const int made = definition_in(text, text.word(i + 1), cause.location.line);
        const Range definition = text.code.tokens_of_line(made);
        for (std::size_t k = definition.first; k < definition.last; ++k)
            if (is_any(text.word(k), {"*", "gridDim", "blockDim"}))
                return put_near(text, made, cause);
    }
}

namespace {

/// A step of a tree that is written out: `s[t] += s[t + 64]` has the distance 64.
struct WrittenStep {
    long distance = 0;
    int line = 0;
};
std::vector<WrittenStep> written_steps(const Text& text, const Function& f) {
    std::vector<WrittenStep> all;
    for (std::size_t i = f.open; i + 3 < f.close; ++i) {
        if (text.word(i) != "+" || text.word(i + 2) != "]") continue;
        const SourceCode::Range number{i + 1, i + 2};
        const long distance = text.code.number_of(number, text.line(i));
        const bool is_power = distance > 0 && (distance & (distance - 1)) == 0;
        if (is_power && (all.empty() || all.back().distance != distance))
            all.push_back({distance, text.line(i)});
    }
    return all;
}

/// Where a tree that is written out leaves a distance out: between two steps, or behind the last
/// one.
bool is_step_left_out(const Text& text, Cause& cause) {
    for (const Function* f : text.reached) {
        const std::vector<WrittenStep> steps = written_steps(text, *f);
        if (steps.size() < 2) continue;
        for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
            if (steps[k].distance != 4 * steps[k + 1].distance) continue;
            cause.id = "tree_level_missing";
            cause.sentence = fmt::format(
                "Line {} combines elements that are {} apart, and the next step, in line {}, those "
                "that are {} apart: the step of {} is missing.",
                steps[k].line, steps[k].distance, steps[k + 1].line, steps[k + 1].distance,
                steps[k].distance / 2);
            cause.advice = fmt::format("Write the step of {} between them.", steps[k].distance / 2);
            put_between(text, steps[k].line, steps[k + 1].line, cause);
            return true;
        }
    }
    return false;
}

/// One block that takes one element per thread of all that there are: the kernel has no loop. Where
/// other launches of it have more blocks, the launch is wrong.
bool is_taken_by_one_block(const Text& text, Cause& cause) {
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (launch.numbers.size() < 2 || words(text, launch.numbers[0]) != "1" ||
            words(text, launch.numbers[1]) == "1")
            continue;
        // What a kernel launches, each of its blocks may launch.
        const Function* host = text.code.around(text.line(launch.at));
        if (host == nullptr || !text.reaches(host) ||
            std::ranges::find(text.code.launches(), host->name, &SourceCode::Launch::kernel) !=
                text.code.launches().end())
            continue;
        const auto kernel =
            std::ranges::find(text.code.functions(), launch.kernel, &Function::name);
        if (kernel == text.code.functions().end()) continue;
        const auto compares_size = [&](Range range) {
            for (std::size_t i = range.first; i + 1 < range.last; ++i)
                if (is_any(text.word(i), {"<", "<=", ">="}) &&
                    std::ranges::find(kernel->parameters, text.word(i + 1)) !=
                        kernel->parameters.end())
                    return true;
            return false;
        };
        if (std::ranges::any_of(loops_in(text, *kernel), [&](const Loop& loop) {
                return compares_size({loop.at, text.code.match(loop.at + 1)});
            }))
            continue;
        int check = 0;
        for (std::size_t i = kernel->open; i < kernel->close && check == 0; ++i)
            if (is_any(text.word(i), {"<", ">="}) && compares_size({i, i + 2}))
                check = text.line(i);
        if (check == 0) continue;
        const bool has_other_launch =
            std::ranges::any_of(text.code.launches(), [&](const SourceCode::Launch& other) {
                return other.kernel == launch.kernel && !other.numbers.empty() &&
                       words(text, other.numbers[0]) != "1";
            });
        cause.id = "elements_ignored";
        cause.sentence = fmt::format(
            "Line {} launches one block of `{}`, in which each thread takes one element: what is "
            "behind the number of its threads is left out.",
            text.line(launch.at), launch.kernel);
        cause.advice =
            has_other_launch
                ? "Launch as many blocks as there are elements for, and go on in the same way with "
                  "their results, until one block is enough."
                : fmt::format(
                      "Let each thread take more than one there: a loop in line {} that "
                      "steps by blockDim.x.",
                      check);
        put_at(text, has_other_launch ? text.line(launch.at) : check, cause);
        return true;
    }
    return false;
}

}  // namespace

bool is_rest_left(const Text& text, Cause& cause) {
    if (cause.location.line > 0) return false;
    // Some of the rest is taken: `n % 4` of what is taken in sixteens.
    if (cause.sentence.find("(and has the last") != std::string::npos) {
        std::set<int> lines;
        for (const Function* f : text.reached)
            for (std::size_t i = f->open; i < f->close; ++i)
                if (text.word(i) == "%" && is_digit(text.word(i + 1)[0]))
                    lines.insert(text.line(i));
        if (lines.size() == 1) put_at(text, *lines.begin(), cause);
        return lines.size() == 1;
    }
    // `fours` of `const size_t fours = n / 4;`, and the last statement that asks for less.
    int made = 0, used = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 4 < f->close; ++i) {
            if (!is_name(text.token(i)) || text.word(i + 1) != "=" || text.word(i + 3) != "/" ||
                text.word(i + 5) != ";")
                continue;
            int last = 0;
            for (std::size_t k = i + 6; k + 1 < f->close; ++k)
                if (text.word(k) == "<" && text.word(k + 1) == text.word(i)) last = text.line(k);
            if (last == 0) continue;
            if (made > 0) return false;
            made = text.line(i);
            used = last;
        }
    if (made == 0) return false;
    cause.sentence = fmt::format(
        "The division in line {} leaves a rest, and nothing behind line {} takes it.", made, used);
    put_between(text, used, text.lines.line_after(used), cause);
    return true;
}

namespace {

/// From a line in a loop to its head, which has the distances.
void put_at_distances(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return;
    for (const Loop& loop : loops_in(text, *f)) {
        const int head = text.line(loop.at);
        if (head >= cause.location.line || cause.location.line > text.line(loop.all.last - 1) ||
            !changes_level(text, loop.at))
            continue;
        rename_line(cause.sentence, cause.location.line, head);
        cause.location = {text.code.file(), head, 0};
        return;
    }
}

/// The only division in the host's function that is rounded down and given to a kernel: the length
/// of a part. 0: there is none, or several.
int length_rounded_down(const Text& text) {
    int found = 0;
    for (const SourceCode::Launch& launch : text.code.launches()) {
        const int line = text.line(launch.at);
        if (text.reached.empty() || !text.reaches(text.code.around(line))) continue;
        for (const Range& argument : launch.arguments) {
            if (argument.last != argument.first + 1) continue;
            const int made = definition_in(text, text.word(argument.first), line);
            const std::string written = words_of_line(text, made);
            if (made == 0 || written.find('/') == std::string::npos ||
                written.find_first_of("+%") != std::string::npos || made == found)
                continue;
            if (found > 0) return 0;
            found = made;
        }
    }
    return found;
}

}  // namespace

void where_tree_ends(const Text& text, Cause& cause) {
    if (cause.id == "tree_level_missing" && cause.location.line > 0)
        return put_at_distances(text, cause);
    if (cause.location.line == 0)
        if (const int length = length_rounded_down(text)) {
            cause.id = "elements_ignored";
            cause.sentence = fmt::format(
                "The length of a part is rounded down in line {}: what is behind the last whole "
                "part "
                "is taken by nobody.",
                length);
            cause.advice = "Round it up: (n + parts - 1) / parts.";
            return put_at(text, length, cause);
        }
    if (cause.location.line > 0 || is_step_left_out(text, cause) ||
        is_taken_by_one_block(text, cause))
        return;
    std::vector<Loop> trees, all;
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f)) {
            all.push_back(loop);
            if (halves(text, loop.all)) trees.push_back(loop);
        }
    constexpr int lanes = 32;
    if (!trees.empty()) {
        cause.id = "tree_level_missing";
        cause.advice =
            "Write down the distances that the loop takes, the last one is 1, and compare them "
            "with the number of threads that have something to add.";
        const Loop& tree = period_of(cause.sentence) > lanes ? trees.back() : trees.front();
        return put_at(text, text.line(tree.at), cause);
    }
    cause.id = "elements_ignored";
    if (const std::size_t loop = all.size() == 1 ? all.front().at : loop_over_input(text); loop > 0)
        put_at(text, text.line(loop), cause);
}

namespace {

/// Where a name gets its value: in its function, or as an argument of the function's launches and
/// calls, where that is another name, of one value. 0: not found.
int definition_or_argument(const Text& text, std::string_view name, int line) {
    if (const int made = definition_in(text, name, line)) return made;
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    const auto at = std::ranges::find(f->parameters, name);
    if (at == f->parameters.end()) return 0;
    const auto n = static_cast<std::size_t>(at - f->parameters.begin());
    int found = 0;
    // Whether all have the same place so far.
    const auto is_made_in_one = [&](const std::vector<Range>& arguments, int call) {
        if (arguments.size() <= n || arguments[n].last != arguments[n].first + 1) return false;
        const int made = definition_in(text, text.word(arguments[n].first), call);
        if (made == 0 || (found > 0 && made != found)) return false;
        found = made;
        return true;
    };
    for (const SourceCode::Launch& launch : text.code.launches())
        if (launch.kernel == f->name && !is_made_in_one(launch.arguments, text.line(launch.at)))
            return 0;
    for (const Function* caller : text.reached)
        for (std::size_t i = caller->open; i < caller->close; ++i)
            if (const std::size_t open = text.word(i) == f->name ? open_of_call(text, i) : 0)
                if (!is_made_in_one(arguments_of(text, open), text.line(i))) return 0;
    return found;
}

}  // namespace

bool is_limit_rounded_down(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (text.word(i) != "<" || !is_name(text.token(i + 1))) continue;
        const int made = definition_or_argument(text, text.word(i + 1), cause.location.line);
        if (made == 0 || made == cause.location.line) continue;
        const Range from = text.code.tokens_of_line(made);
        bool divides = false, rounds_up = false;
        for (std::size_t k = from.first; k < from.last; ++k) {
            divides |= text.word(k) == "/" && !is_any(text.word(k + 1), {"2", "warpSize"});
            rounds_up |= is_any(text.word(k), {"+", "%", "sizeof"});
        }
        if (!divides || rounds_up) continue;
        cause.id = "tail_ignored";
        cause.sentence = fmt::format(
            "`{}` in line {} is a division that leaves a rest: those elements are taken by nobody.",
            text.word(i + 1), made);
        cause.advice = fmt::format(
            "Round up in line {}, and compare each element's index with the size; or take the rest "
            "one by one behind the loop.",
            made);
        if (text.code.around(made) == text.code.around(cause.location.line) &&
            made < cause.location.line)
            put_near(text, made, cause);
        else
            put_at(text, made, cause);
        return true;
    }
    return false;
}

bool steps_along_another_axis(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.proof == Proof::proven) return false;
    const auto axis_behind = [&](Range range, std::string_view of) {
        for (std::size_t i = range.first; i + 2 < range.last; ++i)
            if (text.word(i) == of && text.word(i + 1) == ".") return text.word(i + 2);
        return std::string_view();
    };
    for (const Loop& loop : loops_in(text, *f)) {
        if (text.line(loop.at) > cause.location.line ||
            text.line(loop.all.last - 1) < cause.location.line)
            continue;
        const Range head{loop.at, text.code.match(loop.at + 1)};
        const std::string_view begin = axis_behind(head, "threadIdx");
        const std::string_view step = axis_behind(head, "blockDim");
        if (begin.empty() || step.empty() || begin == step) continue;
        cause.id = "wrong_stride";
        cause.sentence = fmt::format(
            "The loop in line {} begins at threadIdx.{} and steps by blockDim.{}: where a block is "
            "not square, elements are left out or taken twice.",
            text.line(loop.at), begin, step);
        cause.advice = fmt::format("Step by blockDim.{}.", begin);
        cause.end_line = 0;
        put_at(text, text.line(loop.at), cause);
        return true;
    }
    return false;
}

namespace {

/// `for (int k = 0; k < 3; ++k)` that has to take 3, too.
bool is_limit_one_too_low(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    if (cause.evidence.find("`<` changed to `<=`") == std::string::npos ||
        here.first + 1 >= here.last || text.word(here.first) != "for")
        return false;
    const std::size_t close = text.code.match(here.first + 1);
    bool counts = false;
    for (std::size_t i = here.first; i < close; ++i) counts |= text.word(i) == "++";
    if (!counts) return false;
    cause.id = "elements_ignored";
    cause.sentence =
        fmt::format("The loop in line {} runs one round too few.", cause.location.line);
    return true;
}

/// A number that the compiler counts as a loop's, and which the source compares below an `if`:
/// `if (++rounds == ROUNDS)`.
bool is_compared_below_if(const Text& text, Cause& cause) {
    constexpr std::string_view of_loop = "The loop in line";
    const Range here = text.code.tokens_of_line(cause.location.line);
    if (!cause.sentence.starts_with(of_loop) || here.first >= here.last ||
        is_any(text.word(here.first), {"for", "while", "do", "}"}))
        return false;
    bool decides = false;
    for (std::size_t i = here.first; i < here.last; ++i) decides |= text.word(i) == "if";
    if (!decides) return false;
    cause.sentence = fmt::format("The comparison in line {} counts one too many or too few.",
                                 cause.location.line);
    cause.advice =
        "Write down the numbers that it compares for the first and the last round, and what has to "
        "happen then.";
    const std::string rounds = fmt::format("of the loop in line {}", cause.location.line);
    if (const std::size_t at = cause.evidence.find(rounds); at != std::string::npos)
        cause.evidence.replace(at, rounds.size(),
                               fmt::format("of what line {} counts", cause.location.line));
    return true;
}

/// `if (j <= lane) sum += ...` in a sum over the lanes, or the threads, that come before.
bool is_own_value_added(const Text& text, Cause& cause) {
    const bool fewer = cause.evidence.find("`<=` changed to `<`") != std::string::npos ||
                       cause.evidence.find("`>=` changed to `>`") != std::string::npos;
    const Range here = text.code.tokens_of_line(cause.location.line);
    const SourceCode::Function* f = text.code.around(cause.location.line);
    if (!fewer || f == nullptr) return false;
    for (std::size_t i = here.first + 1; i + 1 < here.last; ++i) {
        if (!is_any(text.word(i), {"<=", ">="}) || !is_name(text.token(i - 1)) ||
            !is_name(text.token(i + 1)))
            continue;
        const auto counts_in_loop = [&](std::string_view name) {
            return std::ranges::any_of(loops_in(text, *f), [&](const Loop& loop) {
                const std::size_t end = text.code.match(loop.at + 1);
                for (std::size_t k = loop.at; k + 1 < end; ++k)
                    if (text.word(k) == name && text.word(k + 1) == "=") return true;
                return false;
            });
        };
        const auto is_own_place = [&](std::string_view name) {
            const int made = definition_in(text, name, cause.location.line);
            const Range definition = text.code.tokens_of_line(made);
            for (std::size_t k = definition.first; made > 0 && k < definition.last; ++k)
                if (text.word(k) == "threadIdx" ||
                    text.word(k).find("lane") != std::string_view::npos ||
                    text.word(k) == "thread_rank")
                    return true;
            return false;
        };
        const std::string_view a = text.word(i - 1), b = text.word(i + 1);
        if (!(counts_in_loop(a) && is_own_place(b)) && !(counts_in_loop(b) && is_own_place(a)))
            continue;
        bool adds = false;
        for (std::size_t k = i;
             k < text.code.tokens().size() && text.line(k) <= cause.location.line + 1; ++k)
            adds |= text.word(k) == "+=";
        if (!adds) return false;
        cause.id = "inclusive_exclusive";
        cause.sentence =
            fmt::format("The sum over those before a thread takes its own value, too, in line {}.",
                        cause.location.line);
        return true;
    }
    return false;
}

}  // namespace

void where_level_is_missing(const Text& text, Cause& cause) {
    if (is_own_value_added(text, cause) || is_compared_below_if(text, cause)) return;
    if (cause.evidence.find("`<` changed to `<=`") != std::string::npos &&
        is_limit_rounded_down(text, cause))
        return;
    if (is_limit_one_too_low(text, cause)) return;
    const Range here = text.code.tokens_of_line(cause.location.line);
    const bool is_limit = cause.sentence.find("comparison") != std::string::npos;
    const bool is_first = cause.evidence.find("division by") != std::string::npos ||
                          cause.evidence.find("multiplication by") != std::string::npos;
    if (here.first >= here.last || !is_any(text.word(here.first), {"for", "while"}) ||
        (!is_limit && !is_first))
        return;
    if (!changes_level(text, here.first)) return;
    cause.id = "tree_level_missing";
    cause.sentence = fmt::format(
        "The loop in line {} {} one level too {}: what its {} distance would bring together is "
        "left "
        "apart.",
        cause.location.line, is_first ? "begins" : "ends", is_first ? "low" : "early",
        is_first ? "first" : "last");
    cause.advice = fmt::format(
        "Let the loop take one more distance: write down which it takes, and compare its {}.",
        is_first ? "first one" : "limit");
}

void where_halved_number_is_made(const Text& text, Cause& cause) {
    if (cause.sentence.find("halves a number that is odd") == std::string::npos) return;
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 2 < here.last; ++i) {
        // `half = copies / 2` or `half = copies >> 1`
        const bool halves_name =
            is_name(text.token(i)) && ((text.word(i + 1) == "/" && text.word(i + 2) == "2") ||
                                       (text.word(i + 1) == ">>" && text.word(i + 2) == "1"));
        if (!halves_name) continue;
        int made = 0;
        std::string_view name = text.word(i);
        for (int steps = 0; steps < 4; ++steps) {
            const int further =
                definition_or_argument(text, name, made > 0 ? made : cause.location.line);
            if (further == 0 || further == made || further == cause.location.line) break;
            made = further;
            // `const int size = tile;` has it from elsewhere.
            const Range line = text.code.tokens_of_line(made);
            std::size_t k = line.first;
            while (k + 2 < line.last && text.word(k) != "=") ++k;
            if (k + 2 >= line.last || !is_name(text.token(k + 1)) || text.word(k + 2) != ";") break;
            name = text.word(k + 1);
        }
        if (made > 0) put_near(text, made, cause);
        if (made > 0 && cause.location.line != made && cause.end_line == 0)
            put_at(text, made, cause);
        return;
    }
}

void where_groups_are_an_index(const Text& text, Cause& cause) {
    if (cause.sentence.find(" is the number of groups of ") == std::string::npos) return;
    std::set<int> lines;
    for (const Function* f : text.reached) {
        std::set<std::string_view> groups;
        for (std::size_t i = f->open; i + 3 < f->close; ++i)
            if (is_name(text.token(i)) && text.word(i + 1) == "=" && text.word(i + 3) == "/")
                groups.insert(text.word(i));
        for (std::size_t i = f->open + 1; i < f->close; ++i) {
            if (!groups.contains(text.word(i)) || text.word(i + 1) == "=") continue;
            const std::string_view before = text.word(i - 1), after = text.word(i + 1);
            const bool is_scaled = before == "*" || after == "*";
            const bool is_index = before == "[" || after == "]";
            // `in + groups`, `groups + thread`
            const bool is_added = (before == "+" && is_name(text.token(i - 2))) || after == "+";
            if (!is_scaled && (is_index || is_added)) lines.insert(text.line(i));
        }
    }
    if (lines.size() != 1) return;
    cause.advice = fmt::format(
        "Multiply it by the number of elements in a group in line {}, or count from the end.",
        *lines.begin());
    put_at(text, *lines.begin(), cause);
}

std::optional<Cause> taken_by_one_block(const Text& text) {
    Cause cause{.id = "elements_ignored"};
    if (!is_taken_by_one_block(text, cause)) return {};
    return cause;
}

}  // namespace cugrade::edit
