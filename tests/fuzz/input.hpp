// What the fuzzers' targets share: the input as bytes, as a file and as what a socket gives.
#pragma once

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "process/descriptor.hpp"

namespace cugrade::fuzz {

/// A property that holds for every input.
inline void require(bool property) {
    if (!property) __builtin_trap();
}
/// A refusal says what is wrong.
template <class T>
void require_reason(const Result<T>& result) {
    require(result.ok() || !result.error().message.empty());
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory that holds the input; its path.
class InputFile {
public:
    InputFile() : file_(memfd_create("input", MFD_CLOEXEC)) {}
    const std::string& path(std::string_view content) {
        require(ftruncate(file_.get(), 0) == 0);
        for (std::size_t at = 0; at < content.size();) {
            const ssize_t n = pwrite(file_.get(), content.data() + at, content.size() - at,
                                     static_cast<off_t>(at));
            require(n > 0);
            at += static_cast<std::size_t>(n);
        }
        return path_;
    }

private:
    process::Descriptor file_;
    std::string path_ = "/proc/self/fd/" + std::to_string(file_.get());
};

/// A socket from which the input comes and then the end of it.
inline process::Descriptor socket_with(std::string_view content) {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const process::Descriptor writer(ends[1]);
    process::Descriptor reader(ends[0]);
    // What does not fit is left out: no reader takes that much before it answers.
    (void)!send(writer.get(), content.data(), content.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(writer.get(), SHUT_WR);
    return reader;
}

}  // namespace cugrade::fuzz
