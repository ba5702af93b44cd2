#include "judging/scan_rules.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cugrade::edit {
namespace {

/// Where a function of the host scans the sums of the parts by itself, with what it was called
/// with; 0: nowhere.
int call_of_itself(const Text& text) {
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i < f->close; ++i)
            if (text.word(i) == f->name && is_any(text.word(i + 1), {"(", "<"}))
                return text.line(i);
    return 0;
}

/// Where the host has another function scan what a kernel has left: the call of one that launches
/// kernels, too, with an array of its own that an earlier launch has got; 0: nowhere.
int call_with_launched(const Text& text) {
    for (const Function* f : text.reached) {
        std::set<std::string_view> given;
        std::size_t first = f->close;
        for (const SourceCode::Launch& one : text.code.launches()) {
            if (one.at < f->open || one.at > f->close) continue;
            first = std::min(first, one.at);
            for (const Range& argument : one.arguments) given.merge(names_of(text, argument));
        }
        for (const std::string_view parameter : f->parameters) given.erase(parameter);
        for (std::size_t i = behind(text, first); i < f->close; ++i) {
            const Function* called = function_called_at(text, i);
            if (called == nullptr || text.code.launch_at(text.line(i)) != nullptr) continue;
            const bool launches =
                std::ranges::any_of(text.code.launches(), [&](const SourceCode::Launch& one) {
                    return is_in({called->open, called->close}, one.at);
                });
            std::size_t open = i + 1;
            while (open < f->close && !is_any(text.word(open), {"(", ";"})) ++open;
            if (!launches || text.word(open) != "(") continue;
            for (const std::string_view name : names_of(text, {open, text.code.match(open)}))
                if (given.contains(name)) return text.line(i);
        }
    }
    return 0;
}

/// Where a kernel of one block stores elements of its parameter by a name of its own; 0: there is
/// no such kernel, or several lines.
int store_of_one_block(const Text& text) {
    std::set<int> lines;
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (launch.numbers.size() < 2 || words(text, launch.numbers[0]) != "1" ||
            words(text, launch.numbers[1]) == "1" ||
            !text.reaches(text.code.around(text.line(launch.at))))
            continue;
        for (const Function& f : text.code.functions()) {
            if (f.name != launch.kernel) continue;
            for (std::size_t i = f.open; i + 1 < f.close; ++i)
                if (std::ranges::find(f.parameters, text.word(i)) != f.parameters.end() &&
                    text.word(i + 1) == "[" && text.word(text.code.match(i + 1) + 1) == "=")
                    lines.insert(text.line(i));
        }
    }
    return lines.size() == 1 ? *lines.begin() : 0;
}

}  // namespace

void where_scan_is_shifted(const Text& text, Cause& cause) {
    // The host's own scan of what the blocks have left.
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 1 < f->close; ++i)
            if (is_any(text.word(i), {"inclusive_scan", "exclusive_scan", "partial_sum"}) &&
                text.word(i + 1) == "(" && text.word(i - 1) == "::") {
                cause.location = {text.code.file(), text.line(i), 0};
                return;
            }
    const auto says = [&](std::string_view part) {
        return cause.sentence.find(part) != std::string::npos;
    };
    const bool is_stored = says("hands on lacks");
    if (!is_stored && !says("adds its own total") && !says("Each run of "))
        return where_stored_value_is_made(text, cause);
    const bool is_warp = says("of 32 elements");
    if (says("Each run of ")) {
        // Fewer are those of one thread.
        constexpr int lanes = 32;
        int group = 0;
        const std::string_view number = std::string_view(cause.sentence).substr(12);
        std::from_chars(number.data(), number.data() + number.size(), group);
        if (group < lanes) return where_stored_value_is_made(text, cause);
    }
    if (!is_stored && !is_warp)
        for (const int call :
             {call_with_launched(text), call_of_itself(text), store_of_one_block(text)})
            if (call > 0) {
                cause.location = {text.code.file(), call, 0};
                return;
            }
    // An index, and what the variable that it is was made of.
    const auto index_in = [&](std::size_t open, std::size_t close) {
        std::string index = words(text, {open + 1, close});
        if (close != open + 2 || !is_name(text.token(open + 1))) return index;
        const int made = definition_in(text, text.word(open + 1), text.line(open));
        const Range line = text.code.tokens_of_line(made);
        for (std::size_t i = line.first; made > 0 && i < line.last; ++i)
            if (text.word(i) == text.word(open + 1))
                while (++i < line.last && !is_any(text.word(i), {",", ";"})) index += text.word(i);
        return index;
    };
    std::set<int> lines;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            if (text.word(i) != "[" || !is_name(text.token(i - 1))) continue;
            const std::size_t close = text.code.match(i);
            if ((text.word(close + 1) == "=") != is_stored) continue;
            const std::string index = index_in(i, close);
            const auto has = [&](std::string_view part) {
                return index.find(part) != std::string::npos;
            };
            const bool of_warp = has("/32") || has(">>5") || has("warp");
            const bool of_block = has("blockIdx.x") && !has("threadIdx") && !has("blockDim");
            if (is_warp ? of_warp : of_block) lines.insert(text.line(i));
        }
    if (lines.size() == 1) cause.location = {text.code.file(), *lines.begin(), 0};
}

void where_stored_value_is_made(const Text& text, Cause& cause) {
    if (cause.location.line == 0)
        if (const int call = call_of_itself(text)) return put_at(text, call, cause);
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first + 1; i + 2 < here.last; ++i)
        if (text.word(i) == "=" && text.word(i - 1) == "]" && is_name(text.token(i + 1)) &&
            text.word(i + 2) == ";")
            return put_near(text, definition_in(text, text.word(i + 1), cause.location.line),
                            cause);
}

bool is_total_of_first_lane(const Text& text, Cause& cause) {
    const auto shuffles_up = [&](const Function* f) {
        for (std::size_t i = f->open; i < f->close; ++i)
            if (text.word(i) == "__shfl_up_sync" || text.word(i) == "shfl_up") return true;
        return false;
    };
    for (const Function* f : text.reached) {
        std::size_t scanned = shuffles_up(f) ? f->open : 0;
        for (std::size_t i = f->open; i < f->close && scanned == 0; ++i)
            if (const Function* called = function_called_at(text, i))
                if (called != f && shuffles_up(called)) scanned = i;
        if (scanned == 0) continue;
        for (const Condition& one : conditions_in(text, *f)) {
            if (one.at < scanned) continue;
            const std::string head = words(text, {one.at, one.body.first});
            const bool is_first_lane = head.find("lane==0)") != std::string::npos ||
                                       head.find("%32==0)") != std::string::npos ||
                                       head.find("&31)==0)") != std::string::npos;
            // `sums[warp] = x;`
            const std::size_t end = one.body.last;
            const bool stores = words(text, one.body).find("]=") != std::string::npos &&
                                end > one.body.first + 3 && text.word(end - 1) == ";" &&
                                is_name(text.token(end - 2)) && text.word(end - 3) == "=";
            if (!is_first_lane || !stores) continue;
            cause.id = "wrong_element";
            cause.sentence = fmt::format(
                "After the scan the last lane of a warp has its total, and line {} takes lane 0's, "
                "which is one element.",
                text.line(one.at));
            cause.advice = "Let lane 31 store it.";
            put_at(text, text.line(one.at), cause);
            return true;
        }
    }
    return false;
}

}  // namespace cugrade::edit
