#include "judging/reorder.hpp"

#include <cstring>

namespace cugrade {
namespace {

/// `from(i)`: which element comes to place i.
template <class From>
Array taken(const Array& array, From from) {
    Array out = array;
    const std::size_t width = size_of(array.dtype);
    for (std::size_t i = 0; i < array.size(); ++i)
        std::memcpy(out.bytes.data() + i * width, array.bytes.data() + from(i) * width, width);
    return out;
}

}  // namespace

Array reversed(const Array& array) {
    return taken(array, [last = array.size() - 1](std::size_t i) { return last - i; });
}

Array transposed(const Array& array) {
    if (array.shape.size() != 2) return array;
    const auto rows = static_cast<std::size_t>(array.shape[0]);
    const auto columns = static_cast<std::size_t>(array.shape[1]);
    return taken(array, [&](std::size_t i) { return i % rows * columns + i / rows; });
}

}  // namespace cugrade
