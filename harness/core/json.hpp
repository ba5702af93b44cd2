// JSON that comes from somebody else. For both kinds of nlohmann's values, without a dependency on
// that library.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cugrade {

/// Why a text is refused that is JSON.
struct JsonRefused {
    std::string why;
};

struct JsonLimits {
    int depth = 0;
    std::size_t keys = 0;  ///< of one object
};

/// Parses a text. Throws JsonRefused if it exceeds the limits or has a key twice, and the library's
/// exception if it is no JSON. Values that are nested without limit overflow the stack when they
/// are copied.
template <class Json>
[[nodiscard]] Json parse_json(std::string_view text, const JsonLimits& limits) {
    using Event = typename Json::parse_event_t;
    std::vector<std::set<std::string>> keys;
    return Json::parse(text, [&](int depth, Event event, Json& parsed) {
        if (depth > limits.depth) throw JsonRefused{"it is nested too deeply"};
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end) keys.pop_back();
        if (event == Event::key) {
            auto key = parsed.template get<std::string>();
            if (keys.back().size() == limits.keys) throw JsonRefused{"it has too many keys"};
            if (!keys.back().insert(key).second)
                throw JsonRefused{"the key `" + key + "` is there twice"};
        }
        return true;
    });
}

/// The number, if it is a whole one that T holds.
template <class T, class Json>
[[nodiscard]] std::optional<T> whole_number(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.template get<std::uint64_t>();
        if (std::in_range<T>(number)) return static_cast<T>(number);
    } else if (value.is_number_integer()) {
        const auto number = value.template get<std::int64_t>();
        if (std::in_range<T>(number)) return static_cast<T>(number);
    }
    return std::nullopt;
}

/// The same. Throws JsonRefused if it is none.
template <class T, class Json>
[[nodiscard]] T number_of(const Json& value) {
    const auto number = whole_number<T>(value);
    if (!number) throw JsonRefused{"a whole number is expected"};
    return *number;
}

/// Three such numbers, as of a grid or a block.
template <class T, class Json>
[[nodiscard]] std::array<T, 3> triple_of(const Json& value) {
    if (value.size() != 3) throw JsonRefused{"three numbers are expected"};
    return {number_of<T>(value.at(0)), number_of<T>(value.at(1)), number_of<T>(value.at(2))};
}

}  // namespace cugrade
