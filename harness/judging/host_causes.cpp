// Theory of operation. The emulated GPU knows which call it has refused and why, which launch ended
// with a fault, and which call freed or allocated the memory (HostSide). That is no guess, so it is
// told as proven. Where the executable's line tables have no line for a call (templates of the
// toolkit, such as cudaMalloc of a float*), the source is searched for calls that fit.
#include "judging/host_causes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "judging/source_places.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

using Source = std::span<const SourceFile>;

constexpr auto npos = std::string_view::npos;

bool is_hidden(const CaseOutcome& one) { return one.visibility == Visibility::hidden; }

std::string in_line(const SourceLocation& location) {
    return location.line > 0 ? fmt::format(" in line {}", location.line) : std::string();
}

/// What is between two texts; empty: they are not there.
std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
    const std::size_t begin = text.find(from);
    if (begin == npos) return {};
    text.remove_prefix(begin + from.size());
    const std::size_t end = text.find(to);
    return end == npos ? std::string_view() : text.substr(0, end);
}

/// "c_mask" of "n::c_mask".
std::string_view last_name_of(std::string_view full) {
    const std::size_t colon = full.rfind(':');
    return colon == npos ? full : full.substr(colon + 1);
}

bool is_own(const SourceLocation& location, Source source) {
    return std::ranges::find(source, location.file, &SourceFile::name) != source.end();
}

Cause cause_at(std::string_view id, const std::optional<SourceLocation>& location,
               const CaseOutcome& one) {
    Cause cause{.id = std::string(id)};
    if (location) cause.location = *location;
    cause.explains = {std::string(name(one.verdict)), "out_of_bounds", "freed_memory",
                      "unchecked_error"};
    return cause;
}

Cause proven(Cause cause, std::string evidence) {
    cause.proof = Proof::proven;
    cause.evidence = std::move(evidence);
    return cause;
}

/// The one launch of a kernel, or the one in a line of which the executable knows.
std::optional<WrittenCall> launch_at(std::string_view kernel,
                                     const std::optional<SourceLocation>& location, Source source) {
    std::vector<WrittenCall> launches;
    for (WrittenCall& call : calls_of(kernel, source))
        if (call.is_launch()) launches.push_back(std::move(call));
    if (location) {
        // A launch of several lines has its place in any of them: the last that begins before.
        const WrittenCall* found = nullptr;
        for (const WrittenCall& call : launches)
            if (call.location.file == location->file && call.location.line <= location->line)
                found = &call;
        if (found != nullptr) return *found;
    }
    if (launches.empty()) return {};
    return launches.front();
}

std::optional<SourceLocation> place_of(const std::optional<WrittenCall>& call,
                                       const std::optional<SourceLocation>& known) {
    if (call) return call->location;
    return known;
}

/// Widens a place to the head of the `if` that decides about it.
void begin_at_branch(Source source, Cause& cause) {
    const int line = cause.location.line;
    const int head = SourceText(text_of(cause.location.file, source)).head_of_branch(line);
    if (head == line || line <= 0) return;
    cause.location.line = head;
    cause.location.column = 0;
    cause.end_line = line;
}

// ----------------------------------------------------------------------------- refused launches

/// Of a launch by the host: "kernel launch: k(int): a block of (2048, 1, 1) threads: ..."; of one
/// by a kernel: "launch of k(int) with blocks of 2048x1x1 = 2048 threads; at most ... (in the
/// kernel p(int), line 7 of a.cu)".
struct Refusal {
    std::string kernel;
    std::string reason;
    std::optional<SourceLocation> location;
};

std::optional<Refusal> refusal_of(const CaseOutcome& one, Source source) {
    const std::string_view said = one.host.failed_call;
    for (const std::string_view api :
         {": kernel launch: ", ": cudaLaunchKernelExC: ", ": cudaLaunchCooperativeKernel: "}) {
        const std::size_t begin = said.find(api);
        if (begin == npos) continue;
        const std::string_view rest = said.substr(begin + api.size());
        // A parameter list has colons of its own: "n::k(n::T)".
        const std::size_t colon = rest.find("): ");
        if (colon == npos) return {};
        Refusal out{.kernel = kernel_name(rest),
                    .reason = std::string(rest.substr(colon + 3)),
                    .location = one.host.failed_at};
        return out;
    }
    const std::size_t begin = said.find(": launch of ");
    const std::size_t end = said.find(" (in the kernel ");
    if (begin == npos || end == npos) return {};
    const std::string_view what = said.substr(begin + 12, end - begin - 12);
    const std::size_t with = what.rfind(" with ");
    if (with == npos) return {};
    Refusal out{
        .kernel = kernel_name(what), .reason = std::string(what.substr(with + 1)), .location = {}};
    const std::string_view line = between(said.substr(end), "line ", " of ");
    if (!line.empty()) {
        SourceLocation location;
        for (const char c : line)
            if (c >= '0' && c <= '9') location.line = location.line * 10 + (c - '0');
        const std::size_t file = said.rfind(" of ");
        location.file = std::string(said.substr(file + 4));
        if (location.file.ends_with(')')) location.file.pop_back();
        if (is_own(location, source)) out.location = location;
    }
    return out;
}

std::optional<Cause> refused_launch(const CaseOutcome& one, Source source) {
    const auto refusal = refusal_of(one, source);
    if (!refusal) return {};
    struct Kind {
        std::string_view says, what, advice;
    };
    static constexpr Kind kinds[] = {
        {"shared memory", "asks for more shared memory than a block may have",
         "Take another way where it does not fit in 48 KiB (a part at a time, or global memory); "
         "up "
         "to the limit of the GPU, cudaFuncSetAttribute with "
         "cudaFuncAttributeMaxDynamicSharedMemorySize allows more."},
        {"__launch_bounds__", "asks for more threads per block than __launch_bounds__ allows",
         "Launch no more threads per block than the kernel's __launch_bounds__ says."},
        {"a cooperative grid", "asks for more blocks than the device holds at once",
         "Launch as many blocks as fit at once, and let each do several pieces in a loop."},
        {"a block of", "asks for a block of more than 1024 threads, or of none",
         "Give the block a fixed number of threads, 1 to 1024, and let more blocks, or a loop in "
         "the "
         "kernel, do the rest."},
        {"blocks of", "asks for a block of more than 1024 threads, or of none",
         "Give the block a fixed number of threads, 1 to 1024, and let more blocks, or a loop in "
         "the "
         "kernel, do the rest."},
        {"a grid of", "asks for a grid of too many blocks, or of none",
         "Launch at least 1 block (return early if there is nothing to do), and at most 65535 in y "
         "and z."},
    };
    const auto* kind = std::ranges::find_if(
        kinds, [&](const Kind& row) { return refusal->reason.find(row.says) != npos; });
    if (kind == std::end(kinds)) return {};
    const auto launch = launch_at(refusal->kernel, refusal->location, source);
    Cause cause = cause_at("launch_refused", place_of(launch, refusal->location), one);
    // Whether it is launched may be asked in front of it, and then asks too little.
    if (kind->says == "shared memory") begin_at_branch(source, cause);
    std::string why = fmt::format("it {}", kind->what);
    if (!is_hidden(one)) {
        why = fmt::format("it {} {}",
                          refusal->reason.starts_with("with ") ? "is launched" : "asks for",
                          refusal->reason);
    }
    cause.sentence = fmt::format("The launch of `{}`{} is refused, so the kernel never runs: {}.",
                                 refusal->kernel,
                                 launch ? in_line(launch->location) : in_line(cause.location), why);
    cause.advice = kind->advice;
    return proven(std::move(cause), "the emulated GPU refuses the launch, as a GPU does");
}

// -------------------------------------------------------------------------------- refused copies

constexpr std::string_view sides[] = {"host", "device"};

/// "cudaMemcpyHostToDevice" of "host" and "device".
std::string direction(std::string_view from, std::string_view to) {
    const auto capital = [](std::string_view side) { return side == "host" ? "Host" : "Device"; };
    return fmt::format("cudaMemcpy{}To{}", capital(from), capital(to));
}

/// Calls of `api` that could be the one that was refused.
std::optional<SourceLocation> only_call(std::string_view api, Source source, auto fits) {
    std::optional<SourceLocation> found;
    for (const WrittenCall& call : calls_of(api, source)) {
        if (!fits(call)) continue;
        if (found) return {};
        found = call.location;
    }
    return found;
}

std::optional<Cause> refused_copy(const CaseOutcome& one, Source source) {
    const std::string_view said = one.host.failed_call;
    const std::string_view api = between(said, ": ", ": ");
    if (!api.starts_with("cudaMemcpy")) return {};
    const bool of_symbol = api.find("Symbol") != npos;
    if (said.find(" was asked for") != npos) {
        const std::string_view rest = said.substr(said.find(api) + api.size() + 2);
        const std::string asked(rest.substr(0, rest.find(' ')));
        const auto side = [](std::string_view text) {
            const auto* found = std::ranges::find_if(
                sides, [&](std::string_view s) { return text.starts_with(s); });
            return found == std::end(sides) ? std::string_view() : *found;
        };
        const auto behind = [&](std::string_view text) {
            const std::size_t at = rest.find(text);
            return at == npos ? std::string_view() : side(rest.substr(at + text.size()));
        };
        const std::string_view to = behind("the destination is a ");
        const std::string_view from = behind("the source a ");
        if (to.empty() || from.empty()) return {};
        const std::string right = direction(from, to);
        // The default of a copy to a symbol stands in no source.
        const auto fits = [&](const WrittenCall& call) {
            const auto names = [&](const std::string& argument) {
                return argument.find(asked) != npos;
            };
            const auto names_any = [](const std::string& argument) {
                return argument.find("cudaMemcpy") != npos;
            };
            return std::ranges::any_of(call.arguments, names) ||
                   (of_symbol && std::ranges::none_of(call.arguments, names_any));
        };
        auto place = one.host.failed_at;
        if (!place || !is_own(*place, source)) place = only_call(api, source, fits);
        Cause cause = cause_at("wrong_copy_direction", place, one);
        cause.sentence = fmt::format(
            "`{}`{} is given {}, but copies from {} memory to {} memory, so the call fails and "
            "nothing is copied.",
            api, in_line(cause.location), asked, from, to);
        cause.advice = of_symbol
                           ? fmt::format("Name the direction: `{}(..., bytes, 0, {})`.", api, right)
                           : fmt::format(
                                 "Write {} there; the destination is the first argument, the "
                                 "source the second.",
                                 right);
        return proven(std::move(cause), "the emulated GPU refuses the copy, as CUDA does");
    }
    if (of_symbol && said.find(", which has ") != npos) {
        const std::string variable(between(said, " of `", "`"));
        const auto declared = declaration_of(last_name_of(variable), source);
        Cause cause =
            cause_at("array_too_small",
                     declared ? std::optional(declared->location) : one.host.failed_at, one);
        cause.sentence = fmt::format(
            "`{}`{} is smaller than what `{}` copies into it{}.", variable,
            declared ? in_line(declared->location) : std::string(), api,
            is_hidden(one) ? std::string()
                           : fmt::format(": {}", said.substr(said.find(api) + api.size() + 2)));
        cause.advice =
            "Make it as large as the largest input needs, or take another way where it does not "
            "fit.";
        return proven(std::move(cause), "the copy is refused, as CUDA does");
    }
    return {};
}

// ---------------------------------------------------------------- pointers to the wrong memory

std::optional<Cause> device_pointer_on_host(const CaseOutcome& one, Source source) {
    if (one.verdict != Verdict::crash) return {};
    const std::string_view said = one.host.failed_call;
    constexpr std::string_view begins = "host code dereferenced a device address, ";
    if (!said.starts_with(begins)) return {};
    Cause cause = cause_at("device_pointer_on_host", one.host.failed_at, one);
    if (!is_own(cause.location, source)) cause.location = {};
    const std::string_view buffer = between(said, "`", "`");
    cause.sentence = fmt::format(
        "The host reads or writes device memory{}{}, which only kernels can use.",
        buffer.empty() ? std::string() : fmt::format(" (`{}`)", buffer), in_line(cause.location));
    cause.advice =
        "Use cudaMemset or cudaMemcpy for it, or do it in a kernel: the host has the address only.";
    return proven(std::move(cause), "the host's code was ended there");
}

/// An argument that is the address of the host's memory, if the source tells which.
std::string host_argument(const WrittenCall& launch, Source source, bool& is_symbol) {
    std::string found;
    for (const std::string& argument : launch.arguments) {
        const std::string variable = variable_of(argument);
        const auto declared =
            declaration_of(variable, launch.location.file, launch.location.line, source);
        if (!declared || (!declared->is_array && argument.find('&') == npos)) continue;
        if (declared->has("__managed__")) continue;
        if (!found.empty()) return {};
        found = variable;
        is_symbol = declared->has("__constant__") || declared->has("__device__");
    }
    return found;
}

std::optional<Cause> host_pointer(const CaseOutcome& one, Source source) {
    if (one.verdict != Verdict::out_of_bounds || one.host.kernel.empty()) return {};
    // Of a hidden case the message tells nothing.
    const bool told = one.message.find("no device address") != npos;
    if (!told) return {};
    const std::string kernel = kernel_name(one.host.kernel);
    const auto launch = launch_at(kernel, one.host.launched_at, source);
    if (!launch) return {};
    bool is_symbol = false;
    const std::string argument = host_argument(*launch, source, is_symbol);
    Cause cause = cause_at("host_pointer_in_kernel", launch->location, one);
    if (one.location) cause.second = one.location;
    if (argument.empty()) {
        cause.sentence = fmt::format(
            "`{}` uses{} a pointer that is no device address: the launch{} seems to pass a pointer "
            "to the host's memory.",
            kernel, one.location ? in_line(*one.location) : std::string(), in_line(cause.location));
        cause.advice =
            "Copy the data to device memory (cudaMalloc, cudaMemcpy), and pass that pointer.";
        return cause;
    }
    cause.sentence = fmt::format(
        "The launch of `{}`{} passes `{}`, which on the host is an address of the host's memory; "
        "the kernel cannot follow it.",
        kernel, in_line(cause.location), argument);
    cause.advice = is_symbol ? fmt::format(
                                   "Use `{}` by its name in the kernel, and pass no pointer "
                                   "(or pass the one that cudaGetSymbolAddress gives).",
                                   argument)
                             : fmt::format(
                                   "Copy `{}` to device memory (cudaMalloc, cudaMemcpy), and "
                                   "pass that pointer.",
                                   argument);
    return proven(std::move(cause), "the kernel faults at an address that is none of the device's");
}

// ---------------------------------------------------------------------------- memory and sizes

std::optional<Cause> used_after_free(const CaseOutcome& one, Source source) {
    if (one.verdict != Verdict::out_of_bounds || !one.host.memory_is_freed) return {};
    const std::string kernel = kernel_name(one.host.kernel);
    auto place = one.host.memory_at;
    const auto launch = launch_at(kernel, one.host.launched_at, source);
    if ((!place || !is_own(*place, source)) && launch) {
        place = only_call("cudaFree", source, [&](const WrittenCall& call) {
            return !call.arguments.empty() &&
                   std::ranges::find(launch->arguments, call.arguments.front()) !=
                       launch->arguments.end();
        });
    }
    Cause cause = cause_at("use_after_free", place ? place : one.location, one);
    if (place && one.location) cause.second = one.location;
    std::string freed = "memory";
    if (place)
        for (const WrittenCall& call : calls_of("cudaFree", source))
            if (call.location.line == place->line && call.arguments.size() == 1)
                freed = fmt::format("`{}`", call.arguments.front());
    cause.sentence = fmt::format(
        "{} frees {} that {}{} uses afterwards.",
        place ? fmt::format("Line {}", place->line) : std::string("The program"), freed,
        kernel.empty() ? std::string("a kernel") : fmt::format("`{}`", kernel),
        launch ? fmt::format(", launched{},", in_line(launch->location)) : std::string());
    cause.advice = launch && place && launch->location.line < place->line
                       ? "Free it where nothing uses it any more: a pointer that is kept for the "
                         "next call, or "
                         "used by another launch, must be allocated again first."
                       : "Free it after the last kernel that uses it.";
    return proven(std::move(cause), "the memory was freed by then");
}

/// What the array that was overrun is, as far as the message and the line tell.
std::optional<Cause> small_array(const CaseOutcome& one, Source source) {
    if (one.verdict != Verdict::out_of_bounds || !one.location) return {};
    const std::string_view says = one.message;
    const bool is_past = says.find(" past the end of ") != npos;
    if (!is_past) return {};
    const auto of_declaration = [&](const Declaration& declared, std::string_view name) {
        Cause cause = cause_at("array_too_small", declared.location, one);
        cause.second = one.location;
        cause.sentence = fmt::format(
            "`{}` has {} elements, and line {} uses an index beyond them.", name,
            declared.extent.empty() ? std::string("too few") : fmt::format("`{}`", declared.extent),
            one.location->line);
        cause.advice = fmt::format(
            "Make `{}` as large as the largest index that is used, plus one, or keep that index "
            "out.",
            name);
        return cause;
    };
    if (says.find("shared memory") != npos) {
        std::optional<Declaration> found;
        std::string name;
        for (const std::string& one_name :
             names_in(one.location->file, one.location->line, source)) {
            auto declared =
                declaration_of(one_name, one.location->file, one.location->line, source);
            if (!declared || !declared->has("__shared__") || !declared->is_array) continue;
            if (found && found->extent != declared->extent) return {};  // which of them?
            if (found) continue;
            found = std::move(declared);
            name = one_name;
        }
        if (!found) return {};
        if (!found->has("extern")) return of_declaration(*found, name);
        const std::string kernel = kernel_name(one.host.kernel);
        const auto launch = launch_at(kernel, one.host.launched_at, source);
        if (!launch) return {};
        Cause cause = cause_at("array_too_small", launch->location, one);
        cause.second = one.location;
        cause.sentence = fmt::format(
            "The launch of `{}`{} gives `{}` too few bytes of dynamic shared memory{}: line {} "
            "uses "
            "an index beyond them.",
            kernel, in_line(launch->location), name,
            launch->configuration.size() > 2 ? fmt::format(", `{}`", launch->configuration[2])
                                             : std::string(", none"),
            one.location->line);
        cause.advice =
            "Make the third number in <<<>>> the number of elements times sizeof of their type.";
        return cause;
    }
    const std::string variable(between(says, " past the end of `", "`"));
    if (variable.empty()) return {};
    const std::string name(last_name_of(variable));
    if (const auto declared = declaration_of(name, source);
        declared && declared->is_array &&
        (declared->has("__constant__") || declared->has("__device__")))
        return of_declaration(*declared, name);
    if (!variable.starts_with("allocation ")) return {};
    // Memory of the program's own: it chose the size.
    const std::string kernel = kernel_name(one.host.kernel);
    const auto launch = launch_at(kernel, one.host.launched_at, source);
    auto place = one.host.memory_at;
    std::string array;
    if (!place || !is_own(*place, source)) {
        place.reset();
        if (!launch) return {};
        for (const std::string_view api : {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"})
            for (const WrittenCall& call : calls_of(api, source)) {
                if (call.arguments.empty()) continue;
                const std::string allocated = variable_of(call.arguments.front());
                const auto passes = [&](const std::string& argument) {
                    return !allocated.empty() && variable_of(argument) == allocated;
                };
                if (!std::ranges::any_of(launch->arguments, passes)) continue;
                if (place && call.location.line != place->line) return {};  // one of several
                place = call.location;
                array = allocated;
            }
        if (!place) return {};
    }
    Cause cause = cause_at("array_too_small", place, one);
    // Or it is not allocated again, where it should be.
    begin_at_branch(source, cause);
    cause.second = one.location;
    cause.sentence = fmt::format(
        "{} allocates too little{}: `{}` uses an index beyond it in line {}.",
        place->line > 0 ? fmt::format("Line {}", place->line) : std::string("The program"),
        array.empty() ? std::string() : fmt::format(" for `{}`", array), kernel,
        one.location->line);
    cause.advice =
        "Allocate as many bytes as this call's input needs, at every call or when it grows.";
    return cause;
}

}  // namespace

std::optional<Cause> host_cause(const CaseOutcome& one, std::span<const SourceFile> source) {
    using Rule = std::optional<Cause> (*)(const CaseOutcome&, Source);
    static constexpr Rule rules[] = {device_pointer_on_host, used_after_free, refused_copy,
                                     refused_launch,         host_pointer,    small_array};
    for (const Rule rule : rules)
        if (auto cause = rule(one, source)) return cause;
    return {};
}

}  // namespace cugrade
