#include "core/closest.hpp"

#include <algorithm>
#include <numeric>

namespace cugrade {
namespace {

// Edit distance in which a swap of neighbours counts once: Damerau's, restricted (optimal string
// alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] =
                std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

}  // namespace

std::string closest(std::string_view name, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const bool is_start = name.size() >= 3 && candidate.starts_with(name);
        const std::size_t d = is_start ? 1 : distance(name, candidate);
        if (d >= best_distance) continue;
        best_distance = d;
        best = candidate;
    }
    return best;
}

}  // namespace cugrade
