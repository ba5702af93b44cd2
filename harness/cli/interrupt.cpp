#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace cugrade::cli {
namespace {

std::atomic<bool> was_interrupted{false};
std::atomic<bool> takes_term{false};
std::string_view said;

extern "C" void on_interrupt(int) {
    was_interrupted = true;
    std::signal(SIGINT, SIG_DFL);
    if (takes_term) std::signal(SIGTERM, SIG_DFL);
    const ssize_t ignored = ::write(STDERR_FILENO, said.data(), said.size());
    static_cast<void>(ignored);
}

}  // namespace

bool interrupted() { return was_interrupted; }

Interruptible::Interruptible(std::string_view text, bool also_term) {
    said = text;
    takes_term = also_term;
    before_ = std::signal(SIGINT, on_interrupt);
    if (also_term) before_term_ = std::signal(SIGTERM, on_interrupt);
}

Interruptible::~Interruptible() {
    std::signal(SIGINT, before_);
    if (takes_term.exchange(false)) std::signal(SIGTERM, before_term_);
}

}  // namespace cugrade::cli
