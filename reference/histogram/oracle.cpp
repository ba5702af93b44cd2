// Histograms on the CPU. Counting is exact, so there is no error bound.
//
// Four tables take turns: an increment that follows one of the same counter would have to wait for
// its store, which makes constant data ten times slower than random data.
#include <algorithm>
#include <array>

#include "core/case_data.hpp"
#include "core/error.hpp"

namespace cugrade::reference {
namespace {

template <class T>
std::vector<Expected> count(std::span<const T> in, std::size_t bin_count) {
    std::array<std::vector<std::uint32_t>, 4> tables;
    tables.fill(std::vector<std::uint32_t>(bin_count));
    std::uint32_t* const table[4] = {tables[0].data(), tables[1].data(), tables[2].data(),
                                     tables[3].data()};
    T largest = 0;
    for (const T value : in) largest = std::max(largest, value);
    if (!in.empty() && largest >= bin_count)
        throw HarnessFault(Error{.kind = ErrorKind::configuration,
                                 .message = "histogram: the data has the value " +
                                            std::to_string(largest) + ", but there are only " +
                                            std::to_string(bin_count) + " bins",
                                 .remedy = "Let the case's generator stay below bin_count."});
    std::size_t i = 0;
    for (; i + 4 <= in.size(); i += 4)
        for (std::size_t k = 0; k < 4; ++k) ++table[k][in[i + k]];
    for (; i < in.size(); ++i) ++table[0][in[i]];

    Expected bins{.argument = "bins",
                  .value = Array(DType::u32, {static_cast<std::int64_t>(bin_count)}),
                  .bound = {}};
    const std::span<std::uint32_t> sum = bins.value.as<std::uint32_t>();
    for (std::size_t bin = 0; bin < bin_count; ++bin)
        sum[bin] = table[0][bin] + table[1][bin] + table[2][bin] + table[3][bin];
    std::vector<Expected> all;
    all.push_back(std::move(bins));
    return all;
}

std::vector<Expected> bytes(const CaseData& data) {
    return count(data["in"].as<std::uint8_t>(), 256);
}

std::vector<Expected> bins(const CaseData& data) {
    return count(data["in"].as<std::uint32_t>(), static_cast<std::size_t>(data.size("bin_count")));
}

}  // namespace

AssignmentOracle oracle_histogram() {
    return {"histogram",
            {{.task = "bytes", .expected = bytes}, {.task = "bins", .expected = bins}}};
}

}  // namespace cugrade::reference
