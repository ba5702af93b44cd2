#include "emulator/server/connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "protocol/descriptors.hpp"

namespace cugrade::emulator {

Answer Answer::failed(std::uint32_t error, std::string_view text) {
    Answer a;
    a.head.error = error;
    a.append_text(text.substr(0, protocol::max_text));
    return a;
}

Connection::~Connection() {
    if (descriptor_ >= 0) close(descriptor_);
    if (reply_.descriptor >= 0) close(reply_.descriptor);
    close(fd_);
}

int Connection::take_descriptor() {
    const int fd = descriptor_;
    descriptor_ = -1;
    return fd;
}

Connection::Progress Connection::receive() {
    for (;;) {
        iovec part{};
        const bool in_header = received_ < sizeof request_;
        if (in_header) {
            part = {reinterpret_cast<char*>(&request_) + received_, sizeof request_ - received_};
        } else {
            const std::size_t have = received_ - sizeof request_;
            part = {payload_.data() + have, request_.payload - have};
        }
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        cugrade::protocol::DescriptorSpace<1> space;
        space.offer(message);
        const ssize_t got = recvmsg(fd_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Progress::incomplete;
        if (got <= 0) return Progress::closed;
        cugrade::protocol::for_descriptors(message, [this](int fd) {
            if (descriptor_ >= 0) close(descriptor_);
            descriptor_ = fd;
        });
        received_ += static_cast<std::size_t>(got);
        if (in_header && received_ == sizeof request_) {
            if (request_.magic != protocol::emulator_magic || request_.payload > max_payload_)
                return Progress::closed;
            // Grows with the largest request seen and keeps its size.
            if (payload_.size() < request_.payload) payload_.resize(request_.payload);
        }
        if (received_ >= sizeof request_ && received_ == sizeof request_ + request_.payload) {
            received_ = 0;
            return Progress::request;
        }
    }
}

void Connection::answer(Answer a) {
    reply_ = std::move(a);
    reply_.head.payload = static_cast<std::uint32_t>(reply_.payload.size());
    sent_ = 0;
}

bool Connection::send() {
    while (sending()) {
        const std::size_t head = sizeof reply_.head;
        iovec parts[2];
        int count = 0;
        if (sent_ < head)
            parts[count++] = {reinterpret_cast<char*>(&reply_.head) + sent_, head - sent_};
        const std::size_t from = sent_ < head ? 0 : sent_ - head;
        if (from < reply_.payload.size())
            parts[count++] = {reply_.payload.data() + from, reply_.payload.size() - from};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = static_cast<std::size_t>(count);
        cugrade::protocol::DescriptorSpace<1> space;
        if (reply_.descriptor >= 0) space.fill(message, {&reply_.descriptor, 1});
        const ssize_t n = sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
        if (n < 0) return false;
        if (reply_.descriptor >= 0) close(std::exchange(reply_.descriptor, -1));
        sent_ += static_cast<std::size_t>(n);
    }
    return true;
}

}  // namespace cugrade::emulator
