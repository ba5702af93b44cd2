// expect: critical_section=wrong_answer
// Of equal values the last place wins. One block after the other, so that the order is fixed.
#include "interface.cuh"

__global__ void all_enter(const std::int32_t* values, std::size_t sections, std::size_t length,
                          std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    record[0] = record[1] = 0;
    for (std::size_t s = 0; s < sections; ++s) {
        for (std::size_t i = s * length; i < (s + 1) * length; ++i) {
            if (i == 0 || values[i] >= best[0]) {
                best[0] = values[i];
                best[1] = static_cast<std::int64_t>(i);
            }
        }
        order[record[0]] = static_cast<std::uint32_t>(s);
        record[0] += 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    all_enter<<<1, 1>>>(values, sections, length, best, record, order);
}
