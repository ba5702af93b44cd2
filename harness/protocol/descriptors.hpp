// Sends and receives file descriptors over a UNIX socket, beside the first byte of a message
// (SCM_RIGHTS).
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

namespace cugrade::protocol {

inline constexpr std::size_t max_descriptors = 253;  // Linux takes no more at once

/// The part of a message beside its bytes, with room for N descriptors.
template <std::size_t N>
class DescriptorSpace {
public:
    /// Sends `descriptors` along with `message`, at most N. They stay the caller's.
    void fill(msghdr& message, std::span<const int> descriptors) {
        if (descriptors.empty()) return;
        message.msg_control = bytes_;
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    /// Lets `message` receive descriptors.
    void offer(msghdr& message) {
        message.msg_control = bytes_;
        message.msg_controllen = sizeof bytes_;
    }

private:
    alignas(cmsghdr) char bytes_[CMSG_SPACE(N * sizeof(int))] = {};
};

/// Calls f(descriptor) for each descriptor that came with a received message. The caller has to
/// close them.
template <class F>
void for_descriptors(msghdr& message, F&& f) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
            f(descriptor);
        }
    }
}

/// Like send(), without signals. Sends `descriptors` along, at most max_descriptors.
[[nodiscard]] inline ssize_t send_with(int socket, const void* bytes, std::size_t size,
                                       std::span<const int> descriptors) {
    if (descriptors.size() > max_descriptors) {
        errno = EINVAL;
        return -1;
    }
    iovec part{const_cast<void*>(bytes), size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    DescriptorSpace<max_descriptors> space;
    space.fill(message, descriptors);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Like recv(). Adds the descriptors that come along to `descriptors`. An exec closes them;
/// otherwise the caller has to.
[[nodiscard]] inline ssize_t receive_with(int socket, void* to, std::size_t size,
                                          std::vector<int>& descriptors) {
    iovec part{to, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    DescriptorSpace<max_descriptors> space;
    space.offer(message);
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got >= 0) for_descriptors(message, [&](int fd) { descriptors.push_back(fd); });
    return got;
}

}  // namespace cugrade::protocol
