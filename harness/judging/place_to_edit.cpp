// Theory of operation. A checker names the access that goes wrong, an experiment the instruction
// that was changed. The mistake is often elsewhere: an array that is read before it is set has to
// be set where the kernel sets a part of it, or behind its declaration; a thread that misses a
// barrier has left at a branch. Each id has its rule here; what the source does not show stays as
// it was.
#include "judging/place_to_edit.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "build/lexical.hpp"
#include "judging/edit_text.hpp"
#include "judging/source_places.hpp"

namespace cugrade {
namespace {

void move_to(int line, Cause& cause) {
    if (line <= 0 || line == cause.location.line) return;
    edit::rename_line(cause.advice, cause.location.line, line);
    cause.location.line = line;
    cause.location.column = 0;
}

/// "before line 12" becomes "after line 11".
void put_after(int line, Cause& cause) {
    const std::string before = fmt::format("before line {}", cause.location.line);
    for (std::string* text : {&cause.sentence, &cause.advice})
        if (const std::size_t at = text->find(before); at != std::string::npos)
            text->replace(at, before.size(), fmt::format("after line {}", line));
    move_to(line, cause);
}

/// A barrier goes where all threads of the block come by: outside of the branches around the line.
void outside_of_branches(const TaskSpec&, const SourceText& text, Cause& cause) {
    if (cause.proof != Proof::proven) return;
    if (cause.advice.find(" before line") != std::string::npos)
        return put_after(text.line_before_branches(cause.location.line), cause);
    const int line = text.line_behind_branches(cause.location.line);
    edit::rename_line(cause.sentence, cause.location.line, line);
    move_to(line, cause);
}

/// In front of the launch that counts on it.
void before_the_launch(const TaskSpec&, const SourceText& text, Cause& cause) {
    if (cause.proof != Proof::proven) return;
    cause.advice = fmt::format("Set the output first: cudaMemset before the launch in line {}.",
                               cause.location.line);
    const int line = text.line_before(cause.location.line);
    if (line <= 0) return;
    cause.end_line = cause.location.line;
    cause.location.line = line;
    cause.location.column = 0;
}

/// The branch at which some threads went another way, where that comes first and the barrier is not
/// below it: a thread that has left cannot come to any barrier behind.
void where_they_parted(const TaskSpec&, const SourceText& text, Cause& cause) {
    if (!cause.second || cause.second->file != cause.location.file ||
        cause.second->line >= cause.location.line ||
        text.is_below(cause.location.line, cause.second->line))
        return;
    std::swap(cause.location, *cause.second);
    cause.advice = fmt::format(
        "Let the threads of line {} come to all barriers behind it: put under the condition only "
        "what they must not do, instead of leaving.",
        cause.location.line);
}

/// What is between the first two backquotes.
std::string quoted_name(std::string_view text) {
    const std::size_t begin = text.find('`');
    if (begin == std::string_view::npos) return {};
    const std::size_t end = text.find('`', begin + 1);
    return end == std::string_view::npos ? std::string()
                                         : std::string(text.substr(begin + 1, end - begin - 1));
}

/// Where the kernel sets a part of the array; where it sets nothing, the declaration.
void where_it_is_set(const TaskSpec& task, const SourceText& text, Cause& cause) {
    const int use = cause.location.line;
    std::string array = quoted_name(cause.sentence);
    if (array.empty()) array = quoted_name(cause.instance);
    const int declared = text.shared_declaration(array, use);
    if (declared == 0) return;
    std::string name = text.shared_name(declared);
    int set = text.last_store(name, declared, use);
    // Parts of one piece of memory have names of their own: `float* window = memory + width;`
    if (set == 0)
        if (const std::string part = text.pointer_into(name, declared, use); !part.empty()) {
            set = text.last_store(part, declared, use);
            name = part;
        }
    // What lies outside of the data is skipped, not set to nothing.
    const int head = set > 0 ? text.head_of_branch(set) : 0;
    const bool skips = text.says(head, ">= 0") || text.says(set, ">= 0");
    if (set == 0) {
        cause.advice = fmt::format(
            "Set `{}` behind line {}: each thread stores some of its elements, then "
            "__syncthreads().",
            name, declared);
    } else {
        const bool has_halo = !skips && std::ranges::any_of(task.arguments, [](const ArgumentSpec& one) {
            return one.name == "mask" || one.name == "ghost";
        });
        if (has_halo) cause.id = "halo_missing";
        cause.advice = has_halo ? fmt::format(
                                      "Line {} does not set all elements of `{}` that the mask "
                                      "reaches: load the halo on all sides, corners included.",
                                      set, name)
                                : fmt::format(
                                      "Line {} sets only a part of `{}`: let every element that is "
                                      "read be set, whatever the block's position.",
                                      set, name);
    }
    move_to(set == 0 ? declared : set, cause);
    if (skips && set > head && cause.id == "uninitialised_shared") {
        cause.end_line = set;
        cause.location.line = head;
        return;
    }
    // Or what is not set is not read: what is seen at once can be edited at both ends.
    constexpr int nearby = 6;
    if (set > 0 && use > set && use - set <= nearby && cause.id == "uninitialised_shared")
        cause.end_line = use;
}

struct Move {
    std::string_view id;
    void (*apply)(const TaskSpec&, const SourceText&, Cause&);
};
constexpr auto moves = std::to_array<Move>({
    {"missing_barrier", outside_of_branches},
    {"missing_warp_sync", outside_of_branches},
    {"uninitialised_output", before_the_launch},
    {"divergent_barrier", where_they_parted},
    {"uninitialised_shared", where_it_is_set},
});

}  // namespace

bool move_to_edit(const TaskSpec& task, std::span<const SourceFile> source, Cause& cause) {
    const auto move = std::ranges::find(moves, cause.id, &Move::id);
    if (move == moves.end() || cause.location.line <= 0) return false;
    const std::string_view text = text_of(cause.location.file, source);
    if (text.empty()) return false;
    move->apply(task, SourceText(text), cause);
    return true;
}

}  // namespace cugrade
