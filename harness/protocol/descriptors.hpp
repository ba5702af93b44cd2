// File descriptors that cross a UNIX socket beside the first byte of what is sent (SCM_RIGHTS).
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

/// What a message carries beside its bytes: room for N descriptors.
template <std::size_t N>
class DescriptorSpace {
public:
    /// Sent with `message`, at most N; they stay the caller's.
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
    /// `message` is to be received with what comes with it.
    void offer(msghdr& message) {
        message.msg_control = bytes_;
        message.msg_controllen = sizeof bytes_;
    }

private:
    alignas(cmsghdr) char bytes_[CMSG_SPACE(N * sizeof(int))] = {};
};

/// Calls f(descriptor) for each that came with a received message. They are the caller's to close.
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

/// As send() without signals, at most max_descriptors of `descriptors` with it.
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

/// As recv(); the descriptors that come with it are added to `descriptors`, are closed by an exec,
/// and are the caller's to close.
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
