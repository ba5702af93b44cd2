#include "judging/step_rules.hpp"

#include <fmt/format.h>

namespace cugrade::edit {

int step_without_factor(const Text& text, const Loop& loop) {
    const std::size_t close = text.code.match(loop.at + 1);
    // for (size_t i = gid * ITEMS; i < n; i += threads)
    std::size_t first = loop.at + 2;
    while (first < close && text.word(first) != ";") ++first;
    if (text.word(loop.at) != "for" || first >= close || text.word(first - 2) != "*") return 0;
    const std::string_view factor = text.word(first - 1);
    std::size_t step = first;
    while (step < close && text.word(step) != "+=") ++step;
    if (step >= close) return 0;
    for (std::size_t i = step; i < close; ++i)
        if (text.word(i) == factor || text.word(i) == "*") return 0;
    for (const std::string_view name : names_of(text, {step + 1, close})) {
        const int made = definition_in(text, name, text.line(step));
        const Range there = text.code.tokens_of_line(made);
        for (std::size_t i = there.first; made > 0 && i < there.last; ++i)
            if (text.word(i) == factor) return 0;
    }
    return text.line(step);
}

int step_too_short(const Text& text, const Loop& loop) {
    std::size_t step = loop.all.first;
    while (step + 2 < loop.all.last && (text.word(step) != "+=" || !is_name(text.token(step + 1)) ||
                                        !is_any(text.word(step + 2), {")", ";"})))
        ++step;
    if (step + 2 >= loop.all.last) return 0;
    const std::string_view index = text.word(step - 1), by = text.word(step + 1);
    bool ends_at = false, takes = false, takes_further = false;
    const std::size_t body = text.code.match(loop.at + 1);
    for (std::size_t i = loop.at; i < body; ++i)
        ends_at |= text.word(i) == index && is_any(text.word(i + 1), {"<", "!="});
    for (std::size_t i = body; i + 4 < loop.all.last; ++i) {
        if (text.word(i) != index || text.word(i - 1) == "+") continue;
        takes |= text.word(i - 1) == "[" && text.word(i + 1) == "]";
        const bool is_next = text.word(i + 1) == "+" && text.word(i + 2) == by;
        takes_further |= is_next && text.word(i - 1) == "[" && text.word(i + 3) == "]";
        // k = i + u * stride
        const bool is_one_of = text.word(i + 1) == "+" && is_name(text.token(i + 2)) &&
                               text.word(i + 3) == "*" && text.word(i + 4) == by;
        if (is_one_of) takes = takes_further = true;
    }
    return ends_at && takes && takes_further ? text.line(step) : 0;
}

void tell_step_too_short(const Text& text, const Loop& loop, Cause& cause) {
    cause.sentence = fmt::format(
        "A round of the loop in line {} takes several elements that are one step apart, and line "
        "{} goes on by one step alone: the next round takes all but one of them again.",
        text.line(loop.at), cause.location.line);
    cause.advice = "Let the step be as many times larger as a round takes elements.";
}

bool steps_over_elements(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr) return false;
    for (const Loop& loop : loops_in(text, *f)) {
        const int head = text.line(loop.at);
        if (head > cause.location.line || cause.location.line > text.line(loop.all.last - 1))
            continue;
        const std::size_t close = text.code.match(loop.at + 1);
        const std::string written = words(text, {loop.at, close});
        if (written.find("=threadIdx.x;") == std::string::npos) continue;
        std::size_t step = loop.at;
        while (step < close && text.word(step) != "+=") ++step;
        if (step + 2 != close) continue;
        const long by = text.code.number_of({step + 1, close}, head);
        for (const SourceCode::Launch& launch : text.code.launches()) {
            if (launch.kernel != f->name || launch.numbers.size() < 2) continue;
            const long threads = text.code.number_of(launch.numbers[1], text.line(launch.at));
            if (threads <= 0 || by <= threads) continue;
            cause.id = "wrong_stride";
            cause.sentence = fmt::format(
                "The loop in line {} goes on by {} elements, and a block has {} threads: those in "
                "between are left out.",
                head, by, threads);
            cause.advice = "Let it go on by as many elements as the block has threads: blockDim.x.";
            cause.location = {text.code.file(), head, 0};
            cause.end_line = 0;
            return true;
        }
    }
    return false;
}

}  // namespace cugrade::edit
