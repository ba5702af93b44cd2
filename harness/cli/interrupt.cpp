#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace cugrade::cli {
namespace {

std::atomic<bool> was_interrupted{false};
std::string_view said;

extern "C" void on_interrupt(int) {
    was_interrupted = true;
    std::signal(SIGINT, SIG_DFL);
    const ssize_t ignored = ::write(STDERR_FILENO, said.data(), said.size());
    static_cast<void>(ignored);
}

}  // namespace

bool interrupted() { return was_interrupted; }

Interruptible::Interruptible(std::string_view text) {
    said = text;
    before_ = std::signal(SIGINT, on_interrupt);
}

Interruptible::~Interruptible() { std::signal(SIGINT, before_); }

}  // namespace cugrade::cli
