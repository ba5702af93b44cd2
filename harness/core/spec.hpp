// The facts of an assignment, as assignment.yaml states them: tasks, arguments, cases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/error.hpp"

namespace cugrade {

enum class Role {
    input,   ///< device pointer, filled before the call; must not change
    output,  ///< device pointer, poisoned before the call; every element must be written
    inout,   ///< device pointer, filled before the call, compared afterwards
    scalar,  ///< passed by value; its value is the case's parameter of the same name
};

/// One parameter of the student's function, in the function's order.
struct ArgumentSpec {
    std::string name;
    DType dtype = DType::u8;
    Role role = Role::input;
    std::vector<std::string> shape;  ///< each a parameter's name or an integer; empty for a scalar
};

/// How the contents of one input are made. datasets/generators.hpp has the names.
struct DataSpec {
    std::string generator;                  ///< "uniform", "zipf", ..., or "file"
    std::map<std::string, double> numbers;  ///< the generator's parameters
    std::string file;                       ///< for "file": relative to the assignment's folder
};

enum class Visibility { open, hidden };  ///< "public" and "hidden" in YAML and reports

struct CaseSpec {
    int id = 0;  ///< 1-based, in the order of assignment.yaml after lists are expanded
    Visibility visibility = Visibility::open;
    bool needs_gpu = false;  ///< too large for the emulated GPU
    bool timed = false;      ///< the performance part is measured on this case (implies needs_gpu)
    /// Counted for the time model: its seed follows from the course's secret, and is the same for
    /// all students, so that the baseline is counted once.
    bool for_model = false;
    std::map<std::string, double> params;  ///< sizes and scalars; integers up to 2^53 are exact
    std::map<std::string, DataSpec> data;  ///< per input or inout argument
};

struct TaskSpec {
    std::string name;      ///< "sum"
    std::string title;     ///< one line for reports
    std::string function;  ///< the C++ name of the student's function, "reduce_sum"
    std::vector<ArgumentSpec> arguments;
    std::vector<CaseSpec> cases;
    /// Two smaller versions of the timed case, the smaller one first: counts on the timed case are
    /// extrapolated from them. Empty: speed is not judged without a GPU.
    std::vector<CaseSpec> model;
    /// The arguments that a call has to read or write in full: a time too short for memory to move
    /// them is impossible. Defaults to all buffers.
    std::vector<std::string> moves;
    bool dynamic_parallelism = false;  ///< its kernels may launch kernels
    int withheld = 0;                  ///< hidden cases that this copy of assignment.yaml lacks

    /// One of `cases`; null if none is timed.
    [[nodiscard]] const CaseSpec* timed_case() const;
};

/// The number of elements of a buffer argument of a case; a double, which cannot wrap around.
[[nodiscard]] double elements_of(const ArgumentSpec&, const CaseSpec&);
/// The number of elements of a case's largest argument: counts grow with it.
[[nodiscard]] std::uint64_t largest_argument(const TaskSpec&, const CaseSpec&);

/// Instructions that a submission must not contain: `atom.add.f64` where the task is to build
/// it from a compare-and-swap. Matched against the PTX, modifiers in any order.
struct ForbiddenInstruction {
    std::string opcode;                  ///< "atom"
    std::vector<std::string> modifiers;  ///< all of them must be present: {"add", "f64"}
    std::string message;                 ///< told to the student
};

struct AssignmentSpec {
    std::string id;     ///< "reduction"; the folder's name
    std::string title;  ///< "Reduction"
    std::filesystem::path folder;
    std::vector<TaskSpec> tasks;
    std::vector<std::string> ungraded_tasks;  ///< names of tasks that the policy leaves out
    std::vector<ForbiddenInstruction> forbidden;
};

/// An assignment that is there and is not graded.
struct LeftOut {
    std::string id;
    /// Its assignment.yaml is wrong (`configuration`), or the policy does not name it (`usage`).
    Error why;
    [[nodiscard]] bool is_broken() const { return why.kind == ErrorKind::configuration; }
};

}  // namespace cugrade
