#include "gpu/gpu_turn.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/clock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace cugrade {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(1);
constexpr mode_t for_everyone = 0666;  // whoever grades on this machine takes turns

}  // namespace

int open_gpu_lock(const std::string& path) {
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    // Not with O_CREAT at once: Linux refuses that in /tmp for a file of another user's.
    int file = ::open(path.c_str(), flags);
    if (file < 0 && errno == ENOENT) {
        file = ::open(path.c_str(), flags | O_CREAT, for_everyone);
        if (file >= 0) ::fchmod(file, for_everyone);  // whatever the umask is
    }
    return file;
}

namespace {

/// The open file, locked; closing it gives the lock back.
Result<int> lock(const std::string& path, int operation, Clock::time_point end, double patience_s) {
    const int file = open_gpu_lock(path);
    if (file < 0)
        return Error{.message = fmt::format("cannot take turns on the GPU: {}", strerror(errno)),
                     .file = path,
                     .remedy = "delete the file, or make it readable and writable for all"};
    // Blocking would be simpler, but then nothing would end the wait for one who keeps the GPU.
    while (::flock(file, operation | LOCK_NB) != 0) {
        const int error = errno;
        if (error != EWOULDBLOCK && error != EINTR) {
            ::close(file);
            return Error{
                .message = fmt::format("cannot take turns on the GPU: {}", strerror(error)),
                .file = path};
        }
        if (Clock::now() > end) {
            ::close(file);
            return Error{
                .message = fmt::format("another process has kept the GPU for {:.0f} s", patience_s),
                .file = path,
                .remedy = "`fuser` on this file tells which"};
        }
        std::this_thread::sleep_for(poll_interval);
    }
    return file;
}

}  // namespace

Result<GpuTurn> GpuTurn::wait(const std::string& id, Hold hold, double patience_s) {
    const std::string path = fmt::format("/tmp/cugrade-gpu-{}", id);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(patience_s));
    const auto gate = lock(path + ".gate", LOCK_EX, end, patience_s);
    if (!gate) return gate.error();
    const auto file =
        lock(path + ".lock", hold == Hold::shared ? LOCK_SH : LOCK_EX, end, patience_s);
    ::close(*gate);
    if (!file) return file.error();
    return GpuTurn(*file);
}

GpuTurn::~GpuTurn() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace cugrade
