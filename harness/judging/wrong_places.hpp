// Where wrong elements lie: the first description that fits all of them and hardly any right one.
//
// A place needs so much evidence that elements wrong by chance lie there with a probability of
// about 10^-4 at most, the number of places tried included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade::diagnosis {

/// Where the wrong elements lie ("in the last partial block"), and a question about the usual
/// cause.
struct Place {
    std::string where;
    std::string why;
    std::string_view cause =
        {};  ///< the id of the cause, where elements come from those around them
};

/// The wrong elements of an array.
struct Wrong {
    std::int64_t n, m;
    const std::vector<std::int64_t>& shape;
    const std::vector<std::int64_t>& indices;
    bool plane = shape.size() == 2 && shape[0] > 1 && shape[1] > 1;
    std::int64_t height = plane ? shape[0] : 1;
    std::int64_t width = plane ? shape[1] : n;
    [[nodiscard]] std::int64_t row(std::int64_t i) const { return i / width; }
    [[nodiscard]] std::int64_t column(std::int64_t i) const { return i % width; }
};

/// Nothing if no place fits, if all elements are wrong, or if `indices` is incomplete.
[[nodiscard]] std::optional<Place> place_of(const Wrong&);

}  // namespace cugrade::diagnosis
