// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace cugrade::process {

class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int get() const { return number_; }
    /// From now on it is the caller's to close.
    [[nodiscard]] int release() { return std::exchange(number_, -1); }
    void close() { *this = Descriptor(); }

private:
    int number_;
};

}  // namespace cugrade::process
