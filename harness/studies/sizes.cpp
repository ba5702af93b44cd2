#include "studies/sizes.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace cugrade {
namespace {

constexpr std::uint64_t largest_size = std::uint64_t{1} << 36;
constexpr std::size_t most_sizes = 200;

Error not_a_size(std::string_view text) {
    return {.kind = ErrorKind::usage,
            .message = fmt::format("`{}` is no size from 1 to 2^36", text),
            .key = "--sizes",
            .remedy = "write numbers, powers and ranges: 2^1..2^30, or 1000,10^4..10^6"};
}

struct Size {
    std::uint64_t value = 0;
    std::uint64_t base = 0;  ///< of a power; 0: a plain number
};

bool read_number(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

Result<Size> read_size(std::string_view text) {
    Size out;
    std::uint64_t exponent = 1;
    const std::size_t caret = text.find('^');
    if (!read_number(text.substr(0, caret), out.value)) return not_a_size(text);
    if (caret != std::string_view::npos) {
        if (!read_number(text.substr(caret + 1), exponent) || exponent > 64 || out.value < 2)
            return not_a_size(text);
        out.base = out.value;
        out.value = 1;
        for (std::uint64_t i = 0; i < exponent; ++i) {
            if (out.value > largest_size / out.base) return not_a_size(text);
            out.value *= out.base;
        }
    }
    if (out.value < 1 || out.value > largest_size) return not_a_size(text);
    return out;
}

}  // namespace

Result<std::vector<std::uint64_t>> parse_sizes(std::string_view text) {
    std::set<std::uint64_t> all;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view item = text.substr(at, comma - at);
        at = comma + 1;
        const std::size_t dots = item.find("..");
        auto first = read_size(item.substr(0, dots));
        if (!first) return first.error();
        if (dots == std::string_view::npos) {
            all.insert(first->value);
            continue;
        }
        auto last = read_size(item.substr(dots + 2));
        if (!last) return last.error();
        if (last->value < first->value)
            return Error{.kind = ErrorKind::usage,
                         .message = fmt::format("the range `{}` goes down", item),
                         .key = "--sizes",
                         .remedy = "write the smaller size first"};
        const std::uint64_t factor =
            first->base != 0 && first->base == last->base ? first->base : 2;
        for (std::uint64_t n = first->value; n <= last->value; n *= factor) {
            all.insert(n);
            if (n > largest_size / factor) break;
        }
    }
    if (all.size() > most_sizes)
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("that is {} sizes", all.size()),
                     .key = "--sizes",
                     .remedy = fmt::format("give {} at most", most_sizes)};
    return std::vector<std::uint64_t>(all.begin(), all.end());
}

}  // namespace cugrade
