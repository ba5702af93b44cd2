#include "sandbox/job.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "protocol/descriptors.hpp"

namespace cugrade::sandbox {
namespace {

constexpr int max_open_files = 1024;

/// How many strings the request has, with the program and the directory.
std::size_t string_count(const wire::Request& request) {
    return std::size_t{2} + request.argument_count + request.variable_count;
}

}  // namespace

process::Program Job::program() const {
    process::Program out;
    std::size_t at = 0;
    const auto next = [&]() -> std::string {
        const std::size_t begin = std::exchange(at, strings.find('\0', at) + 1);
        return strings.substr(begin, at - 1 - begin);
    };
    out.path = next();
    out.directory = next();
    for (std::uint32_t i = 0; i < request.argument_count; ++i) out.arguments.push_back(next());
    for (std::uint32_t i = 0; i < request.variable_count; ++i) out.environment.push_back(next());
    for (std::size_t i = 0; i < fds.size(); ++i)
        if (request.fd_targets[i] == wire::executed)
            out.file = fds[i].get();
        else if (request.fd_targets[i] != wire::held)
            out.descriptors.emplace_back(fds[i].get(), request.fd_targets[i]);
    return out;
}

int send_all(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
    const auto* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t sent = protocol::send_with(socket, at, size, fds);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno;
        fds = {};  // they went with the first byte
        at += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return 0;
}

bool receive_all(int socket, void* to, std::size_t size, std::vector<process::Descriptor>& fds) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        std::vector<int> numbers;
        const ssize_t got = protocol::receive_with(socket, at, size, numbers);
        for (const int fd : numbers) fds.emplace_back(fd);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool receive(int socket, Job& job) {
    wire::Request& request = job.request;
    if (!receive_all(socket, &request, sizeof request, job.fds) ||
        request.fd_count > wire::max_fds || job.fds.size() != request.fd_count ||
        request.string_bytes > wire::max_string_bytes ||
        request.filter_count > wire::max_filter_count)
        return false;
    job.strings.resize(request.string_bytes);
    job.filter.resize(request.filter_count);
    if (!receive_all(socket, job.strings.data(), job.strings.size(), job.fds) ||
        !receive_all(socket, job.filter.data(), job.filter.size() * sizeof(sock_filter), job.fds))
        return false;
    std::size_t strings = 0;
    for (const char c : job.strings) strings += c == '\0' ? 1 : 0;
    return strings >= string_count(request);
}

std::optional<Outcome> read_outcome(const wire::Answer& answer) {
    if (answer.end < End::exited || answer.end > End::not_started ||
        !std::isfinite(answer.wall_s) || !std::isfinite(answer.cpu_s))
        return std::nullopt;
    return Outcome{.end = answer.end,
                   .exit_code = answer.exit_code,
                   .signal = answer.signal,
                   .wall_s = answer.wall_s,
                   .cpu_s = answer.cpu_s,
                   .peak_memory_bytes = answer.peak_memory_bytes,
                   .output = {},
                   .message = {answer.message, strnlen(answer.message, sizeof answer.message)}};
}

int send(int socket, const Job& job, int extra, int extra_target) {
    wire::Request request = job.request;
    std::vector<int> fds;
    for (const process::Descriptor& fd : job.fds) fds.push_back(fd.get());
    if (extra >= 0) {
        if (request.fd_count >= wire::max_fds) return EMFILE;
        request.fd_targets[request.fd_count++] = extra_target;
        fds.push_back(extra);
    }
    if (const int error = send_all(socket, &request, sizeof request, fds); error != 0) return error;
    if (const int error = send_all(socket, job.strings.data(), job.strings.size()); error != 0)
        return error;
    return send_all(socket, job.filter.data(), job.filter.size() * sizeof(sock_filter));
}

std::vector<process::ResourceLimit> resource_limits(const wire::Request& request) {
    const Limits& limits = request.limits;
    const auto both = [](int resource, rlim_t limit) {
        return process::ResourceLimit{resource, limit, limit};
    };
    std::vector<process::ResourceLimit> out{both(RLIMIT_CORE, 0),
                                            both(RLIMIT_NOFILE, max_open_files)};
    // Keeps a fork bomb finite until the tick sees it. (The kernel does not hold root to it.)
    if (request.most_tasks > 0) out.push_back(both(RLIMIT_NPROC, request.most_tasks));
    if (limits.file_bytes > 0) out.push_back(both(RLIMIT_FSIZE, limits.file_bytes));
    // The tick sees processor time first; the kernel's limit is for a supervisor that is starved.
    const auto cpu_s = static_cast<rlim_t>(std::ceil(limits.cpu_s)) + 1;
    if (limits.cpu_s > 0) out.push_back({RLIMIT_CPU, cpu_s, cpu_s + 1});
    if (limits.address_space_bytes > 0) out.push_back(both(RLIMIT_AS, limits.address_space_bytes));
    return out;
}

}  // namespace cugrade::sandbox
