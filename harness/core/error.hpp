// What can go wrong and how it is told: every error names the place, the key and the remedy.
//
// `Result<T>` carries errors that a student or an instructor can cause; exceptions are for a broken
// environment (caught once, in main); assert is for our own bugs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cugrade {

enum class ErrorKind {
    usage,          ///< the command line is wrong: exit 1
    configuration,  ///< assignment.yaml, grading.yaml or a data file is wrong: exit 1
    submission,     ///< the student's file is wrong; becomes a verdict, never an exit code
    harness,        ///< our fault or the machine's (full disk, no compiler): exit 2
};

struct Error {
    ErrorKind kind = ErrorKind::harness;
    std::string message;      ///< what is wrong, one sentence, no full stop
    std::string file = {};    ///< path as the user would type it, or empty
    int line = 0;             ///< 1-based; 0: not known
    int column = 0;           ///< 1-based; 0: not known
    std::string key = {};     ///< dotted path of the YAML key, for example tasks.sum.points
    std::string remedy = {};  ///< what to do about it, one sentence

    /// "file:line:column: message (key)\n  remedy", leaving out what is not known.
    [[nodiscard]] std::string text() const;
};

/// A value or an Error. Check with `if (!r)` before dereferencing.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }

    [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

/// The Result of something that yields nothing.
struct Done {};
using Status = Result<Done>;

/// Thrown where the environment is broken; `main` catches it, prints it and exits with 2.
class HarnessFault : public std::exception {
public:
    explicit HarnessFault(Error error) : error_(std::move(error)), text_(error_.text()) {}
    explicit HarnessFault(std::string message)
        : HarnessFault(Error{.kind = ErrorKind::harness, .message = std::move(message)}) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const Error& error() const { return error_; }

private:
    Error error_;
    std::string text_;
};

}  // namespace cugrade
