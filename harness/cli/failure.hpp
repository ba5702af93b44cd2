// Errors on their way to main, which prints them and chooses the exit code.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace cugrade::cli {

class Failure : public std::exception {
public:
    explicit Failure(Error error) : error_(std::move(error)), text_(error_.text()) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const Error& error() const { return error_; }

private:
    Error error_;
    std::string text_;
};

template <class T>
T value_of(Result<T> result) {
    if (!result) throw Failure(result.error());
    return *std::move(result);
}

inline void check(const Status& status) {
    if (!status) throw Failure(status.error());
}

}  // namespace cugrade::cli
