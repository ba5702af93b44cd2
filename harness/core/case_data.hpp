// The data of one case, made by the grader, and the answer that an oracle gives to it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array.hpp"
#include "core/spec.hpp"

namespace cugrade {

struct CaseData {
    const TaskSpec* task = nullptr;
    const CaseSpec* spec = nullptr;
    std::uint64_t seed = 0;
    /// One per argument that is not a scalar, in order; outputs hold zeros of the right shape.
    std::map<std::string, Array, std::less<>> buffers;

    [[nodiscard]] const Array& operator[](std::string_view argument) const {
        return buffers.find(argument)->second;
    }
    /// A parameter of the case: a size or a scalar. Precondition: assignment.yaml has it.
    [[nodiscard]] double param(const std::string& key) const { return spec->params.at(key); }
    [[nodiscard]] std::int64_t size(const std::string& key) const {
        return static_cast<std::int64_t>(param(key));
    }
};

/// The right contents of one output or inout argument.
struct Expected {
    std::string argument;
    Array value;
    /// Largest allowed |got - value|, absolute. Empty: exact, bit for bit but for the sign of a
    /// zero; one element: the same bound everywhere; otherwise one per element.
    std::vector<double> bound;
};

/// The answer on the CPU, in higher precision. An oracle runs in its own process and receives one
/// case: there, `task` has no cases and no model, and its folder is unknown.
using ExpectedFn = std::vector<Expected> (*)(const CaseData&);
/// For outputs with many right answers (any order, for example). Returns nothing if `outputs` (by
/// argument name) are right, else a message for the student.
using VerifyFn = std::optional<std::string> (*)(
    const CaseData&, const std::map<std::string, Array, std::less<>>& outputs);

struct TaskOracle {
    std::string_view task;
    ExpectedFn expected = nullptr;
    VerifyFn verify = nullptr;  ///< optional; runs after the comparison with `expected` has passed
};

/// Each reference/<id>/oracle.cpp defines `AssignmentOracle oracle_<id>()` in cugrade::reference;
/// CMake writes the table of all of them.
struct AssignmentOracle {
    std::string_view assignment;
    std::vector<TaskOracle> tasks;
};

}  // namespace cugrade
