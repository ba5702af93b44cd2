// The elements of an array in another order, as a program takes them that mistakes the order.
#pragma once

#include "core/array.hpp"

namespace cugrade {

/// The last element first.
[[nodiscard]] Array reversed(const Array&);
/// The same shape, with the elements as they lie when column follows column instead of row row. Of
/// an array that has not two dimensions a copy.
[[nodiscard]] Array transposed(const Array&);

}  // namespace cugrade
