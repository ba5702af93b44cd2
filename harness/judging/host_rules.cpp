#include "judging/host_rules.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "judging/step_rules.hpp"

namespace cugrade::edit {
namespace {

/// Work that the host hands to a stream.
struct Work {
    std::size_t at = 0, end = 0;
    std::string stream;  ///< empty: the default one
    std::set<std::string_view> names;
};

/// A call of a function that launches a kernel into a stream that it is given.
std::optional<Work> launched_for(const Text& text, std::size_t call) {
    const Function* f = function_called_at(text, call);
    if (f == nullptr || text.word(call + 1) != "(") return {};
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (launch.at < f->open || launch.at > f->close || launch.numbers.size() < 4) continue;
        // `stream`, or a member of what it is given: `half->stream`
        const Range into = launch.numbers[3];
        const auto at = std::ranges::find(f->parameters, text.word(into.first));
        const auto arguments = arguments_of(text, call + 1);
        const auto n = static_cast<std::size_t>(at - f->parameters.begin());
        if (n >= arguments.size()) continue;
        Range given = arguments[n];
        if (into.last > into.first + 1 && text.word(given.first) == "&") ++given.first;
        Work one{.at = call,
                 .end = text.code.match(call + 1),
                 .stream = words(text, given),
                 .names = {}};
        if (into.last > into.first + 1) one.stream += fmt::format(".{}", text.word(into.last - 1));
        for (const Range& argument : arguments) one.names.merge(names_of(text, argument));
        return one;
    }
    return {};
}

std::vector<Work> work_in(const Text& text, const Function& f) {
    constexpr std::array<std::pair<std::string_view, std::size_t>, 4> asynchronous{
        {{"cudaMemcpyAsync", 4},
         {"cudaMemsetAsync", 3},
         {"cudaMemcpyToSymbolAsync", 5},
         {"cudaMemcpyFromSymbolAsync", 5}}};
    std::vector<Work> all;
    for (const SourceCode::Launch& launch : text.code.launches()) {
        if (launch.at < f.open || launch.at > f.close || launch.numbers.empty()) continue;
        Work one{.at = launch.at, .end = behind(text, launch.at) - 1, .stream = {}, .names = {}};
        if (launch.numbers.size() > 3) one.stream = words(text, launch.numbers[3]);
        for (const Range& argument : launch.arguments) one.names.merge(names_of(text, argument));
        // What it uses without an argument: symbols of the device.
        for (const Function& kernel : text.code.functions())
            if (kernel.name == launch.kernel)
                one.names.merge(names_of(text, {kernel.open, kernel.close}));
        all.push_back(std::move(one));
    }
    for (std::size_t i = f.open; i < f.close; ++i)
        for (const auto& [name, stream] : asynchronous) {
            if (text.word(i) != name || text.word(i + 1) != "(") continue;
            const auto arguments = arguments_of(text, i + 1);
            Work one{.at = i, .end = text.code.match(i + 1), .stream = {}, .names = {}};
            if (arguments.size() > stream) one.stream = words(text, arguments[stream]);
            for (std::size_t n = 0; n < std::min<std::size_t>(2, arguments.size()); ++n)
                one.names.merge(names_of(text, arguments[n]));
            all.push_back(std::move(one));
        }
    for (std::size_t i = f.open; i < f.close; ++i)
        if (auto one = launched_for(text, i)) all.push_back(*std::move(one));
    // `stream.clear(total, bytes)`, which has an asynchronous call in a stream of the object's.
    for (std::size_t i = f.open + 2; i < f.close; ++i) {
        const Function* called = function_called_at(text, i);
        if (called == nullptr || called == &f || text.word(i - 1) != ".") continue;
        for (std::size_t k = called->open; k < called->close; ++k)
            for (const auto& [name, stream] : asynchronous) {
                if (text.word(k) != name || text.word(k + 1) != "(") continue;
                const auto arguments = arguments_of(text, k + 1);
                if (arguments.size() <= stream) continue;
                const std::size_t open = open_of_call(text, i);
                all.push_back({.at = i,
                               .end = text.code.match(open),
                               .stream = fmt::format("{}.{}", text.word(i - 2),
                                                     words(text, arguments[stream])),
                               .names = names_of(text, {open, text.code.match(open)})});
            }
    }
    std::ranges::sort(all, {}, &Work::at);
    for (Work& one : all)
        if (one.stream == "0" || one.stream == "nullptr") one.stream.clear();
    return all;
}

/// The wait belongs between a copy to the host's memory and where the host reads it.
void before_the_host_reads(const Text& text, Cause& cause) {
    for (const Function* f : text.reached)
        for (const Work& copy : work_in(text, *f)) {
            if (text.word(copy.at) != "cudaMemcpyAsync") continue;
            const auto arguments = arguments_of(text, copy.at + 1);
            const auto to = arguments.empty() ? std::set<std::string_view>()
                                              : names_of(text, arguments.front());
            for (std::size_t i = copy.end + 1; i + 1 < f->close; ++i) {
                if (text.word(i).find("Synchronize") != std::string_view::npos) break;
                if (!to.contains(text.word(i)) || text.word(i + 1) != "[") continue;
                cause.advice =
                    fmt::format("Wait between line {} and line {}: cudaStreamSynchronize.",
                                text.line(copy.end), text.line(i));
                return put_between(text, text.line(copy.end), text.line(i), cause);
            }
        }
}

/// The token behind a class's name and its template's arguments: of `Buffer<T> sums(n)`, `sums`.
std::size_t behind_type(const Text& text, std::size_t i) {
    if (text.word(i + 1) != "<") return i + 1;
    constexpr std::size_t most = 16;  // chosen: arguments are few
    for (std::size_t k = i + 2; k < i + most; ++k)
        if (text.word(k) == ">") return k + 1;
    return i + 1;
}

/// The closing brace of the block that a token of the function is in.
std::size_t end_of_block(const Text& text, const Function& f, std::size_t i) {
    std::size_t end = f.close;
    for (std::size_t k = f.open; k < i; ++k)
        if (text.word(k) == "{" && text.code.match(k) > i) end = text.code.match(k);
    return end;
}

bool launches_behind(const Text& text, const Function& f, std::size_t i) {
    return std::ranges::any_of(text.code.launches(), [&](const SourceCode::Launch& launch) {
        return i < launch.at && launch.at < f.close;
    });
}

}  // namespace

void between_streams(const Text& text, Cause& cause) {
    for (const Function* f : text.reached) {
        const auto all = work_in(text, *f);
        for (auto consumer = all.rbegin(); consumer != all.rend(); ++consumer)
            for (auto producer = std::next(consumer); producer != all.rend(); ++producer) {
                if (producer->stream == consumer->stream ||
                    std::ranges::none_of(producer->names, [&](std::string_view name) {
                        return consumer->names.contains(name);
                    }))
                    continue;
                cause.advice = fmt::format(
                    "Wait between line {} and line {}: cudaStreamWaitEvent for an event behind the "
                    "first, or cudaStreamSynchronize.",
                    text.line(producer->end), text.line(consumer->at));
                return put_between(text, text.line(producer->end), text.line(consumer->at), cause);
            }
    }
    before_the_host_reads(text, cause);
}

namespace {

/// The only `cudaFree(scratch);` of a static pointer that nothing sets again behind it: the next
/// call takes it for memory. 0: there is none, or several.
int freed_and_kept(const Text& text) {
    int found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i + 4 < f->close; ++i) {
            if (text.word(i) != "cudaFree" || text.word(i + 3) != ")") continue;
            const std::string_view name = text.word(i + 2);
            bool is_set = false;
            for (std::size_t k = i + 4; k + 1 < f->close; ++k)
                is_set |=
                    text.word(k) == name && (text.word(k + 1) == "=" || text.word(k - 1) == "&");
            const Range made = text.code.tokens_of_line(text.code.origin_of(name, text.line(i)));
            if (is_set || !names_of(text, made).contains("static")) continue;
            if (found > 0) return 0;
            found = text.line(i);
        }
    return found;
}

}  // namespace

void where_it_is_freed_too_early(const Text& text, Cause& cause) {
    if (const int kept = freed_and_kept(text)) {
        cause.advice =
            "Set the pointer, or what says how much memory there is, back to nothing when "
            "it is freed; or keep the memory for the next call.";
        return put_at(text, kept, cause);
    }
    const Function* frees = text.code.around(cause.location.line);
    if (frees == nullptr || launches_behind(text, *frees, frees->open)) return;
    const bool is_destructor = text.word(frees->at - 1) == "~";
    // A copy that a function gets frees what the caller still has.
    for (const Function* f : text.reached)
        for (std::size_t i = f->at + 2; is_destructor && i + 1 < f->open; ++i)
            if (text.word(i - 1) == frees->name && is_name(text.token(i)) &&
                is_any(text.word(i + 1), {",", ")"})) {
                cause.advice = fmt::format(
                    "Take it by reference there, `const {}&`: a copy frees the memory at its end.",
                    frees->name);
                return put_at(text, text.line(i), cause);
            }
    for (const Function* f : text.reached) {
        // The last one in front of a launch: what was freed before that is used by others.
        for (std::size_t i = f->close; i-- > f->open;) {
            if (text.word(i) != frees->name) continue;
            const std::size_t object = behind_type(text, i);
            if (!is_destructor) {
                if (text.word(i + 1) == "(" && launches_behind(text, *f, i))
                    return put_at(text, text.line(i), cause);
                continue;
            }
            // `T* p = Array<T>(n).get();`: the object ends with its statement.
            const std::size_t close =
                is_any(text.word(object), {"(", "{"}) ? text.code.match(object) : object;
            if (close > object && text.word(close + 1) == "." && launches_behind(text, *f, i)) {
                cause.advice =
                    fmt::format("Give the `{}` a name: it ends with its statement.", frees->name);
                return put_at(text, text.line(i), cause);
            }
            const std::size_t end = end_of_block(text, *f, i);
            if (object < text.code.tokens().size() && is_name(text.token(object)) &&
                is_any(text.word(object + 1), {"(", "{"}) && launches_behind(text, *f, end))
                return put_between(text, text.line(i), text.line(end), cause);
        }
    }
}

void where_shape_is_made(const Text& text, Cause& cause) {
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    if (launch == nullptr || launch->numbers.size() < 2) return;
    // `shape.blocks, shape.threads`
    const std::size_t first = launch->numbers[0].first;
    if (launch->numbers[0].last - first != 3 || text.word(first + 1) != "." ||
        text.word(launch->numbers[1].first) != text.word(first))
        return;
    const int made = definition_in(text, text.word(first), cause.location.line);
    const Range line = text.code.tokens_of_line(made);
    for (std::size_t i = line.first; made > 0 && i < line.last; ++i) {
        const Function* called = function_called_at(text, i);
        if (called == nullptr) continue;
        for (std::size_t k = called->open + 1; k < called->close; ++k)
            if (text.word(k) == "{" &&
                (is_any(text.word(k - 1), {"=", "return"}) || text.word(k - 2) == "return"))
                return put_at(text, text.line(k), cause);
    }
}

void where_grid_is_made(const Text& text, Cause& cause) {
    // With as many threads as there are elements no loop goes on, whatever its step is.
    for (const Function* f : text.reached)
        for (const Loop& loop : loops_in(text, *f))
            if (const int step = step_without_factor(text, loop)) {
                cause.id = "wrong_stride";
                cause.proof = Proof::likely;
                cause.evidence.clear();
                put_at(text, step, cause);
                cause.sentence = fmt::format(
                    "The loop in line {} takes several neighbours a round, and goes on by as many "
                    "elements as there are threads: some are taken again.",
                    step);
                cause.advice = "Let the step be as many times larger as a round takes elements.";
                return;
            }
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    if (launch == nullptr || launch->numbers.empty()) return;
    const Range grid = launch->numbers[0];
    if (grid.last - grid.first == 3 && text.word(grid.first + 1) == ".")
        put_near(text, definition_in(text, text.word(grid.first), cause.location.line), cause);
}

namespace {

/// Whether the name is that of an array or a variable of the function: `float c[4]`.
bool is_local_array(const Text& text, const Function& f, std::string_view name, int before) {
    for (std::size_t i = f.open + 1; i + 1 < f.close && text.line(i) <= before; ++i)
        if (text.word(i) == name && text.word(i + 1) == "[" && is_name(text.token(i - 1)) &&
            text.word(i - 1) != "return" && text.word(i - 1) != "else")
            return true;
    return false;
}

/// The launch passes on what its function was given: the only call with an array of the host.
void where_address_is_given(const Text& text, const SourceCode::Launch& launch, Cause& cause) {
    const Function* owner = text.code.around(text.line(launch.at));
    if (owner == nullptr || text.reached.empty() || owner == text.reached.front()) return;
    int found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open; i < f->close; ++i) {
            const std::size_t open = text.word(i) == owner->name ? open_of_call(text, i) : 0;
            if (open == 0 || f == owner) continue;
            for (const std::string_view name : names_of(text, {open, text.code.match(open)}))
                if (is_local_array(text, *f, name, text.line(i))) {
                    if (found > 0 && found != text.line(i)) return;
                    found = text.line(i);
                }
        }
    put_at(text, found, cause);
}

}  // namespace

void where_kernel_takes_address(const Text& text, Cause& cause) {
    const SourceCode::Launch* launch = text.code.launch_at(cause.location.line);
    if (launch == nullptr) return;
    for (const Function& f : text.code.functions()) {
        if (f.name != launch->kernel) continue;
        for (std::size_t i = f.at; i + 1 < f.open; ++i) {
            if (text.word(i) != "&" || !is_name(text.token(i + 1))) continue;
            cause.sentence = fmt::format(
                "`{}` takes `{}` by reference in line {}: what arrives is its address in the "
                "host's memory, which the kernel cannot follow.",
                f.name, text.word(i + 1), text.line(i));
            cause.advice = "Take it by value there: leave the `&` away.";
            return put_at(text, text.line(i), cause);
        }
    }
    // `malloc` is as wrong as the launch that is given what it returns.
    for (const Range& argument : launch->arguments)
        for (const std::string_view name : names_of(text, argument)) {
            const int made = definition_in(text, name, cause.location.line);
            const Range definition = text.code.tokens_of_line(made);
            for (std::size_t i = definition.first; made > 0 && i < definition.last; ++i)
                if (is_any(text.word(i), {"malloc", "calloc", "new"}))
                    return put_near(text, made, cause);
        }
    // `filter.taps = copy.data();`
    const Function* host = text.code.around(text.line(launch->at));
    for (const Range& argument : launch->arguments)
        for (std::size_t i = host == nullptr ? launch->at : host->open; i + 4 < launch->at; ++i) {
            if (text.word(i) != text.word(argument.first) || text.word(i + 1) != "." ||
                text.word(i + 3) != "=")
                continue;
            const std::string value = words(text, {i + 4, behind(text, i + 4) - 1});
            if (value.starts_with("&") || value.ends_with(".data()") ||
                is_local_array(text, *host, value, text.line(i)))
                return put_at(text, text.line(i), cause);
        }
    where_address_is_given(text, *launch, cause);
}

}  // namespace cugrade::edit
