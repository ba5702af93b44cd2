// A submission's tasks under the roofs of a GPU: the value that the table, CSV, JSON and figure of
// `cugrade roofline` are made of. After Williams, Waterman, Patterson, "Roofline: an insightful
// visual performance model", CACM 52(4), 2009.
#pragma once

#include <string>
#include <vector>

#include "core/provenance.hpp"
#include "core/verdict.hpp"

namespace cugrade {

/// The GPU's peak rates.
struct Roofs {
    double bytes_per_us = 0;
    double operations_per_us = 0;  ///< of all kinds; the schedulers issue no more
    double doubles_per_us = 0;     ///< operations on doubles
    std::string bandwidth_source, operations_source;
};

struct RooflineTask {
    std::string name;
    Verdict verdict = Verdict::accepted;  ///< the rest counts only where it is `accepted`
    std::string message;                  ///< why there is no point
    std::string description;              ///< "n=33554432 in=uniform": the timed case
    /// For one call: arithmetic instructions of threads (a multiply-add counts as one, index
    /// arithmetic counts too), how many of them are on doubles, and the bytes that each launch
    /// touches.
    double operations = 0, doubles = 0, bytes = 0;
    double median_us = 0, low_us = 0, high_us = 0;
    int samples = 0;
    std::string limited_by;  ///< the bottleneck by the time model; or empty

    [[nodiscard]] bool has_point() const { return verdict == Verdict::accepted; }
    [[nodiscard]] double intensity() const { return operations / bytes; }
    [[nodiscard]] double rate() const { return operations / median_us; }  ///< per microsecond
    /// Least microseconds for the bytes alone, and for the operations alone.
    [[nodiscard]] double memory_us(const Roofs& r) const { return bytes / r.bytes_per_us; }
    [[nodiscard]] double arithmetic_us(const Roofs& r) const {
        return (operations - doubles) / r.operations_per_us + doubles / r.doubles_per_us;
    }
    [[nodiscard]] bool below_memory(const Roofs& r) const {
        return memory_us(r) >= arithmetic_us(r);
    }
    /// Share of the roof above it; 1 can hardly be reached.
    [[nodiscard]] double share(const Roofs& r) const {
        return (below_memory(r) ? memory_us(r) : arithmetic_us(r)) / median_us;
    }
};

struct Roofline {
    static constexpr int schema_version = 1;
    std::string assignment;
    std::string submission_file, submission_sha256;
    Provenance provenance;
    Roofs roofs;
    std::vector<RooflineTask> tasks;  ///< that the submission defines
};

}  // namespace cugrade
