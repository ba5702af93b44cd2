// The counters that technique is judged by: their names in grading.yaml and what they mean.
#pragma once

#include <array>
#include <string_view>

namespace cugrade {

struct TechniqueMetric {
    std::string_view name;
    std::string_view meaning;  ///< after the number, as a student reads it
};

/// docs/grading-policy.md defines the quotients.
inline constexpr std::array<TechniqueMetric, 7> technique_metrics{{
    {"global_atomics_per_element", "atomics on global memory per element"},
    {"global_loads_per_output", "loads from global memory per element of the output"},
    {"sectors_per_request", "sectors of 32 bytes per request to global memory"},
    {"sectors_per_needed", "sectors moved for each that the bytes asked for would fill"},
    {"bank_conflicts_per_access", "extra passes over the banks per access to shared memory"},
    {"divergent_branches", "of all branches of warps diverge"},
    {"host_launches", "kernels launched by the host"},
}};

}  // namespace cugrade
