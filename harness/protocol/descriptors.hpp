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

/// As send() without signals, at most max_descriptors of `descriptors` with it.
[[nodiscard]] inline ssize_t send_with(int socket, const void* bytes, std::size_t size,
                                       std::span<const int> descriptors) {
    alignas(cmsghdr) char control[CMSG_SPACE(max_descriptors * sizeof(int))] = {};
    iovec part{const_cast<void*>(bytes), size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptors.size() > max_descriptors) {
        errno = EINVAL;
        return -1;
    }
    if (!descriptors.empty()) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// As recv(); the descriptors that come with it are added to `descriptors`, are closed by an exec,
/// and are the caller's to close.
[[nodiscard]] inline ssize_t receive_with(int socket, void* to, std::size_t size,
                                          std::vector<int>& descriptors) {
    alignas(cmsghdr) char control[CMSG_SPACE(max_descriptors * sizeof(int))];
    iovec part{to, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t before = descriptors.size();
        const std::size_t more = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        descriptors.resize(before + more);
        std::memcpy(descriptors.data() + before, CMSG_DATA(header), more * sizeof(int));
    }
    return got;
}

}  // namespace cugrade::protocol
