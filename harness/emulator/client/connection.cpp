#include "emulator/client/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "protocol/descriptors.hpp"

namespace cugrade::emulator {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Connection::Answer Connection::ask(protocol::Request request, std::span<const std::byte> payload,
                                   std::span<std::byte> into, int descriptor) {
    const Time end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(answer_s_));
    request.payload = static_cast<std::uint32_t>(payload.size());
    Answer out;
    out.broke = send(request, payload, descriptor, end);
    if (!out.broke) out.broke = receive(&out.reply, sizeof out.reply, end);
    if (out.broke) return out;
    if (out.reply.magic != protocol::emulator_magic) {
        out.broke = Broke::other_version;
    } else if (out.reply.error != 0) {
        if (out.reply.payload > protocol::max_text) {
            out.broke = Broke::too_much;
            return out;
        }
        out.refusal.resize(out.reply.payload);
        out.broke = receive(out.refusal.data(), out.refusal.size(), end);
    } else if (out.reply.payload > into.size()) {
        out.broke = Broke::too_much;
    } else {
        out.broke = receive(into.data(), out.reply.payload, end);
    }
    return out;
}

Connection::Answer Connection::ask_all(protocol::Request request, std::uint64_t most,
                                       std::string& text) {
    std::vector<std::byte> piece(std::min<std::uint64_t>(protocol::max_piece, most));
    for (;;) {
        request.address = text.size();
        request.bytes = piece.size();
        Answer answer = ask(request, {}, piece, -1);
        if (answer.broke || answer.reply.error != 0) return answer;
        if (answer.reply.value > most || text.size() + answer.reply.payload > most) {
            answer.broke = Broke::too_much;
            return answer;
        }
        text.append(reinterpret_cast<const char*>(piece.data()), answer.reply.payload);
        if (text.size() >= answer.reply.value || answer.reply.payload == 0) return answer;
    }
}

std::optional<Connection::Broke> Connection::send(const protocol::Request& request,
                                                  std::span<const std::byte> payload,
                                                  int descriptor, Time end) {
    protocol::Request head = request;
    iovec parts[2] = {{&head, sizeof head},
                      {const_cast<std::byte*>(payload.data()), payload.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    cugrade::protocol::DescriptorSpace<1> space;
    if (descriptor >= 0) space.fill(message, {&descriptor, 1});
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        const ssize_t n = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            if (const auto broke = wait(POLLOUT, end)) return broke;
            continue;
        }
        if (n < 0) return Broke::closed;
        message.msg_control = nullptr;  // the descriptor went with the first byte
        message.msg_controllen = 0;
        auto left = static_cast<std::size_t>(n);
        for (iovec& part : parts) {
            const std::size_t used = std::min(left, part.iov_len);
            part.iov_base = static_cast<char*>(part.iov_base) + used;
            part.iov_len -= used;
            left -= used;
        }
    }
    return std::nullopt;
}

std::optional<Connection::Broke> Connection::receive(void* to, std::size_t bytes, Time end) {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t n = recv(socket_.get(), at, bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            if (const auto broke = wait(POLLIN, end)) return broke;
            continue;
        }
        if (n <= 0) return Broke::closed;
        at += n;
        bytes -= static_cast<std::size_t>(n);
        // One that sends a byte now and then is late, too.
        if (bytes > 0 && Clock::now() >= end) return Broke::late;
    }
    return std::nullopt;
}

std::optional<Connection::Broke> Connection::wait(short events, Time end) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd waiting{socket_.get(), events, 0};
        const int ready =
            poll(&waiting, 1, static_cast<int>(std::clamp<long long>(left + 1, 0, 1'000'000'000)));
        if (ready > 0) return std::nullopt;
        if (ready < 0 && errno != EINTR) return Broke::closed;
        if (ready == 0 && left <= 0) return Broke::late;
    }
}

}  // namespace cugrade::emulator
