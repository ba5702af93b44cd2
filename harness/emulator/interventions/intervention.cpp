#include "emulator/interventions/intervention.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/printable.hpp"

namespace cugrade::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view names[] = {
    "comparison",
    "barrier",
    "warp_barrier",
    "fence",
    "atomic",
    "ignore_outside",
    "by_elements",
    "meeting",
    "shared_array",
    "together",
    "unsigned_byte",
    "wide_arithmetic",
    "wide_accumulator",
    "reinterpret",
    "full_mask",
    "shuffle_lane",
    "constant",
    "parameter",
    "element",
    "identity",
    "stride",
    "global_index",
    "unclamped",
    "adding_store",
    "widened_sign",
    "other_sign",
    "untruncated",
    "release",
    "acquire",
    "retry",
    "compare_bits",
    "odd_halving",
    "counter_wrap",
    "zero_shared",
    "zero_memory",
    "grid_larger",
    "launch_swapped",
    "launch_xy",
    "dynamic_shared",
    "block_rounded",
    "numbers_exchanged",
    "copy_bytes",
    "fill_bytes",
    "fill_numbers",
    "allocate_bytes",
    "streams_waited_for",
    "children_first",
    "children_in_tail",
};
static_assert(std::size(names) == static_cast<std::size_t>(InterventionKind::count));

// Chosen: interventions have a depth of 3 and objects of 8 keys.
constexpr JsonLimits limits{.depth = 16, .keys = 100};

}  // namespace

std::string_view name_of(InterventionKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<InterventionKind> intervention_kind(std::string_view name) {
    const auto* it = std::ranges::find(names, name);
    if (it == std::end(names)) return std::nullopt;
    return static_cast<InterventionKind>(it - std::begin(names));
}

std::string to_json(std::span<const Intervention> list) {
    Json all = Json::array();
    for (const Intervention& one : list)
        all.push_back({{"kind", name_of(one.kind)},
                       {"function", one.function},
                       {"instruction", one.instruction},
                       {"value", one.value},
                       {"file", one.place.file},
                       {"line", one.place.line},
                       {"column", one.place.column},
                       {"text", one.text}});
    // Names come from the submission and need not be UTF-8.
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<Intervention>> interventions_from_json(std::string_view text) {
    const auto unreadable = [](const std::string& why) {
        return Error{.kind = ErrorKind::harness,
                     .message = "a list of interventions cannot be read: " + clean(why, 300, false),
                     .remedy = "check that cugrade and its emulator are of the same version"};
    };
    std::vector<Intervention> list;
    try {
        for (const Json& from : parse_json<Json>(text, limits)) {
            const auto word = from.at("kind").get<std::string>();
            const auto kind = intervention_kind(word);
            if (!kind) return unreadable("there is no kind " + word);
            list.push_back(
                {.kind = *kind,
                 .function = from.at("function").get<std::string>(),
                 .instruction = number_of<std::uint32_t>(from.at("instruction")),
                 .value = number_of<std::int64_t>(from.at("value")),
                 .place = {from.at("file").get<std::string>(), number_of<int>(from.at("line")),
                           number_of<int>(from.at("column"))},
                 .text = from.at("text").get<std::string>()});
        }
    } catch (const JsonRefused& refused) {
        return unreadable(refused.why);
    } catch (const Json::exception& error) {
        return unreadable(error.what());
    }
    return list;
}

}  // namespace cugrade::emulator
